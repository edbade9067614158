"""The rows of a board: who stands for each, and its scores."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from evaluate_shelf.aggregate.schema.values import (
    MOST_TASKS,
    Amount,
    Flag,
    Groups,
    Number,
    Part,
    Position,
    Rank,
    Score,
    Share,
    check_positions,
)
from evaluate_shelf.bounded import Line, Reason

Status = Literal["computed", "verified", "unverified", "reported"]
"""Who stands for a row.

`computed` by those who hold the results; `verified`: sent in, and run again with the same
outcome; `unverified`: sent in, consistent with its items, run again by nobody; `reported`:
published elsewhere, without items.
"""

RANKED: frozenset[Status] = frozenset({"computed", "verified"})
"""Rows that have ranks, and that decide which tasks a mean is over."""

FactsFrom = Literal["run", "re-run", "nobody", "claim", "report"]
"""Whose word the rate, machine, costs and sizes of a row are.

`run`: measured in the run itself, by those who hold the results; `re-run`: measured when a run that
was sent in was run again; `nobody`: of a verified run whose re-run's measurements were not
kept, so that they are left out; `claim`: of whoever sent the run; `report`: published elsewhere.
"""

Scored: TypeAlias = tuple[
    Score, Score | None, Score | None, Rank | None, Flag, Groups, Score | None
]
"""Value, low, high, rank, whether the rank is shared, letters of tie groups, and the chance level:
what shuffled labels gave in the same run."""
Absent: TypeAlias = tuple[Position]
"""Position in `Board.reasons` of why there is no score."""
Cell: TypeAlias = Scored | Absent


class Row(Part):
    """A model's scores on the tasks of a board.

    Attributes
    ----------
    model : int
        Position in `Aggregate.models`.
    name : str
        As it stands on this board: with the run's id where two runs have one name.
    run_id : str or None
        None for a reported row.
    status : str
        Who stands for it.
    facts_from : str
        Whose word the following are.
    documents_per_second, rate_low, rate_high, machine, money_usd, cut_share
        As in `facts.Facts`.
    seen : str
        Whether it may have seen the documents in training: a key of `contamination.seen.MEANINGS`.
    cells : tuple
        One a task of the board.
    mean_standing : tuple of int, int and str, or None
        The best and the worst place that the tests of the mean leave open, and its letters; None
        where its mean was not compared.
    not_compared : str or None
        Why the row is in no paired difference of its board; None where it is, or where the board
        has none.
    flagged : str or None
        What a maintainer looked at in a run that was sent in, and accepted: equal answers, say.
    """

    model: Position
    name: Reason
    run_id: Line | None
    status: Status
    facts_from: FactsFrom
    documents_per_second: Amount | None
    rate_low: Number | None
    rate_high: Number | None
    machine: Reason | None
    money_usd: Amount | None
    cut_share: Share | None
    seen: Literal[
        "out of sample by date",
        "may have seen",
        "unknown",
        "in pretraining data",
        "no pretraining",
    ]
    cells: Annotated[tuple[Cell, ...], Field(max_length=MOST_TASKS)]
    mean_standing: tuple[Rank, Rank, Groups] | None = None
    not_compared: Reason | None = None
    flagged: Reason | None = None


class LeftOutRow(Part):
    """A row that a part leaves out, and why."""

    row: Position
    reason: Reason


def check_cells(row: Row, n_reasons: int) -> None:
    """Refuse reasons that are not there, half an interval, and a rank of a row that has none."""
    if row.status not in RANKED and row.mean_standing is not None:
        raise ValueError(f"a row that is {row.status} must have no place")
    for cell in row.cells:
        if len(cell) == 1:
            check_positions(cell, n_reasons, "reason")
            continue
        _, low, high, *_ = cell
        if (low is None) != (high is None) or (low is not None and high is not None and low > high):
            raise ValueError("an interval must have both ends, the lower one first")
        if row.status not in RANKED and (cell[3] is not None or cell[5]):
            raise ValueError(f"a row that is {row.status} must have no rank and no group")
