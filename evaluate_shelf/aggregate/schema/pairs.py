"""Which rows of a board are told apart."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from evaluate_shelf.aggregate.schema.rows import LeftOutRow
from evaluate_shelf.aggregate.schema.values import (
    MOST_REASONS,
    MOST_TASKS,
    Amount,
    Count,
    Difference,
    Flag,
    Groups,
    Part,
    Position,
    Rank,
    Share,
)
from evaluate_shelf.bounded import ConfigName, Line, Reason

MOST_COMPARED = 60
"""Models of a board whose paired differences, confusions and strata are held."""

Paired: TypeAlias = tuple[
    Position, Position, Difference, Difference | None, Difference | None, Share | None, Flag
]
"""The row that stands higher, the other, their difference, low, high, p by Holm, told apart."""
Placed: TypeAlias = tuple[Position, Rank, Rank, Groups]
"""A row, the best and the worst place that the tests leave open, its letters."""


class ContestEntry(Part):
    """Rows compared on a task, or on the mean over tasks.

    Attributes
    ----------
    task : str or None
        None for the mean.
    unit, n_units : str and int
        What is resampled, and how many there are.
    smallest, smallest_with_power : float or None
        A smaller difference is not told from none; one of the other size is found four times in
        five. Both are of one difference, before any correction.
    places : tuple
        Best score first.
    differences : tuple
        Every two rows, in the order of `places`.
    """

    task: ConfigName | None
    unit: Line
    n_units: Count
    smallest: Amount | None
    smallest_with_power: Amount | None
    places: Annotated[tuple[Placed, ...], Field(max_length=MOST_COMPARED)]
    differences: Annotated[
        tuple[Paired, ...], Field(max_length=MOST_COMPARED * (MOST_COMPARED - 1) // 2)
    ]


class Pairs(Part):
    """Paired differences between rows of a board.

    Attributes
    ----------
    why_not : str or None
        Why there are none.
    rows : tuple of int
        Those compared: of the default panel, best mean first.
    left_out : tuple of LeftOutRow
        The others.
    n_tests : int
        How many differences of tasks Holm's correction is over.
    tasks : tuple of ContestEntry
        In the order of the board's tasks.
    mean : ContestEntry or None
        None where too few tasks or models have a mean; `mean_tasks` is what it is over.
    """

    why_not: Reason | None
    rows: Annotated[tuple[Position, ...], Field(max_length=MOST_COMPARED)] = ()
    left_out: Annotated[tuple[LeftOutRow, ...], Field(max_length=MOST_REASONS)] = ()
    n_tests: Count = 0
    tasks: Annotated[tuple[ContestEntry, ...], Field(max_length=MOST_TASKS)] = ()
    mean: ContestEntry | None = None
    mean_tasks: Annotated[tuple[ConfigName, ...], Field(max_length=MOST_TASKS)] = ()
