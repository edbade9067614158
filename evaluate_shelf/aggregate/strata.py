"""Scores in parts: by the family of the generator and by the length of the text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from evaluate_shelf.aggregate.evidence import UNREADABLE, by_reason, not_given, told
from evaluate_shelf.aggregate.schema.pairs import MOST_COMPARED
from evaluate_shelf.aggregate.schema.rows import LeftOutRow
from evaluate_shelf.aggregate.schema.strata import (
    MOST_STRATA,
    Definition,
    RowStrata,
    Strata,
    TaskStrata,
)
from evaluate_shelf.aggregate.tables import Table
from evaluate_shelf.bounded import one_line
from evaluate_shelf.diagnostics.breakdown.breakdown import Breakdowns
from evaluate_shelf.diagnostics.breakdown.results import LEAST_ITEMS, Breakdown
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.settings import load_transfer

By = Literal["length", "generator"]
_BY: tuple[By, ...] = ("generator", "length")
_LONGEST_NAME = 300


def strata_of(table: Table, release: Release | None) -> Strata:
    """The scores of a board's first rows in parts, as `shelf breakdown` gives them.

    The tasks are those that rank agreement is about, as in `shelf report`: each part has resamples
    of its own, so that all tasks of many models would take hours.

    Parameters
    ----------
    table : Table
        Rows in the order of the board.
    release : Release or None
        What they were scored on; None where it was not given.

    Returns
    -------
    Strata
        What could not be read, or cannot be broken down, is named with its row.
    """
    why_not = _why_not(table, release)
    if why_not or release is None:
        return Strata(why_not=why_not, least_items=LEAST_ITEMS)
    ranked = {own.task for own in load_transfer().formulations.values()}
    rows: list[RowStrata] = []
    left_out: list[LeftOutRow] = []
    definitions: dict[tuple[str, By], str] = {}
    for row, run in enumerate(table.runs):
        if row >= MOST_COMPARED:
            left_out.append(LeftOutRow(row=row, reason=f"not among the first {MOST_COMPARED} rows"))
            continue
        tasks = [task for task in table.tasks if task.id in ranked & set(table.scores[row])]
        found, reasons = _breakdowns(run, release, tasks)
        left_out += [LeftOutRow(row=row, reason=reason) for reason in reasons]
        for own in found:
            definitions.setdefault((own.task, _by(own)), one_line(own.definition))
        if found:
            rows.append(RowStrata(row=row, parts=tuple(map(_part, found))))
    return Strata(
        why_not=None,
        least_items=LEAST_ITEMS,
        left_out=tuple(left_out),
        definitions=tuple(
            Definition(task=task, by=by, text=text) for (task, by), text in definitions.items()
        ),
        rows=tuple(rows),
    )


def _why_not(table: Table, release: Release | None) -> str | None:
    if table.reported:
        return "reported scores have no items, so they cannot be broken down"
    if table.limit is not None:
        return "smoke runs have too few items to be broken down"
    return not_given(table.runs[0]) if release is None else None


def _breakdowns(
    run: Run, release: Release, tasks: Sequence[Task]
) -> tuple[list[Breakdown], list[str]]:
    """A run's scores in parts, and why others have none, each reason once."""
    found: list[Breakdown] = []
    refused: dict[str, list[str]] = {}
    try:
        of_run = Breakdowns(run, release)
    except UNREADABLE as error:
        return [], [told(error, [run], release)]
    for by in _BY:
        for task in tasks:
            try:
                found.append(of_run.of(task, by))
            except UNREADABLE as error:
                refused.setdefault(told(error, [run], release), []).append(f"{task.id} by {by}")
    for own in found:
        if len(own.strata) > MOST_STRATA:
            more = f"the last {len(own.strata) - MOST_STRATA} of {len(own.strata)} parts"
            refused.setdefault(f"{more} have no room", []).append(f"{own.task} by {own.by}")
    return found, by_reason(refused)


def _by(found: Breakdown) -> By:
    return "length" if found.by == "length" else "generator"


def _part(found: Breakdown) -> TaskStrata:
    own_metric = [own.values[0].metric for own in found.strata if own.values]
    return TaskStrata(
        task=found.task,
        by=_by(found),
        metric=own_metric[0] if own_metric else found.metric,
        in_none=found.in_none,
        strata=tuple(
            (one_line(own.name, _LONGEST_NAME), own.n, own.value, own.low, own.high)
            for own in found.strata[:MOST_STRATA]
        ),
    )
