"""The way to the terminal: nothing that a file holds moves its cursor on the way."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from typing import Any, TextIO, cast

from evaluate_shelf.files import writing_to
from evaluate_shelf.printable import printable

STANDARD_OUTPUT = "standard output"
"""What an error names that comes from writing there."""


def say(message: str) -> None:
    """Write a message, of one line or more, to standard error."""
    # A reader of standard error that has gone away must not stop a run.
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{printable(message)}\n")
        sys.stderr.flush()


class StandardOutput:
    """Standard output whose errors name it, and which a terminal is given printable text by.

    A file or another program is given every character as it is.

    Parameters
    ----------
    stream : text stream
        Where to.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._shown = stream, stream.isatty()

    def write(self, text: str) -> int:
        """Write a text."""
        with writing_to(STANDARD_OUTPUT):
            self._stream.write(printable(text) if self._shown else text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one after the other."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Hand on what is buffered."""
        with writing_to(STANDARD_OUTPUT):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def prepare_streams() -> None:
    """Write to streams that are closed, or that know no more than ASCII, without failing."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    sys.stdout = cast(TextIO, StandardOutput(sys.stdout))


def discard_output() -> None:
    """Lead standard output nowhere: what is left of it must not be flushed at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
