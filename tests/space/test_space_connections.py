"""Nobody holds a connection without asking, and many of them keep nobody out."""

from __future__ import annotations

import logging
import resource
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra `space` is not installed")

from served_space import free_port

from space.serving.connections import Limits, limits_here
from space.serving.gate import Receive, Scope, Send
from space.serving.server import Server

SOON = Limits(connections=20, at_a_time=4, headers=0.3, rest=0.6)
PATIENT = Limits(connections=20, at_a_time=4, headers=60.0, rest=60.0)
LARGE = bytes(2**20)
BEGUN = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-a: b\r\n"
ASKED = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
SERVERS: dict[int, Server] = {}
ROOT = Path(__file__).parents[2]


async def answers(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    body = LARGE * 8 if scope["path"] == "/large" else b"here"
    await send({"type": "http.response.body", "body": body})


@contextmanager
def served(limits: Limits) -> Iterator[int]:
    port = free_port()
    server = SERVERS[port] = Server(answers, "127.0.0.1", port, limits)
    server.start()
    try:
        yield port
    finally:
        server.close()
        del SERVERS[port]


def open_at(port: int) -> int:
    """How many connections a server has."""
    return len(SERVERS[port]._server.server_state.connections)


@contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as own:
        yield own


def seconds_until_end(own: socket.socket, meanwhile: Callable[[], object] = lambda: None) -> float:
    """How long the server keeps a connection, whose client does something now and then."""
    began = time.monotonic()
    own.settimeout(0.05)
    while time.monotonic() - began < 20:
        try:
            meanwhile()
            if not own.recv(65536):
                break
        except TimeoutError:
            continue
        except OSError:
            break
    return time.monotonic() - began


def page(port: int) -> bytes:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
        return bytes(answer.read())


@pytest.mark.parametrize("first", [b"", b"GET", BEGUN, ASKED + BEGUN], ids=repr)
def test_a_request_that_does_not_end_is_not_waited_for(first: bytes) -> None:
    with served(SOON) as port, connected(port) as own:
        own.sendall(first)
        assert seconds_until_end(own) < 5


@pytest.mark.parametrize("first", [BEGUN, ASKED + BEGUN], ids=repr)
def test_header_by_header_is_no_longer_than_none(first: bytes) -> None:
    with served(SOON) as port, connected(port) as own:
        own.sendall(first)
        assert seconds_until_end(own, lambda: own.sendall(b"X: y\r\n")) < 5


def test_a_body_that_nobody_waits_for_ends() -> None:
    with served(SOON) as port, connected(port) as own:
        own.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999\r\n\r\n")
        assert seconds_until_end(own, lambda: own.sendall(b"x")) < 5


def test_who_does_not_read_an_answer_is_not_waited_for() -> None:
    with served(SOON) as port, connected(port) as own:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        own.sendall(ASKED.replace(b"/ ", b"/large "))
        until = time.monotonic() + 10
        while not open_at(port):
            time.sleep(0.01)
        while open_at(port) and time.monotonic() < until:
            time.sleep(0.1)
        assert open_at(port) == 0


def test_who_reads_slowly_gets_all_of_an_answer() -> None:
    with served(SOON._replace(rest=2.0)) as port, connected(port) as own:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        own.sendall(ASKED.replace(b"/ ", b"/large "))
        got = b""
        while len(got) < len(LARGE) * 8:
            part = own.recv(2**18)
            assert part, len(got)
            got += part
            time.sleep(0.03)


def test_a_connection_is_used_again_and_again() -> None:
    with served(SOON) as port, connected(port) as own:
        for _ in range(8):
            own.sendall(ASKED)
            said = b""
            while not said.endswith(b"0\r\n\r\n"):
                said += own.recv(4096)
            time.sleep(0.1)


def test_of_too_many_the_one_that_waits_longest_is_ended() -> None:
    with served(PATIENT) as port, ExitStack() as stack:
        held = [stack.enter_context(connected(port)) for _ in range(100)]
        for own in held:
            try:
                own.sendall(BEGUN)
            except OSError:
                continue
        assert page(port) == b"here"
        time.sleep(0.3)
        alive = [seconds for seconds, own in enumerate(held) if _is_open(own)]
        assert len(alive) < PATIENT.connections
        assert min(alive) > 100 - PATIENT.connections


def _is_open(own: socket.socket) -> bool:
    own.setblocking(False)
    try:
        return own.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def test_half_of_the_files_of_this_process_are_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for files in (64, 200, 1024, 65536, resource.RLIM_INFINITY):
        monkeypatch.setattr(resource, "getrlimit", lambda _, files=files: (files, files))
        found = limits_here()
        assert found.connections >= 8
        if files != resource.RLIM_INFINITY:
            assert found.connections + found.at_a_time <= 0.75 * files


_FEW = """
import resource, socket, sys, time, urllib.request
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
from test_space_connections import answers, free_port, Limits
from space.serving.server import Server
port = int(sys.argv[1])
server = Server(answers, "127.0.0.1", port, Limits(1000, 256, 1.0, 1.0))
server.start()
sys.stdin.read()
server.close()
"""


def test_without_files_left_that_is_said_once(tmp_path: Path) -> None:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", _FEW, str(port)],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT}/tests/space:{ROOT}/tests/support", "PATH": ""},
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with ExitStack() as stack:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                stack.enter_context(connected(port))
                break
            except OSError:
                time.sleep(0.1)
        for _ in range(150):
            stack.enter_context(connected(port)).sendall(BEGUN)
        time.sleep(4)
        assert page(port) == b"here"
    said = process.communicate(timeout=30)[1]
    assert said.count("connections cannot be taken now") == 1, said
    assert "Traceback" not in said


def test_other_faults_of_the_loop_are_said_as_ever(caplog: pytest.LogCaptureFixture) -> None:
    import asyncio

    from space.serving.connections import SeldomSaid

    async def failing() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(SeldomSaid())
        loop.call_exception_handler({"message": "something else"})
        for _ in range(3):
            loop.call_exception_handler({"message": "socket.accept() out of system resource"})

    with caplog.at_level(logging.ERROR):
        asyncio.run(failing())
    assert [own.name for own in caplog.records] == ["asyncio", "shelf.space"]
