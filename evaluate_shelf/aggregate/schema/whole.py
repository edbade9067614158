"""The whole of an aggregate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field, model_validator

from evaluate_shelf.aggregate.schema.boards import Board
from evaluate_shelf.aggregate.schema.models import ModelEntry
from evaluate_shelf.aggregate.schema.tasks import LabelEntry, MetricEntry, TaskEntry
from evaluate_shelf.aggregate.schema.transfer import Transfer
from evaluate_shelf.aggregate.schema.values import (
    MOST_CELLS,
    MOST_LABELS,
    MOST_MEANS,
    MOST_MODELS,
    MOST_REASONS,
    MOST_TASKS,
    Count,
    Part,
    check_positions,
)
from evaluate_shelf.bounded import Line, Reason
from evaluate_shelf.transfer_matrix.matrix import Matrix

AGGREGATE_VERSION: Literal[1] = 1
MOST_BOARDS = 200


class MadeOf(Part):
    """Something that the aggregate was made from.

    Attributes
    ----------
    kind : str
        Runs of one release, reported scores, a release that runs were scored on, or a transfer
        matrix.
    name : str
        The release, the source of the scores, or the model of the matrix.
    n : int
        Runs; 1 for a release and for a matrix.
    """

    kind: Literal["runs", "reported", "release", "matrix"]
    name: Reason
    n: Count


class Aggregate(Part):
    """All that is shown; see the package.

    Attributes
    ----------
    aggregate_version : int
        Of this form.
    made_with : str
        The version of evaluate-shelf.
    made_of : tuple of MadeOf
        What went into it. No time of day: the same inputs give the same bytes.
    left_out : tuple of str
        What did not, and why.
    tasks, metrics, labels, models, boards, transfer, matrices
        The parts.
    """

    aggregate_version: Literal[1]
    made_with: Line
    made_of: Annotated[tuple[MadeOf, ...], Field(max_length=2000)]
    left_out: Annotated[tuple[Reason, ...], Field(max_length=MOST_REASONS)]
    tasks: Annotated[tuple[TaskEntry, ...], Field(max_length=MOST_TASKS)]
    metrics: Annotated[tuple[MetricEntry, ...], Field(max_length=50)]
    labels: Annotated[tuple[LabelEntry, ...], Field(max_length=MOST_LABELS)]
    models: Annotated[tuple[ModelEntry, ...], Field(max_length=MOST_MODELS)]
    boards: Annotated[tuple[Board, ...], Field(max_length=MOST_BOARDS)]
    transfer: Transfer
    matrices: Annotated[tuple[Matrix, ...], Field(max_length=50)]

    @model_validator(mode="after")
    def _whole(self) -> Aggregate:
        """Refuse keys that stand twice, and models and tasks that are not there."""
        for name, keys in (
            ("models", [model.key for model in self.models]),
            ("boards", [board.key for board in self.boards]),
            ("tasks", [task.id for task in self.tasks]),
        ):
            if len(set(keys)) != len(keys):
                raise ValueError(f"{name}: a key stands twice")
        for what, number, most in (
            ("rows times tasks", sum(len(b.rows) * len(b.tasks) for b in self.boards), MOST_CELLS),
            ("rows times views", sum(len(b.rows) * len(b.views) for b in self.boards), MOST_MEANS),
        ):
            if number > most:
                raise ValueError(f"{what} of all boards are {number:,}, more than {most:,}")
        known = {task.id for task in self.tasks}
        for board in self.boards:
            if not known.issuperset(board.tasks):
                raise ValueError(f"board {board.key}: a task is not among the tasks")
        check_positions(self._models_named(), len(self.models), "model")
        return self

    def _models_named(self) -> Iterable[int]:
        for board in self.boards:
            yield from (row.model for row in board.rows)
        for outcome in self.transfer.outcomes:
            for cell in (*outcome.cells, *outcome.beside):
                yield from (model.model for model in cell.models)
        for measure in self.transfer.measures:
            yield from (model for model, _ in measure.scores)
