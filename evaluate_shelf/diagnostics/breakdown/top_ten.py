"""What relation the first ten documents of a ranking have to their query."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.counts import counted
from evaluate_shelf.diagnostics.breakdown.relations import RELATIONS, Ladder, missing_note
from evaluate_shelf.diagnostics.breakdown.results import LEAST_ITEMS, TOO_FEW, Stratum, Value
from evaluate_shelf.diagnostics.breakdown.subsets import Items
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.formulations.ranking import ranked_of
from evaluate_shelf.formulations.relevance import relevance_of, relevant
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.statistics.bootstrap import bootstrap_mean_intervals, units
from evaluate_shelf.statistics.streams import stream

METRICS = ("share_of_first_ten", "share_of_errors", "share_by_chance")

DEFINITION = (
    "relation of each of the first ten documents to its query, the first that holds; an error is "
    "one of them that is not relevant for the task. share_of_first_ten is the mean over queries, "
    "share_of_errors the part of all errors that have the relation, share_by_chance the part of "
    "documents drawn at random for the same queries"
)

_FIRST = 10
_DRAWN = 100
"""Documents drawn at random for each query."""


def relation_strata(
    task: Task, data: TaskData, items: pa.Table, scored: Items, protocol: Protocol
) -> tuple[tuple[Stratum, ...], tuple[str, ...]]:
    """How often each relation stands among the first ten, and how often it is an error.

    Parameters
    ----------
    task, data, items, protocol
        As for `subsets.items_of_run`; a retrieval.
    scored : Items
        The queries that were asked; those without a score are left out.

    Returns
    -------
    tuple of Stratum
        One for each relation. Its items are the documents among the first ten that have it.
    tuple of str
        What to know.
    """
    ranked = ranked_of(data, items)
    answered = scored.scored
    queries = ranked.asked[answered]
    first = ranked.position[answered][:, :_FIRST]
    ladder = Ladder(data.test.table, data.corpus.table)
    relation = ladder.of(first, queries)
    relevance = relevance_of(task, data.test.table, data.corpus.table)
    wrong = ~relevant(relevance.of(queries), first)
    each = relation[:, :, None] == np.arange(len(RELATIONS))
    counts = each.sum(axis=1)
    errors = (each & wrong[:, :, None]).sum(axis=1)
    intervals = _intervals(task, data, queries, counts / first.shape[1], errors, protocol)
    by_chance = _by_chance(task, data, ladder, queries, protocol)
    of_all = data.test.groups
    groups = np.array([of_all[query] for query in queries], dtype=object)
    unit = data.test.group_column or "document"
    strata = []
    for number, name in enumerate(RELATIONS):
        n = int(counts[:, number].sum())
        n_units = len(set(groups[counts[:, number] > 0].tolist()))
        if n < LEAST_ITEMS:
            strata.append(Stratum(name, n, unit, n_units, reason=TOO_FEW))
            continue
        total = int(errors.sum())
        share = float((counts[:, number] / first.shape[1]).mean())
        of_errors = float(errors[:, number].sum() / total) if total else None
        values = (
            Value(METRICS[0], share, *intervals[0][number]),
            Value(METRICS[1], of_errors, *intervals[1][number]),
            Value(METRICS[2], float(by_chance[number])),
        )
        strata.append(Stratum(name, n, unit, n_units, None, values))
    asked = counted(len(queries), "query", "queries")
    n_errors = counted(int(errors.sum()), "error")
    notes = (
        f"{asked}, {counted(first.shape[1], 'document')} each, {n_errors}",
        f"share_by_chance is estimated from {_DRAWN} documents a query, drawn with replacement",
        *missing_note(ladder.absent),
    )
    return tuple(strata), notes


Bounds = tuple[float | None, float | None]


def _intervals(
    task: Task,
    data: TaskData,
    queries: NDArray[np.int64],
    shares: NDArray[np.float64],
    errors: NDArray[np.int64],
    protocol: Protocol,
) -> tuple[list[Bounds], list[Bounds]]:
    """Intervals of each relation's share of the first ten, and of its share of the errors."""
    n = len(RELATIONS)
    of_all = data.test.groups
    settings = protocol.bootstrap
    matrix = np.concatenate([shares, errors, errors.sum(axis=1, keepdims=True)], axis=1)

    def of_means(means: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([means[:, :n], means[:, n:-1] / means[:, -1:]], axis=1)

    without_errors = not errors.any()
    found = bootstrap_mean_intervals(
        matrix if not without_errors else shares,
        units([of_all[query] for query in queries]),
        task=task.id,
        seed=settings.seed,
        replicates=settings.replicates,
        level=settings.level,
        of_means=(lambda means: means) if without_errors else of_means,
    )
    none: list[Bounds] = [(None, None)] * n
    if found is None:
        return none, none
    return [*found[:n]], none if without_errors else [*found[n:]]


def _by_chance(
    task: Task,
    data: TaskData,
    ladder: Ladder,
    queries: NDArray[np.int64],
    protocol: Protocol,
) -> NDArray[np.float64]:
    """Share of each relation among documents drawn at random, shape (n_relations,)."""
    draws = stream(protocol.bootstrap.seed, task.id, "relations by chance")
    position = draws.integers(len(data.corpus), size=(len(queries), _DRAWN))
    counts = np.bincount(ladder.of(position, queries).ravel(), minlength=len(RELATIONS))
    shares: NDArray[np.float64] = counts / counts.sum()
    return shares
