"""Ctrl-C: the first one lets what runs end, the second one ends at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from evaluate_shelf.errors import StoppedError

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_AT_ONCE = (
    "stopped at once; calls that were in flight count as paid, and their orders may be asked again"
)


class Stop:
    """Whether the user wants an end.

    Attributes
    ----------
    wanted : bool
    """

    def __init__(self) -> None:
        self._event = threading.Event()

    @property
    def wanted(self) -> bool:
        """Whether there was a Ctrl-C."""
        return self._event.is_set()

    def ask(self) -> None:
        """Want an end."""
        self._event.set()

    def pause(self, seconds: float) -> None:
        """Wait, but no longer than until an end is wanted."""
        self._event.wait(seconds)


@contextmanager
def stopping(stop: Stop) -> Iterator[None]:
    """Let Ctrl-C, and a request to terminate, ask for an end; a second one raises.

    Outside the main thread, where there are no signals, nothing is changed.

    Raises
    ------
    StoppedError
        At the second.
    """

    def handler(number: int, frame: FrameType | None) -> None:
        if stop.wanted:
            raise StoppedError(_AT_ONCE)
        # Nothing is said here: what runs may be writing to the same stream.
        stop.ask()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[int, Any] = {number: signal.signal(number, handler) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, own in before.items():
            signal.signal(number, own)
