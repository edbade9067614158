"""The scores of a board in parts."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from evaluate_shelf.aggregate.schema.rows import LeftOutRow
from evaluate_shelf.aggregate.schema.values import (
    MOST_REASONS,
    MOST_ROWS,
    MOST_TASKS,
    Count,
    Number,
    Part,
    Position,
)
from evaluate_shelf.bounded import ConfigName, Line, Reason

MOST_STRATA = 100
Stratum: TypeAlias = tuple[Line, Count, Number | None, Number | None, Number | None]
"""Its name, items, value, low, high; without a value where it has too few items."""


class TaskStrata(Part):
    """A score in parts.

    Attributes
    ----------
    task, by : str
        Which score, and what its items are parted by.
    metric : str
        Of the values.
    in_none : int
        Items that are in no part.
    strata : tuple
        The parts.
    """

    task: ConfigName
    by: Literal["length", "generator"]
    metric: Line
    in_none: Count
    strata: Annotated[tuple[Stratum, ...], Field(max_length=MOST_STRATA)]


class RowStrata(Part):
    """The scores of a row in parts."""

    row: Position
    parts: Annotated[tuple[TaskStrata, ...], Field(max_length=2 * MOST_TASKS)]


class Definition(Part):
    """What a part of a task's items is."""

    task: ConfigName
    by: Literal["length", "generator"]
    text: Reason


class Strata(Part):
    """Scores in parts, by the family of the generator and by the length of the text.

    Of the tasks that rank agreement is about, for the first rows of the board; `shelf breakdown`
    has the others.

    Attributes
    ----------
    why_not : str or None
        Why there are none.
    least_items : int
        A part with fewer has no value.
    left_out : tuple of LeftOutRow
        Rows, or tasks of a row, without, and why.
    definitions : tuple of Definition
        What the parts are.
    rows : tuple of RowStrata
        In the order of the rows.
    """

    why_not: Reason | None
    least_items: Count = 0
    left_out: Annotated[tuple[LeftOutRow, ...], Field(max_length=MOST_REASONS)] = ()
    definitions: Annotated[tuple[Definition, ...], Field(max_length=2 * MOST_TASKS)] = ()
    rows: Annotated[tuple[RowStrata, ...], Field(max_length=MOST_ROWS)] = ()
