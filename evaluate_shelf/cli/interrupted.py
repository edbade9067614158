"""Ctrl-C in a command that keeps nothing of its work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from evaluate_shelf.cli.messages import say

# 130 to whoever started the process: a status has eight bits. To `main`, 130 itself says that the
# same command goes on where it stopped, which is not so here.
_INTERRUPTED = 130 - 256


@contextmanager
def beginning_anew(what_remains: str) -> Iterator[None]:
    """Say on Ctrl-C what remains and how to go on, and end with status 130.

    Parameters
    ----------
    what_remains : str
        The rest of a sentence that begins with "stopped".

    Raises
    ------
    typer.Exit
        In place of KeyboardInterrupt.
    """
    try:
        yield
    except KeyboardInterrupt:
        say(f"shelf: stopped; {what_remains}")
        raise typer.Exit(_INTERRUPTED) from None
