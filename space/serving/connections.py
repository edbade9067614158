"""Connections that nobody can hold without asking for something."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, NamedTuple

from uvicorn.protocols.http.h11_impl import H11Protocol

LOG = logging.getLogger("shelf.space")

_MOST, _MOST_AT_A_TIME, _FEWEST = 1000, 256, 8
# How asyncio says that a connection could not be taken.
_NOT_TAKEN = "socket.accept() out of system resource"
_SECONDS_BETWEEN_WORDS = 60.0


class Limits(NamedTuple):
    """How many connections there may be, and how long one may keep us waiting.

    Attributes
    ----------
    connections : int
        At most. Of more, the one that has waited longest without a request is ended.
    at_a_time : int
        How many are taken before any of them is looked at.
    headers : float
        Seconds from when a request is waited for until all of its headers are there.
    rest : float
        Seconds for what is left of a body that nobody waits for, and in which something has to be
        read of an answer. The system takes a megabyte or more at once, so that they are many.
    """

    connections: int = _MOST
    at_a_time: int = _MOST_AT_A_TIME
    headers: float = 10.0
    rest: float = 60.0


def limits_here() -> Limits:
    """The limits for as many files as this process may open: half of them are connections.

    Another quarter is for those that have only just been taken.
    """
    try:
        import resource
    except ImportError:  # Not on Windows.
        return Limits()
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return Limits()
    return Limits(
        max(_FEWEST, min(_MOST, files // 2)), max(_FEWEST, min(_MOST_AT_A_TIME, files // 4))
    )


class PunctualProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, with an end to all waiting for whoever asks.

    Parameters
    ----------
    limits : Limits
        Of connections and of time.
    **settings
        As uvicorn gives them.
    """

    def __init__(self, *, limits: Limits, **settings: Any) -> None:
        super().__init__(**settings)
        self._limits = limits
        self._deadline: asyncio.TimerHandle | None = None
        self._unread = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait; where there are too many connections, end one."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > self._limits.connections:
            min(
                (own._deadline.when(), number, own)
                for number, own in enumerate(self.connections)
                if isinstance(own, PunctualProtocol) and own._deadline is not None
            )[2]._end()

    def data_received(self, data: bytes) -> None:
        """Take what came, and see whether it was a request."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._forget()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Count the time while no request is being answered."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._forget()
        elif self._deadline is None:
            has_rest = self.cycle is not None and self.cycle.more_body
            self._unread = self.transport.get_write_buffer_size()
            seconds = self._limits.rest if has_rest or self._unread else self._limits.headers
            self._deadline = self.loop.call_later(seconds, self._late)

    def _late(self) -> None:
        """End it, unless somebody is still reading what was asked for before."""
        left = self.transport.get_write_buffer_size()
        self._deadline = None
        if 0 < left < self._unread:
            return self._watch()
        return self._end()

    def _end(self) -> None:
        self._forget()
        # It is counted until the loop comes round to it.
        self.connections.discard(self)
        self.transport.abort()

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class SeldomSaid:
    """Handles errors of an event loop: that no connection can be taken is said once a minute.

    asyncio says it with a traceback for every one of them.
    """

    def __init__(self) -> None:
        self._last = float("-inf")

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """See `asyncio.loop.set_exception_handler`."""
        if context.get("message") != _NOT_TAKEN:
            return loop.default_exception_handler(context)
        if loop.time() - self._last >= _SECONDS_BETWEEN_WORDS:
            self._last = loop.time()
            LOG.error("connections cannot be taken now: %s", context.get("exception"))
        return None
