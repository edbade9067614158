"""Who is told what a transfer matrix does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evaluate_shelf.printable import one_line
from evaluate_shelf.transfer_matrix.cell import Cell


class Reporter:
    """Told what a transfer matrix does; this one says nothing."""

    def row(self, train: str, pending: Sequence[str]) -> None:
        """Begin to learn from a corpus; `pending` are those that are still to be tested on."""

    def damaged(self, train: str, test: str, reason: str) -> None:
        """Report a kept cell that is not what was written, and is to be computed again."""

    def stage(self, name: str) -> None:
        """Begin with a stage: to encode, to fit."""

    def encoding(self, done: int, total: int, seconds_left: float) -> None:
        """Report that `done` of `total` texts are encoded, and about how long the rest takes."""

    def cell(self, cell: Cell, done: int, total: int) -> None:
        """Report a cell that was computed, and how many of the matrix are there."""


class LineReporter(Reporter):
    """Tells what a transfer matrix does in lines of text, and by a progress bar.

    Parameters
    ----------
    say : callable
        Takes a line.
    begin : callable
        Takes the title of a stage of which nobody knows how far it is.
    update : callable
        Takes a title, how many are done, of how many, and about how many seconds are left.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        begin: Callable[[str], None],
        update: Callable[[str, int, int, float | None], None],
    ) -> None:
        self._say, self._begin, self._update = say, begin, update

    def row(self, train: str, pending: Sequence[str]) -> None:
        """Say what is learned from, and what is left to do."""
        todo = f"to be tested on {', '.join(pending)}" if pending else "every cell is there"
        self._say(f"{train}: {todo}")

    def damaged(self, train: str, test: str, reason: str) -> None:
        """Say which cell is computed again, and why."""
        told = f"{train} to {test}: the stored cell is damaged and is computed again: {reason}"
        self._say(one_line(told))

    def stage(self, name: str) -> None:
        """Show the stage."""
        self._begin(name)

    def encoding(self, done: int, total: int, seconds_left: float) -> None:
        """Move the bar."""
        self._update("texts", done, total, seconds_left)

    def cell(self, cell: Cell, done: int, total: int) -> None:
        """Say a cell."""
        self._say(f"  {cell.test}: macro-F1 {cell.macro_f1:.3f}; {done} of {total} cells are there")
