"""A panel's scores, read once: on a task, and on two tasks side by side."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.leaderboard.boards import comparable, names_of
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.agreement import Agreement, agreement
from evaluate_shelf.transfer.settings import Resampling


class PanelScore(NamedTuple):
    """A model's primary score on a task.

    Attributes
    ----------
    model : str
        Its name, with the run's id where two runs have one name.
    value : float
        The score.
    low, high : float or None
        Its interval.
    control : float or None
        What the shuffled labels gave.
    """

    model: str
    value: float
    low: float | None
    high: float | None
    control: float | None

    @property
    def width(self) -> float | None:
        """Width of the interval; None without one."""
        return None if self.low is None or self.high is None else self.high - self.low


class PanelRuns(NamedTuple):
    """Runs that can be compared, with the primary scores of each by task."""

    runs: tuple[Run, ...]
    names: tuple[str, ...]
    rows: tuple[dict[str, dict[str, Any]], ...]


def panel_runs(runs: Sequence[Run]) -> PanelRuns:
    """Read the primary scores of runs.

    Raises
    ------
    ShelfError
        If they are of several boards: releases, configs, protocols, limits, or reported and
        computed ones.
    """
    boards = comparable(runs)
    if len(boards) > 1:
        one, other = (group[0].folder for group in boards[:2])
        raise ShelfError(
            f"a card is of runs that can be compared; these are of {len(boards)} boards, as {one} "
            f"and {other} are; give the runs of one release, config, protocol and limit"
        )
    rows = tuple(run.primary_scores() for run in runs)
    return PanelRuns(tuple(runs), tuple(names_of(runs)), rows)


def panel_scores(panel: PanelRuns, task: Task) -> tuple[PanelScore, ...]:
    """The scores on a task that are defined, best first; equal ones in the order of the names."""
    found = [
        PanelScore(name, row["value"], row["low"], row["high"], row["chance_level"])
        for name, rows in zip(panel.names, panel.rows, strict=True)
        if (row := rows.get(task.id)) is not None and _is_defined(row)
    ]
    return tuple(sorted(found, key=lambda score: (-score.value, score.model)))


class Unscored(NamedTuple):
    """A model that ran a task and has no defined score on it.

    Attributes
    ----------
    model : str
        Its name.
    run : str
        The folder of its run.
    why : str
        What happened.
    """

    model: str
    run: str
    why: str


def unscored(panel: PanelRuns, task: Task) -> tuple[Unscored, ...]:
    """The models that ran a task and have no defined score on it, in the order of the runs.

    A model that skips a task has not run it: that says nothing about the task.
    """
    found = []
    for run, name, rows in zip(panel.runs, panel.names, panel.rows, strict=True):
        why = _why_undefined(run, rows, task)
        if why:
            found.append(Unscored(name, str(run.folder), why))
    return tuple(found)


def _why_undefined(run: Run, rows: dict[str, dict[str, Any]], task: Task) -> str | None:
    if task.id in rows:
        return None if _is_defined(rows[task.id]) else "its score is not defined"
    record = run.file.tasks.get(task.id)
    if record is None or record.status == "skipped":
        return None
    return f"failed: {record.reason}" if record.status == "failed" else "it ran and gave no score"


Agreements = Callable[[Task, Task], Agreement]
"""How far two tasks put the models that have both into one order."""


def agreements(panel: PanelRuns, resampling: Resampling) -> Agreements:
    """Rank correlations between the tasks of a panel, each pair computed once and when asked for.

    Parameters
    ----------
    panel : PanelRuns
        The scores.
    resampling : Resampling
        How an interval is made.
    """

    @functools.cache
    def between(first: str, second: str) -> Agreement:
        both = [
            (rows[first]["value"], rows[second]["value"])
            for rows in panel.rows
            if all(task in rows and _is_defined(rows[task]) for task in (first, second))
        ]
        x, y = np.array(both, dtype=np.float64).reshape(-1, 2).T
        return agreement(
            x, y, seed=resampling.seed, replicates=resampling.replicates, level=resampling.level
        )

    # The same either way round.
    return lambda first, second: between(*sorted((first.id, second.id)))


def _is_defined(row: dict[str, Any]) -> bool:
    return row["value"] is not None and math.isfinite(row["value"])
