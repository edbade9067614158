"""A task's metric on any of its items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.diagnostics.breakdown.results import Value
from evaluate_shelf.formulations import classification, multilabel, pairs
from evaluate_shelf.formulations.clustering import cluster_columns, clusters_in, members_of
from evaluate_shelf.formulations.conditional_clustering import in_classes
from evaluate_shelf.formulations.data import TaskData, checked_items
from evaluate_shelf.formulations.ranking import ranked_of
from evaluate_shelf.formulations.registry import formulation_of
from evaluate_shelf.formulations.scores import Score
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.release.documents import Documents
from evaluate_shelf.statistics.bootstrap import Units, units
from evaluate_shelf.statistics.intervals import percentile_intervals, stated_interval
from evaluate_shelf.statistics.resamples import copies_matrix
from evaluate_shelf.statistics.sums import (
    GroupSums,
    ari_sums,
    macro_f1_sums,
    mean_sums,
    multilabel_macro_f1_sums,
    observed,
    replicated,
)

Rows = NDArray[np.int64]
Sums = dict[str, GroupSums]

AGAINST_ALL = "auc_roc_against_all"
"""The area of a stratum's pairs, which have one label, against all pairs with the other one."""

_ONE_LABEL = "all pairs have one label; they stand against all pairs with the other one"


class Measured(NamedTuple):
    """Metrics of some items.

    Attributes
    ----------
    values : tuple of Value
        The task's own metric first.
    n_classes : int or None
        Distinct gold labels, where the metric is a mean over labels.
    reason : str or None
        Why a metric is not defined.
    """

    values: tuple[Value, ...]
    n_classes: int | None = None
    reason: str | None = None


class Items(NamedTuple):
    """The items of a task, and how some of them are measured.

    Attributes
    ----------
    positions : ndarray of int64, shape (n,)
        Where each stands in the test split that the task reads.
    scored : ndarray of bool, shape (n,)
        Which of them have a score: a query without a relevant document has none, and is drawn by
        a bootstrap all the same.
    unit : str
        What an interval resamples.
    n_units : callable
        From numbers of items to the number of units that they are in.
    measure : callable
        From numbers of items, in order and at least one of them scored, to their metrics.
    """

    positions: Rows
    scored: NDArray[np.bool_]
    unit: str
    n_units: Callable[[Rows], int]
    measure: Callable[[Rows], Measured]

    def among(self, positions: Rows) -> Rows:
        """Numbers of the items that stand at some positions of the test split."""
        return np.flatnonzero(np.isin(self.positions, positions))


@dataclass(frozen=True)
class PartData(TaskData):
    """As `TaskData`, with some of the test split.

    Attributes
    ----------
    whole : TaskData
        Where the test split comes from.
    rows : ndarray of int64
        Positions in it, in order.
    """

    whole: TaskData = field(kw_only=True)
    rows: Rows = field(kw_only=True)

    @cached_property
    def test(self) -> Documents:
        """The part of the test split."""
        return self.whole.test.take(self.rows.tolist())


def items_of_run(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> Items:
    """Read what a run kept of a task, checked as `shelf rescore` checks it.

    Parameters
    ----------
    task : Task
    data : TaskData
        What it read.
    items : pyarrow.Table
        The item rows that a run kept of it.
    protocol : Protocol
        What the run was made under.

    Raises
    ------
    ShelfError
        If the items are not those of the test split, or hold what no task gives.
    """
    return _READING[task.formulation](task, data, items, protocol)


def value_of(
    metric: str, value: float, replicates: NDArray[np.float64], n_units: int, level: float
) -> Value:
    """A metric with the interval that a run's score has; none for fewer than two groups.

    Parameters
    ----------
    metric, value : str and float
        Its name and the observed value.
    replicates : ndarray of float64, shape (replicates,)
        A NaN counts for none.
    n_units : int
        Number of groups.
    level : float
        Coverage.
    """
    found = percentile_intervals(replicates[:, None], level) if n_units > 1 else None
    return Value(metric, value, *(stated_interval(metric, value, found[0]) if found else ()))


def _labels(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> Items:
    documents, gold, predicted, n_labels = classification.predictions(task, data, items)

    def sums(rows: Rows, groups: Units) -> Sums:
        right = (gold[rows] == predicted[rows]).astype(np.float64)
        return {
            "macro_f1": macro_f1_sums(gold[rows], predicted[rows], n_labels, groups),
            "accuracy": mean_sums(right, groups),
        }

    positions = _positions(data, documents)
    return _grouped(task, data, protocol, positions, sums, lambda rows: len(np.unique(gold[rows])))


def _label_sets(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> Items:
    gold, scores = multilabel.label_scores(task, data, items)
    predicted = scores >= multilabel.THRESHOLD

    def sums(rows: Rows, groups: Units) -> Sums:
        return {"macro_f1": multilabel_macro_f1_sums(gold[rows], predicted[rows], groups)}

    def n_classes(rows: Rows) -> int:
        return int(gold[rows].any(axis=0).sum())

    def undefined(rows: Rows) -> str | None:
        return None if n_classes(rows) else "no document has a label"

    return _grouped(task, data, protocol, np.arange(len(gold)), sums, n_classes, undefined)


def _clusters(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> Items:
    pooled = task.formulation == "conditional_clustering"
    members = in_classes(task, data, protocol).members if pooled else members_of(task, data)
    [clusters] = clusters_in(data, items, members.positions, cluster_columns(task, protocol)[:1])
    labels = members.labels

    def sums(rows: Rows, groups: Units) -> Sums:
        return {task.primary_metric: ari_sums(labels[rows], clusters[rows], groups)}

    def n_classes(rows: Rows) -> int:
        return len(np.unique(labels[rows]))

    def undefined(rows: Rows) -> str | None:
        if n_classes(rows) == 1:
            return "all documents have one label: there is nothing to tell apart"
        if n_classes(rows) == len(rows):
            return "every label stands once, so that one cluster a document is right"
        return None

    positions = members.positions.astype(np.int64)
    return _grouped(task, data, protocol, positions, sums, n_classes, undefined)


def _rankings(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> Items:
    outcomes = formulation_of(task).outcomes
    assert outcomes is not None
    asked = ranked_of(data, items).asked
    values = outcomes(task, data, items)[asked]

    def sums(rows: Rows, groups: Units) -> Sums:
        return {task.primary_metric: mean_sums(values[rows], groups)}

    found = _grouped(task, data, protocol, asked, sums)
    return found._replace(scored=~np.isnan(values))


def _pairs(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> Items:
    checked = checked_items(data.test, items)
    positive = data.test.arrow("label").to_numpy() > 0
    every = np.arange(len(positive))

    def area(rows: Rows) -> Score:
        part = PartData(data.release, data.config, data.limit, whole=data, rows=rows)
        scores = pairs.score(task, part, checked.take(pa.array(rows)), protocol)
        return next(score for score in scores if score.metric == task.primary_metric)

    def measure(rows: Rows) -> Measured:
        labels = set(positive[rows].tolist())
        if len(labels) == 2:
            return Measured((_value_of(area(rows), task.primary_metric),))
        others = every[positive != labels.pop()]
        against = _value_of(area(np.union1d(rows, others)), AGAINST_ALL)
        return Measured((Value(task.primary_metric, None), against), reason=_ONE_LABEL)

    def n_units(rows: Rows) -> int:
        return pairs.documents_of(data.test.take(rows.tolist())).number

    return Items(every, _all(every), "document (dyadic)", n_units, measure)


def _value_of(score: Score, name: str) -> Value:
    return Value(name, score.value, score.low, score.high)


def _grouped(
    task: Task,
    data: TaskData,
    protocol: Protocol,
    positions: Rows,
    sums: Callable[[Rows, Units], Sums],
    n_classes: Callable[[Rows], int] | None = None,
    undefined: Callable[[Rows], str | None] = lambda _: None,
) -> Items:
    """Items whose metrics are functions of sums over the groups that a bootstrap draws."""
    of_all = data.test.groups
    groups = np.array([of_all[position] for position in positions], dtype=object)

    def measure(rows: Rows) -> Measured:
        number = None if n_classes is None else n_classes(rows)
        reason = undefined(rows)
        if reason is not None:
            return Measured((Value(task.primary_metric, None),), number, reason)
        own = units(groups[rows].tolist())
        return Measured(_values(sums(rows, own), own.number, task, protocol), number)

    def n_units(rows: Rows) -> int:
        return len(set(groups[rows].tolist()))

    unit = data.test.group_column or "document"
    return Items(positions, _all(positions), unit, n_units, measure)


def _all(positions: Rows) -> NDArray[np.bool_]:
    return np.ones(len(positions), dtype=np.bool_)


def _values(
    found: Mapping[str, GroupSums], n_units: int, task: Task, protocol: Protocol
) -> tuple[Value, ...]:
    settings = protocol.bootstrap
    copies = copies_matrix(
        n_units, task=task.id, seed=settings.seed, replicates=settings.replicates
    )
    replicates = replicated(list(found.values()), copies)
    return tuple(
        value_of(name, observed(one), column, n_units, settings.level)
        for (name, one), column in zip(found.items(), replicates.T, strict=True)
    )


def _positions(data: TaskData, documents: Documents) -> Rows:
    """Positions in the test split of some of its documents, which keep its order."""
    return np.flatnonzero(np.isin(data.test.rows, documents.rows))


_READING: Mapping[str, Callable[[Task, TaskData, pa.Table, Protocol], Items]] = {
    "classification": _labels,
    "multilabel_classification": _label_sets,
    "clustering": _clusters,
    "conditional_clustering": _clusters,
    "retrieval": _rankings,
    "instruction_retrieval": _rankings,
    "pair_classification": _pairs,
}
