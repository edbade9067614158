"""Who is told what an evaluation does."""

from __future__ import annotations

from collections.abc import Sequence

from evaluate_shelf.evaluation.planning import Plan
from evaluate_shelf.runs.schema import TaskRecord


class Reporter:
    """Told what an evaluation does; this one says nothing."""

    def plan(self, plans: Sequence[Plan]) -> None:
        """Say what there is to do, model by model, before the first begins."""

    def model(self, name: str, pending: Sequence[str]) -> None:
        """Begin with a model; `pending` are the tasks that are still to be run."""

    def task(self, task: str) -> None:
        """Begin with a task."""

    def stage(self, name: str) -> None:
        """Begin with a stage of the task: to encode, to rank, to fit a probe."""

    def encoding(self, done: int, total: int, seconds_left: float) -> None:
        """Report that `done` of `total` texts are encoded, and about how long the rest takes."""

    def rate(self) -> None:
        """Begin to measure how many documents a second the model takes."""

    def ended(self, task: str, record: TaskRecord) -> None:
        """Report how a task ended."""
