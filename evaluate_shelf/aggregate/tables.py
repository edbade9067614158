"""The scores of a board as arrays, a row a run and a column a task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.aggregate.schema import RANKED, Status
from evaluate_shelf.leaderboard.boards import names_of
from evaluate_shelf.registry.tasks import Task, load_tasks
from evaluate_shelf.runs.reading import Run

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Table:
    """Runs that can be compared, with their primary scores.

    Attributes
    ----------
    runs, statuses, names : tuple
        One a row.
    scores : tuple of dict
        One a row: rows of `scores.parquet` with the primary metric, by task.
    tasks : tuple of Task
        The columns: those that a run has a score on, in the registry's order.
    values, low, high : ndarray of float64, shape (n_runs, n_tasks)
        NaN where there is none.
    """

    runs: tuple[Run, ...]
    statuses: tuple[Status, ...]
    names: tuple[str, ...]
    scores: tuple[dict[str, dict[str, Any]], ...]
    tasks: tuple[Task, ...]
    values: Floats
    low: Floats
    high: Floats

    @property
    def reported(self) -> str | None:
        """Who reported the scores, where they were not computed."""
        return self.runs[0].reported

    @property
    def limit(self) -> int | None:
        """Documents a split of smoke runs."""
        return self.runs[0].file.limit

    @property
    def ranked(self) -> Flags:
        """Rows that have ranks, shape (n_runs,)."""
        return np.array([status in RANKED for status in self.statuses], dtype=bool)

    @property
    def counted(self) -> Flags:
        """Rows that decide what a mean is over, shape (n_runs,): all but unverified ones."""
        return np.array([status != "unverified" for status in self.statuses], dtype=bool)

    def taken(self, order: Sequence[int]) -> Table:
        """The same rows in another order."""
        return Table(
            tuple(self.runs[n] for n in order),
            tuple(self.statuses[n] for n in order),
            tuple(self.names[n] for n in order),
            tuple(self.scores[n] for n in order),
            self.tasks,
            *(own[list(order)] for own in (self.values, self.low, self.high)),
        )


def table_of(runs: Sequence[Run], status_of: Callable[[Run], Status]) -> Table | None:
    """The table of runs of one board; None where they have no score on a task that is known.

    Parameters
    ----------
    runs : sequence of Run
        One group of `leaderboard.boards.comparable`.
    status_of : callable
        Who stands for a run.
    """
    scores = tuple(run.primary_scores() for run in runs)
    tasks = tuple(task for task in load_tasks().values() if any(task.id in own for own in scores))
    if not tasks:
        return None
    columns = [
        np.array(
            [[_number(own.get(task.id), name) for task in tasks] for own in scores],
            dtype=np.float64,
        )
        for name in ("value", "low", "high")
    ]
    statuses = tuple(map(status_of, runs))
    return Table(tuple(runs), statuses, tuple(_names(runs, statuses)), scores, tasks, *columns)


def _names(runs: Sequence[Run], statuses: Sequence[Status]) -> list[str]:
    """Names on the board: an unverified row of the same name changes nobody's."""
    sure = [run for run, status in zip(runs, statuses, strict=True) if status != "unverified"]
    known = dict(zip(map(id, sure), names_of(sure), strict=True))
    often = Counter(run.file.model.name for run in runs)
    return [
        known.get(id(run))
        or (
            f"{run.file.model.name} (run {run.file.run_id})"
            if often[run.file.model.name] > 1
            else run.file.model.name
        )
        for run in runs
    ]


def ranks(table: Table) -> tuple[NDArray[np.int64], Flags]:
    """Ranks by intervals, and which of them are shared.

    A rank is one more than the number of models whose interval lies wholly above, as
    `leaderboard.boards` has it; here by sorting, since a board may have a thousand rows.

    Returns
    -------
    tuple of ndarray of int64 and of bool, shape (n_runs, n_tasks)
        A rank of 0 stands for none.
    """
    found = np.zeros(table.values.shape, dtype=np.int64)
    shared = np.zeros(table.values.shape, dtype=bool)
    low = np.where(np.isnan(table.low), table.values, table.low)
    high = np.where(np.isnan(table.high), table.values, table.high)
    for column in range(len(table.tasks)):
        rows = np.flatnonzero(table.ranked & ~np.isnan(table.values[:, column]))
        lows = np.sort(low[rows, column])
        own = 1 + len(lows) - np.searchsorted(lows, high[rows, column], side="right")
        _, which, counts = np.unique(own, return_inverse=True, return_counts=True)
        found[rows, column] = own
        shared[rows, column] = counts[which] > 1
    return found, shared


def _number(row: dict[str, Any] | None, name: str) -> float:
    value = row[name] if row else None
    return float("nan") if value is None else float(value)
