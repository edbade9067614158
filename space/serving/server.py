"""The HTTP server, in a thread of its own."""

from __future__ import annotations

import asyncio
import functools
import socket
import threading
from typing import Any

import uvicorn

from .connections import Limits, PunctualProtocol, SeldomSaid, limits_here
from .gate import Application

_BACKLOG = 2048
_SECONDS_TO_END = 5


class _Server(uvicorn.Server):
    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(SeldomSaid())
        await super().serve(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # asyncio takes no more at a time than may wait; more may wait than are taken.
        for own in sockets or []:
            own.listen(_BACKLOG)


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
    limits : Limits, default=None
        Of connections; those of this process without it.

    Raises
    ------
    OSError
        If the port is taken.
    """

    def __init__(
        self, application: Application, host: str, port: int, limits: Limits | None = None
    ) -> None:
        limits = limits or limits_here()
        protocol: Any = functools.partial(PunctualProtocol, limits=limits)
        # Whoever asks from now on waits for the thread, and is not turned away.
        self._socket = socket.create_server((host, port), backlog=_BACKLOG)
        # Connections inherit it. asyncio sets it only on sockets that name their protocol; without
        # it each body waits 40 ms for the client's acknowledgement of the headers.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._server = _Server(
            uvicorn.Config(
                application,
                http=protocol,
                backlog=limits.at_a_time,
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
