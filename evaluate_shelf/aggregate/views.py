"""What the rows of a board come to under a choice of tasks: means, coverage and order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from evaluate_shelf.aggregate.schema.boards import View
from evaluate_shelf.aggregate.tables import Table
from evaluate_shelf.leaderboard.boards import tasks_of_the_mean


def views_of(table: Table) -> tuple[View, ...]:
    """All views that have a score: of all tasks, by facet, by formulation, and by both.

    Parameters
    ----------
    table : Table
        The scores.
    """
    facets = list(dict.fromkeys(task.facet for task in table.tasks))
    formulations = list(dict.fromkeys(task.formulation for task in table.tasks))
    asked: list[tuple[str | None, str | None]] = [
        (None, None),
        *((facet, None) for facet in facets),
        *((None, formulation) for formulation in formulations),
        *product(facets, formulations),
    ]
    return tuple(_views(table, asked))


def first_view(table: Table) -> View:
    """The view of all tasks."""
    return next(_views(table, [(None, None)]))


def first_order(table: Table) -> list[int]:
    """Rows in the order of the view of all tasks."""
    return list(first_view(table).order)


def _views(table: Table, asked: Sequence[tuple[str | None, str | None]]) -> Iterator[View]:
    for facet, formulation in asked:
        tasks = [
            place
            for place, task in enumerate(table.tasks)
            if facet in (None, task.facet) and formulation in (None, task.formulation)
        ]
        if facet is None and formulation is None:
            tasks = [place for place in tasks if not table.tasks[place].optional] or tasks
        if tasks:
            yield _view(table, tasks, facet, formulation)


def _view(table: Table, tasks: list[int], facet: str | None, formulation: str | None) -> View:
    mean_tasks = _of_the_mean(table, tasks)
    means = _means(table, mean_tasks)
    values = table.values[:, tasks]
    coverage = (~np.isnan(values)).sum(axis=1)
    # A row without a score stands behind those that have one.
    last = np.where(np.isnan(values), np.inf, -values).tolist()
    behind = [
        (float("inf") if mean is None else -mean, -count if mean_tasks and mean is None else 0)
        for mean, count in zip(means, coverage.tolist(), strict=True)
    ]
    order = sorted(range(len(means)), key=lambda row: (*behind[row], *last[row]))
    return View(
        facet=facet,
        formulation=formulation,
        tasks=tuple(tasks),
        mean_tasks=tuple(mean_tasks),
        means=tuple(means),
        coverage=tuple(coverage.tolist()),
        order=tuple(order),
    )


def _of_the_mean(table: Table, tasks: Sequence[int]) -> list[int]:
    entering = [n for n in tasks if not (table.tasks[n].control or table.tasks[n].optional)]
    has = ~np.isnan(table.values[:, entering])
    if has[table.counted].all() and table.counted.any():
        return entering
    names = np.array(entering, dtype=object)
    chosen = tasks_of_the_mean([{str(n) for n in names[own]} for own in has[table.counted]])
    return [n for n in entering if str(n) in chosen]


def _means(table: Table, mean_tasks: Sequence[int]) -> list[float | None]:
    if not mean_tasks:
        return [None] * len(table.runs)
    # NaN, where a score is missing, stays NaN in a sum.
    totals = [sum(own) / len(own) for own in table.values[:, mean_tasks].tolist()]
    return [None if total != total else total for total in totals]
