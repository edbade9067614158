"""Ctrl-C in a command that keeps nothing of its work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from evaluate_shelf.errors import StoppedError


@contextmanager
def beginning_anew(what_remains: str) -> Iterator[None]:
    """Say on Ctrl-C what remains and how to go on.

    Parameters
    ----------
    what_remains : str
        The rest of a sentence that begins with "stopped".

    Raises
    ------
    StoppedError
        In place of KeyboardInterrupt.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise StoppedError(f"stopped; {what_remains}") from None
