"""The HTTP server, in a thread of its own."""

from __future__ import annotations

import socket
import threading

import uvicorn

from .gate import Application

_BACKLOG = 2048
_SECONDS_TO_END = 5


class Server:
    """An application on a port, from `start` until `close`.

    Parameters
    ----------
    application : callable
        As ASGI has it, for HTTP alone.
    host : str
        The address to listen on.
    port : int
        Where to listen.

    Raises
    ------
    OSError
        If the port is taken.
    """

    def __init__(self, application: Application, host: str, port: int) -> None:
        # Whoever asks from now on waits for the thread, and is not turned away.
        self._socket = socket.create_server((host, port), backlog=_BACKLOG)
        # Connections inherit it. asyncio sets it only on sockets that name their protocol; without
        # it each body waits 40 ms for the client's acknowledgement of the headers.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._server = uvicorn.Server(
            uvicorn.Config(
                application,
                log_level="warning",
                lifespan="off",
                ws="none",
                # Who asks is seen by `people.address_of`, which knows whose word to take.
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=_SECONDS_TO_END,
            )
        )
        self._thread = threading.Thread(target=self._serve, name="shelf-server", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """End it; what is being answered has a few seconds."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        self._server.run(sockets=[self._socket])
