"""Who is told what an application does."""

from __future__ import annotations

from collections.abc import Callable

_RECORDS_BETWEEN_LINES = 20_000


class Reporter:
    """Told what an application does; this one says nothing."""

    def model(self, name: str) -> None:
        """Begin with the run's model."""

    def encoding(self, done: int, total: int, seconds_left: float) -> None:
        """Report that `done` of the release's `total` texts are encoded."""

    def reproduced(self, documents: int) -> None:
        """Report that the run's predictions for so many test documents came out again."""

    def applied(self, records: int) -> None:
        """Report that so many records are done."""


class LineReporter(Reporter):
    """Tells what an application does in lines of text, and by a progress bar.

    Parameters
    ----------
    say : callable
        Takes a line.
    update : callable
        Takes a title, how many are done, and of how many.
    """

    def __init__(self, say: Callable[[str], None], update: Callable[[str, int, int], None]) -> None:
        self._say, self._update = say, update
        self._name = ""
        self._said = 0

    def model(self, name: str) -> None:
        """Say which model is fitted."""
        self._name = name
        self._say(f"{name}: fitting the classifier of the run again")

    def encoding(self, done: int, total: int, seconds_left: float) -> None:
        """Move the bar."""
        self._update(f"{self._name}, the release: texts", done, total)

    def reproduced(self, documents: int) -> None:
        """Say that the classifier is the run's."""
        self._say(f"{self._name}: says of {documents} test documents what the run says")

    def applied(self, records: int) -> None:
        """Say how many records are done, now and then."""
        if records - self._said >= _RECORDS_BETWEEN_LINES:
            self._said = records
            self._say(f"  {records} records")
