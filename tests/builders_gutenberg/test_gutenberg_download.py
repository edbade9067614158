from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from builders.corpora.gutenberg.download import USER_AGENT, Mirror, download_texts
from evaluate_shelf.errors import ShelfError

Answer = tuple[int, dict[str, str], bytes]


class Server:
    """A mirror on this machine that answers from a list per path."""

    def __init__(self) -> None:
        self.answers: dict[str, list[Answer]] = {}
        self.asked: list[tuple[str, str]] = []
        self.open = self.most_open = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.open += 1
                outer.most_open = max(outer.most_open, outer.open)
                outer.asked.append((self.path, self.headers["User-Agent"]))
                left = outer.answers.get(self.path, [(404, {}, b"")])
                status, headers, data = left.pop(0) if len(left) > 1 else left[0]
                self.send_response(status)
                for name, value in ({"Content-Length": str(len(data))} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                outer.open -= 1
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.http.server_address[1]}/mirror/"

    def say(self, number: int, *answers: Answer) -> None:
        self.answers[f"/mirror/cache/epub/{number}/pg{number}.txt"] = list(answers)


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.http.shutdown()
    server.http.server_close()
    thread.join()


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def mirror(server: Server, slept: list[float]) -> Callable[..., Mirror]:
    def make(**values: float) -> Mirror:
        return Mirror(server.base, sleep=slept.append, **values)  # type: ignore[arg-type]

    return make


OK: dict[str, str] = {"Content-Type": "text/plain"}


def test_fetches_politely_what_is_missing(
    server: Server, mirror: Callable[..., Mirror], slept: list[float], tmp_path: Path
) -> None:
    for number in (1, 2, 3):
        server.say(number, (200, OK, f"Book {number}".encode()))
    (tmp_path / "2-8.txt").write_text("Here before.")
    done: list[int] = []
    result = download_texts([1, 2, 3, 4], tmp_path, mirror(pause=5.0), progress=done.append)
    assert (result.fetched, result.present) == ([1, 3], [2])
    assert result.refused == [(4, "not on the mirror")]
    assert (tmp_path / "pg1.txt").read_bytes() == b"Book 1"
    assert slept == [5.0, 5.0]
    assert done == [1, 2, 3, 4]
    assert {agent for _, agent in server.asked} == {USER_AGENT}
    assert "shelf" in USER_AGENT
    assert server.most_open == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2-8.txt", "pg1.txt", "pg3.txt"]


def test_goes_on_where_it_stopped(
    server: Server, mirror: Callable[..., Mirror], tmp_path: Path
) -> None:
    server.say(1, (200, OK, b"Book 1"))
    server.say(2, (403, {}, b""))
    with pytest.raises(ShelfError, match="refuses with status 403"):
        download_texts([1, 2], tmp_path, mirror())
    server.say(2, (200, OK, b"Book 2"))
    result = download_texts([1, 2], tmp_path, mirror())
    assert (result.present, result.fetched) == ([1], [2])


def test_waits_as_long_as_it_is_told(
    server: Server, mirror: Callable[..., Mirror], slept: list[float], tmp_path: Path
) -> None:
    busy = [
        (429, {"Retry-After": "30"}, b""),
        (503, {"Retry-After": "9999"}, b""),
        (500, {}, b""),
        (200, OK, b"Book 1"),
    ]
    server.say(1, *busy)
    result = download_texts([1], tmp_path, mirror(pause=3.0, longest_wait=60.0))
    assert result.fetched == [1]
    assert slept == [30.0, 60.0, 12.0]


def test_a_busy_mirror_is_left_alone_in_the_end(
    server: Server, mirror: Callable[..., Mirror], slept: list[float], tmp_path: Path
) -> None:
    server.say(1, (503, {"Retry-After": "0"}, b""))
    with pytest.raises(ShelfError, match="after 3 tries the mirror answers with status 503"):
        download_texts([1], tmp_path, mirror(tries=3, pause=2.0))
    assert slept == [2.0, 2.0]
    assert len(server.asked) == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ((410, {}, b""), "not on the mirror"),
        ((200, {"Content-Type": "text/html; charset=utf-8"}, b"<html>"), "sent a web page"),
        ((200, OK, b" \n"), "empty on the mirror"),
        ((200, OK, b"x" * 101), "longer than 100 bytes"),
    ],
)
def test_answers_that_are_no_text(
    server: Server,
    mirror: Callable[..., Mirror],
    tmp_path: Path,
    answer: Answer,
    reason: str,
) -> None:
    server.say(1, answer)
    ((number, said),) = download_texts([1], tmp_path, mirror(limit=100)).refused
    assert number == 1
    assert reason in said
    assert list(tmp_path.iterdir()) == []


def test_a_text_that_is_cut_short_is_asked_for_again(
    server: Server, mirror: Callable[..., Mirror], tmp_path: Path
) -> None:
    cut = (200, OK | {"Content-Length": "20", "Connection": "close"}, b"Book 1")
    server.say(1, cut, (200, OK, b"Book 1 in full"))
    assert download_texts([1], tmp_path, mirror()).fetched == [1]
    assert (tmp_path / "pg1.txt").read_bytes() == b"Book 1 in full"


def test_a_mirror_that_is_not_there(server: Server, slept: list[float], tmp_path: Path) -> None:
    base = server.base
    server.http.server_close()
    with pytest.raises(ShelfError, match="cannot be reached") as caught:
        download_texts([1], tmp_path, Mirror(base, tries=2, sleep=slept.append))
    assert base in str(caught.value)
    assert len(slept) == 1


@pytest.mark.parametrize("base", ["", "mirror.org", "ftp://mirror.org", "file:///etc", "http://"])
def test_only_web_addresses(base: str) -> None:
    with pytest.raises(ShelfError, match="http or https address"):
        Mirror(base)
