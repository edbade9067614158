"""A time for a whole exchange: httpx bounds each wait alone, and an endpoint can drip for ever."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from ssl import SSLContext
from typing import Any

import httpcore
import httpx


class Deadline:
    """Until when the thread that asks may read, write and connect.

    Parameters
    ----------
    seconds : float
        For each block.
    """

    def __init__(self, seconds: float) -> None:
        self.reason = f"no whole answer in {seconds:.0f} seconds"
        self._seconds = seconds
        self._own = threading.local()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let the time of this thread begin; it ends with the block."""
        self._own.until = time.monotonic() + self._seconds
        try:
            yield
        finally:
            del self._own.until

    def left(self) -> float:
        """Seconds that are left, at least 0; infinite outside a block."""
        return max(0.0, getattr(self._own, "until", float("inf")) - time.monotonic())


def keep_deadline(client: httpx.Client, deadline: Deadline) -> None:
    """Let all that a client's connections do end in time, the head of an answer too.

    Parameters
    ----------
    client : httpx.Client
        That has not connected yet.
    deadline : Deadline
    """
    # httpx lets nobody choose the network below a proxy that the environment names.
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx.HTTPTransport):
            pool = transport._pool
            pool._network_backend = _Network(pool._network_backend, deadline)


class _Network(httpcore.NetworkBackend):
    def __init__(self, network: httpcore.NetworkBackend, deadline: Deadline) -> None:
        self._network, self._deadline = network, deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        with _in_time(self._deadline, timeout, httpcore.ConnectTimeout) as seconds:
            stream = self._network.connect_tcp(host, port, seconds, local_address, socket_options)
        return _Stream(stream, self._deadline)

    def sleep(self, seconds: float) -> None:
        self._network.sleep(seconds)


class _Stream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _in_time(self._deadline, timeout, httpcore.ReadTimeout) as seconds:
            return self._stream.read(max_bytes, seconds)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with _in_time(self._deadline, timeout, httpcore.WriteTimeout) as seconds:
            self._stream.write(buffer, seconds)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        with _in_time(self._deadline, timeout, httpcore.ConnectTimeout) as seconds:
            stream = self._stream.start_tls(ssl_context, server_hostname, seconds)
        return _Stream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


@contextmanager
def _in_time(
    deadline: Deadline, timeout: float | None, late: type[httpcore.TimeoutException]
) -> Iterator[float | None]:
    """Seconds for one step; its being late is told as the whole's where that was shorter."""
    left = deadline.left()
    if not left:
        raise late(deadline.reason)
    if timeout is not None and timeout <= left:
        yield timeout
        return
    try:
        yield None if left == float("inf") else left
    except httpcore.TimeoutException as error:
        raise late(deadline.reason) from error
