"""Who is told what an evaluation does."""

from __future__ import annotations

from collections.abc import Sequence

from evaluate_shelf.runs.schema import TaskRecord


class Reporter:
    """Told what an evaluation does; this one says nothing."""

    def model(self, name: str, pending: Sequence[str]) -> None:
        """Begin with a model; `pending` are the tasks that are still to be run."""

    def task(self, task: str) -> None:
        """Begin with a task."""

    def encoding(self, done: int, total: int) -> None:
        """Report that `done` of `total` texts are encoded."""

    def ended(self, task: str, record: TaskRecord) -> None:
        """Report how a task ended."""
