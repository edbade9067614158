"""What the models of a board take for what."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from evaluate_shelf.aggregate.schema.rows import LeftOutRow
from evaluate_shelf.aggregate.schema.values import (
    MOST_REASONS,
    MOST_ROWS,
    MOST_TASKS,
    Count,
    Part,
    Position,
)
from evaluate_shelf.bounded import ConfigName, Line, Reason

MOST_CONFUSIONS = 12
"""Confusions of a model that are held of a task."""
Confused: TypeAlias = tuple[Line, Line | None, Count, Count]
"""The true label, the one predicted (None: none), how often, of how many with the true label."""


class TaskConfusions(Part):
    """The confusions of a model on a task, most frequent first.

    Attributes
    ----------
    task : str
        A classification.
    n, wrong : int
        Items, and those with another label than the true one.
    most : tuple
        The most frequent confusions.
    """

    task: ConfigName
    n: Count
    wrong: Count
    most: Annotated[tuple[Confused, ...], Field(max_length=MOST_CONFUSIONS)]


class RowConfusions(Part):
    """The confusions of a row, by task."""

    row: Position
    tasks: Annotated[tuple[TaskConfusions, ...], Field(max_length=MOST_TASKS)]


class Confusions(Part):
    """What models take for what.

    Attributes
    ----------
    why_not : str or None
        Why there are none.
    left_out : tuple of LeftOutRow
        Rows, or tasks of a row, that could not be read, and why.
    rows : tuple of RowConfusions
        In the order of the rows.
    """

    why_not: Reason | None
    left_out: Annotated[tuple[LeftOutRow, ...], Field(max_length=MOST_REASONS)] = ()
    rows: Annotated[tuple[RowConfusions, ...], Field(max_length=MOST_ROWS)] = ()
