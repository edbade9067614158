"""Servers on 127.0.0.1 for as long as a block runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[BaseHTTPRequestHandler], "bytes | None"]


@contextmanager
def serving(handler: Callable[..., BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serve until the block ends; gives the address, without a slash at its end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Texts(BaseHTTPRequestHandler):
    def __init__(self, answer: Answer, *arguments: object) -> None:
        self._answer = answer
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        body = self._answer(self)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def serving_texts(answer: Answer) -> AbstractContextManager[str]:
    """Serve what a function gives for a request; None is status 404."""
    return serving(partial(_Texts, answer))
