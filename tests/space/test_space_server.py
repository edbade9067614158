from __future__ import annotations

import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra `space` is not installed")

from served_space import free_port

from benchmarks.synthetic_aggregate import synthetic_aggregate
from evaluate_shelf.aggregate.file import write_aggregate
from space.serving.gate import Receive, Scope, Send
from space.serving.server import Server

ROOT = Path(__file__).parents[2]


async def says_who_asks(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(scope["client"][0]).encode()})


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def server(port: int) -> Iterator[Server]:
    own = Server(says_who_asks, "127.0.0.1", port)
    own.start()
    yield own
    own.close()


def test_nobody_gives_himself_the_address_of_another(server: Server, port: int) -> None:
    forwarded = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", headers=forwarded)
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.read() == b"127.0.0.1"
        # What answers is nobody's business.
        assert answer.headers["server"] is None


def test_a_port_is_taken_until_the_server_ends(server: Server, port: int) -> None:
    with pytest.raises(OSError, match="in use"):
        Server(says_who_asks, "127.0.0.1", port)
    server.close()
    again = Server(says_who_asks, "127.0.0.1", port)
    again.start()
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30) as answer:
            assert answer.status == 200
    finally:
        again.close()


def test_a_server_that_never_began_can_be_closed(port: int) -> None:
    Server(says_who_asks, "127.0.0.1", port).close()
    Server(says_who_asks, "127.0.0.1", port).close()


def test_what_no_page_needs_is_not_loaded(tmp_path: Path) -> None:
    """Each of these takes longer to load than all that is shown takes to make."""
    file = write_aggregate(synthetic_aggregate(2, 2), tmp_path / "shown.json")
    code = (
        "import sys\nfrom space.app import space_app\n"
        f"space_app({str(file)!r})\n"
        # Not pandas: pyarrow loads it where it is there.
        "heavy = {'gradio', 'fastapi', 'torch', 'sklearn', 'matplotlib', 'datasets'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_bodies_do_not_wait_for_the_headers_to_be_acknowledged(server: Server) -> None:
    assert server._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
