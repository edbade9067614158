"""One request to an endpoint, on a server of this process: what is read, and what is not."""

from __future__ import annotations

import gzip
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_shelf.endpoints.address import checked_base, is_loopback, is_private
from evaluate_shelf.endpoints.deadline import Deadline
from evaluate_shelf.endpoints.exchange import Exchange, LostError, UnreadableError, UnsentError
from evaluate_shelf.endpoints.repeating import ATTEMPTS, LONGEST_WAIT, wait_before
from evaluate_shelf.endpoints.retry_after import seconds_named
from evaluate_shelf.errors import ShelfError

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"


@contextmanager
def speaking(speak: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server that takes one connection, reads a request and then does what it is told."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                request = b""
                # To its end: closing what is unread resets the connection.
                while not request.endswith(b"{}"):
                    request += connection.recv(65_536)
                try:
                    speak(connection)
                except OSError:
                    return

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread.join()


def saying(*parts: bytes) -> Callable[[socket.socket], None]:
    return lambda connection: [connection.sendall(part) for part in parts] and None


def asked(base: str, most_bytes: int = 1000, **settings: float) -> bytes:
    exchange = Exchange(base, use_proxy=False, **settings)  # type: ignore[arg-type]
    try:
        return exchange.ask("POST", "/x", json={}, most_bytes=most_bytes).body
    finally:
        exchange.close()


def packed(body: bytes, packing: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {packing}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


def test_a_body_in_chunks() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    with speaking(saying(head, b"2\r\nab\r\n", b"3\r\ncde\r\n0\r\n\r\n")) as base:
        assert asked(base) == b"abcde"


@pytest.mark.parametrize(
    "speak",
    [
        saying(),
        saying(b"HTTP/1.1 2"),
        saying(HEAD),
        saying(HEAD, b"abcd"),
        saying(b"\x00\xff nonsense\r\n\r\n"),
    ],
)
def test_an_answer_that_is_cut_is_lost(speak: Callable[[socket.socket], None]) -> None:
    with speaking(speak) as base, pytest.raises(LostError):
        asked(base)


def test_nobody_there_is_nothing_sent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(UnsentError):
        asked(f"http://127.0.0.1:{port}")


def test_silence_is_given_up() -> None:
    over = threading.Event()
    with speaking(lambda connection: over.wait(30) and None) as base:
        with pytest.raises(LostError):
            asked(base, silence_seconds=0.1)
        over.set()


@pytest.mark.parametrize(
    ("head", "drop"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x"),
        (b"", b"H"),
        (b"HTTP/1.1 200 OK\r\nX: ", b"x"),
        (b"HTTP/1.1 200 OK\r\n", b"X: x\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"x"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: x\r\n"),
    ],
)
def test_an_answer_that_drips_is_given_up(head: bytes, drop: bytes) -> None:
    over = threading.Event()

    def drip(connection: socket.socket) -> None:
        connection.sendall(head)
        while not over.wait(0.01):
            connection.sendall(drop)

    begin = time.monotonic()
    with speaking(drip) as base:
        with pytest.raises(LostError, match="whole"):
            asked(base, most_bytes=10**6, silence_seconds=5, answer_seconds=0.2)
        over.set()
    assert time.monotonic() - begin < 4


def test_an_error_whose_text_drips_is_known_by_its_status() -> None:
    over = threading.Event()

    def drip(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 503 No\r\nContent-Length: 100000\r\n\r\n")
        while not over.wait(0.01):
            connection.sendall(b"x")

    with speaking(drip) as base:
        exchange = Exchange(base, use_proxy=False, silence_seconds=5, answer_seconds=0.2)
        assert exchange.ask("POST", "", json={}, most_bytes=10).status == 503
        over.set()


def test_the_time_holds_behind_a_proxy_too(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def drip(connection: socket.socket) -> None:
        while not over.wait(0.01):
            connection.sendall(b"H")

    with speaking(drip) as proxy:
        monkeypatch.setenv("http_proxy", proxy)
        exchange = Exchange("http://example.org", silence_seconds=5, answer_seconds=0.2)
        with pytest.raises(LostError, match="whole"):
            exchange.ask("POST", "", json={}, most_bytes=10)
        over.set()


def test_the_time_of_one_request_is_neither_that_of_the_next_nor_of_another_thread() -> None:
    deadline = Deadline(60)
    others: list[float] = []
    with deadline.running():
        assert 0 < deadline.left() <= 60
        other = threading.Thread(target=lambda: others.append(deadline.left()))
        other.start()
        other.join()
    assert [*others, deadline.left()] == [float("inf")] * 2


def test_an_endless_body_is_not_read_to_its_end() -> None:
    def endless(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        while True:
            connection.sendall(b" " * 65_536)

    with speaking(endless) as base, pytest.raises(UnreadableError, match="longer"):
        asked(base)


def test_an_endless_error_is_known_by_its_status() -> None:
    def endless(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 503 No\r\nConnection: close\r\n\r\n")
        while True:
            connection.sendall(b"x" * 65_536)

    with speaking(endless) as base:
        reply = Exchange(base, use_proxy=False).ask("POST", "", json={}, most_bytes=10)
    assert reply.status == 503
    assert len(reply.body) <= 100_000


def test_an_error_that_is_cut_is_known_by_its_status() -> None:
    cut = saying(b"HTTP/1.1 429 No\r\nContent-Length: 9\r\nRetry-After: 7\r\n\r\nslow")
    with speaking(cut) as base:
        reply = Exchange(base, use_proxy=False).ask("POST", "", json={}, most_bytes=10)
    assert (reply.status, reply.body, reply.retry_after) == (429, b"slow", 7.0)


@pytest.mark.parametrize(("packing", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_a_packed_body_is_unpacked(packing: str, pack: Callable[[bytes], bytes]) -> None:
    with speaking(saying(packed(pack(b"a body"), packing))) as base:
        assert asked(base) == b"a body"


def test_a_packed_body_is_unpacked_up_to_the_bound_alone() -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    with speaking(saying(packed(bomb, "gzip"))) as base, pytest.raises(UnreadableError):
        asked(base, most_bytes=10_000)


@pytest.mark.parametrize(
    ("body", "packing"),
    [
        (b"\x1f\x8b", "gzip"),
        (gzip.compress(b"a body", mtime=0)[:-9], "gzip"),
        (b"x", "br"),
        (b"x", "gzip"),
    ],
)
def test_a_packed_body_that_cannot_be_unpacked(body: bytes, packing: str) -> None:
    with speaking(saying(packed(body, packing))) as base, pytest.raises(UnreadableError):
        asked(base)


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("https://example.org/v1/", "https://example.org/v1"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_base_urls(text: str, base: str) -> None:
    assert checked_base(text) == base


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.org/v1",
        "file:///etc/passwd",
        "ftp://example.org",
        "https://",
        "https://me:secret@example.org",
        "https://example.org/v1?key=secret",
        "https://example.org/v1#x",
        "https://example.org:x/v1",
        "https://example.org/v 1",
        "https://" + "x" * 400,
    ],
)
def test_what_is_no_base_url(text: str) -> None:
    with pytest.raises(ShelfError) as caught:
        checked_base(text)
    assert "secret" not in str(caught.value)


def test_loopback_is_an_address_and_not_a_name_like_one() -> None:
    for base in ("http://127.0.0.1:1/v1", "http://127.9.9.9", "http://[::1]:1", "http://localhost"):
        assert is_loopback(base)
        assert is_private(base)
    for base in ("http://127.0.0.1.example.org", "http://localhost.example.org", "http://10.0.0.1"):
        assert not is_loopback(base)
        assert not is_private(base)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("15", 15.0),
        ("0.5", 0.5),
        ("soon", None),
        ("-3", None),
        ("nan", None),
        ("Sat, 02 Mar 2024 10:00:30 GMT", 30.0),
        ("Sat, 02 Mar 2024 09:00:00 GMT", 0.0),
        ("Sat, 02 Mar 2024 10:01:00 -0000", 60.0),
    ],
)
def test_retry_after(header: str | None, seconds: float | None) -> None:
    now = datetime(2024, 3, 2, 10, 0, 0, tzinfo=UTC)
    assert seconds_named(header, now) == seconds


@given(
    st.text(max_size=40)
    | st.from_regex(r"\A(Wed, )?[0-9]{1,30} (Oct|Feb) [0-9]{1,30} [0-9:]{0,12} ?[-+A-Z0-9]{0,8}\Z")
    | st.from_regex(r"\A-?[0-9]{1,400}(e[0-9]{1,9})?\Z"),
    st.integers(0, ATTEMPTS),
)
def test_whatever_an_answer_names_the_wait_is_bounded(named: str, attempt: int) -> None:
    assert 0 <= wait_before(seconds_named(named), attempt) <= LONGEST_WAIT


def test_waits_are_bounded() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert 25 < wait_before(seconds_named(soon), 0) <= 30
    for named in ("1e9", "inf", "Wed, 21 Oct 2099 07:28:00 GMT"):
        assert wait_before(seconds_named(named), 0) == LONGEST_WAIT
    assert wait_before(None, 30) == LONGEST_WAIT
