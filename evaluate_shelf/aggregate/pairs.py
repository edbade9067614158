"""Paired differences between the rows of a board, from what their runs kept of every item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evaluate_shelf.aggregate.evidence import UNREADABLE, not_given, told
from evaluate_shelf.aggregate.schema import RANKED, Status
from evaluate_shelf.aggregate.schema.pairs import MOST_COMPARED, ContestEntry, Paired, Pairs
from evaluate_shelf.aggregate.schema.rows import LeftOutRow
from evaluate_shelf.aggregate.tables import Table
from evaluate_shelf.bounded import one_line
from evaluate_shelf.comparison.compare import compare_models
from evaluate_shelf.comparison.entries import entries_of, named_runs
from evaluate_shelf.comparison.results import Comparison, Contest, Difference
from evaluate_shelf.evaluation.kept import check_can_be_scored, config_read, protocol_of
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.leaderboard.boards import names_of
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.members import members
from evaluate_shelf.transfer.settings import load_transfer


class Compared(NamedTuple):
    """What the items of a board's rows tell of their differences.

    Attributes
    ----------
    pairs : Pairs
        As the aggregate holds it.
    comparison : Comparison or None
        What it follows from.
    panel : tuple of int
        Rows that have a rank and are of the default panel, whether they could be compared or not.
    """

    pairs: Pairs
    comparison: Comparison | None
    panel: tuple[int, ...]

    @property
    def of_the_whole_panel(self) -> Comparison | None:
        """The comparison, if it is of all rows of the panel."""
        return self.comparison if self.pairs.rows == self.panel else None


def compared(table: Table, release: Release | None) -> Compared:
    """Compare the first rows of the default panel with each other.

    Parameters
    ----------
    table : Table
        Rows in the order of the board.
    release : Release or None
        What they were scored on; None where it was not given.

    Returns
    -------
    Compared
        With a reason in place of what could not be compared.
    """
    panel, out_by_panel = _panel(table)
    first, others = panel[:MOST_COMPARED], panel[MOST_COMPARED:]
    out_by_number = [
        LeftOutRow(row=row, reason=f"not among the first {MOST_COMPARED} rows") for row in others
    ]
    why_not = _why_not(table, release, first)
    if why_not or release is None:
        return Compared(Pairs(why_not=why_not, left_out=tuple(out_by_panel)), None, panel)
    comparison, rows, why_not, damaged = _comparison(table, first, release)
    left_out = sorted((*out_by_panel, *out_by_number, *damaged), key=lambda own: own.row)
    if comparison is None:
        return Compared(Pairs(why_not=why_not, left_out=tuple(left_out)), None, panel)
    row_of = dict(zip(names_of([table.runs[row] for row in rows]), rows, strict=True))
    mean = comparison.mean
    pairs = Pairs(
        why_not=None,
        rows=rows,
        left_out=tuple(left_out),
        n_tests=comparison.n_tests,
        tasks=tuple(_entry(own.task, own.contest, row_of) for own in comparison.tasks),
        mean=_entry(None, mean.contest, row_of) if mean else None,
        mean_tasks=mean.tasks if mean else (),
    )
    return Compared(pairs, comparison, panel)


def groups_of(pairs: Pairs) -> dict[tuple[int, str], str]:
    """Letters of tie groups, by row and task."""
    return {
        (row, contest.task): letters
        for contest in pairs.tasks
        if contest.task is not None
        for row, _, _, letters in contest.places
    }


def mean_standings(pairs: Pairs) -> dict[int, tuple[int, int, str]]:
    """By row, the places of its mean that the tests leave open, and its letters."""
    if pairs.mean is None:
        return {}
    return {row: (low, high, letters) for row, low, high, letters in pairs.mean.places}


def why_not_compared(pairs: Pairs, row: int, status: Status) -> str | None:
    """Why a row is in no paired difference; None where it is, or where there are none."""
    if pairs.why_not is not None or row in pairs.rows:
        return None
    if status not in RANKED:
        return f"{status} rows are not compared"
    found = dict.fromkeys(own.reason for own in pairs.left_out if own.row == row)
    return one_line("; ".join(found)) or "it was not compared"


def _panel(table: Table) -> tuple[tuple[int, ...], list[LeftOutRow]]:
    """Rows with a rank that the default panel has, and those that it leaves out."""
    rows = [int(row) for row in np.flatnonzero(table.ranked)]
    if not rows or table.limit is not None:
        return (), []
    found = members([table.runs[row] for row in rows], load_transfer().panel())
    kept = {id(run) for run in found.runs}
    reasons = {own.model: own.reason for own in found.left_out}
    out = [
        LeftOutRow(row=row, reason=reasons.get(table.runs[row].file.model.name, "not in the panel"))
        for row in rows
        if id(table.runs[row]) not in kept
    ]
    return tuple(row for row in rows if id(table.runs[row]) in kept), out


def _why_not(table: Table, release: Release | None, rows: Sequence[int]) -> str | None:
    if table.reported:
        return "reported scores have no items: which of these models differ is not known"
    if table.limit is not None:
        return "smoke runs are compared with nothing"
    if len(rows) < 2:
        return "fewer than two models have a rank here; there is nothing to compare"
    return not_given(table.runs[0]) if release is None else None


def _comparison(
    table: Table, rows: Sequence[int], release: Release
) -> tuple[Comparison | None, tuple[int, ...], str | None, list[LeftOutRow]]:
    """The comparison of all rows, or else of those that can be read; else why there is none."""
    try:
        return compare_models([table.runs[row] for row in rows], release), tuple(rows), None, []
    except UNREADABLE as error:
        why_not = told(error, table.runs, release)
    damaged = [
        LeftOutRow(row=row, reason=reason)
        for row in rows
        if (reason := _damage(table.runs[row], release))
    ]
    named = {own.row for own in damaged}
    kept = tuple(row for row in rows if row not in named)
    if not damaged or len(kept) < 2:
        return None, (), why_not, damaged
    try:
        return compare_models([table.runs[row] for row in kept], release), kept, None, damaged
    except UNREADABLE as error:
        return None, (), told(error, table.runs, release), damaged


def _damage(run: Run, release: Release) -> str | None:
    """Why a run's items cannot be compared; None where they can."""
    try:
        check_can_be_scored(run, release)
        protocol = protocol_of(run)
        [named] = named_runs([run], names_of([run]))
        data: dict[str, TaskData] = {}
        for task in load_tasks().values():
            if task.id in named.scores and not task.optional:
                config = config_read(run, release, task)
                read = data.setdefault(config, TaskData(release, config, run.file.limit))
                entries_of([named], task, read, protocol)
    except UNREADABLE as error:
        return told(error, [run], release)
    return None


def _entry(task: str | None, contest: Contest, row_of: Mapping[str, int]) -> ContestEntry:
    return ContestEntry(
        task=task,
        unit=contest.unit,
        n_units=contest.n_units,
        smallest=contest.smallest_difference,
        smallest_with_power=contest.smallest_difference_with_power,
        places=tuple(
            (row_of[own.model], own.place_low, own.place_high, " ".join(own.groups))
            for own in contest.standings
        ),
        differences=tuple(_difference(own, row_of) for own in contest.differences),
    )


def _difference(own: Difference, row_of: Mapping[str, int]) -> Paired:
    ends = (row_of[own.first], row_of[own.second])
    return (*ends, own.value, own.low, own.high, own.p_holm, int(own.told_apart))
