"""What a run's items say of a task, as its primary metric takes it.

The items are checked against the release as `shelf rescore` checks them. Most metrics are functions
of sums over the groups that a bootstrap draws; the area under the ROC curve of pairs is not, since
two pairs may share a document, and comes with each pair's influence instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.errors import ItemsError
from evaluate_shelf.evaluation.scoring import outcomes_of
from evaluate_shelf.formulations import classification, multilabel, pairs
from evaluate_shelf.formulations.clustering import cluster_columns, clusters_in, members_of
from evaluate_shelf.formulations.conditional_clustering import in_classes
from evaluate_shelf.formulations.data import TaskData, checked_items
from evaluate_shelf.metrics.estimates import Estimate
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.statistics.bootstrap import units
from evaluate_shelf.statistics.sums import (
    GroupSums,
    ari_sums,
    macro_f1_sums,
    mean_sums,
    multilabel_macro_f1_sums,
    observed,
)


class Grouped(NamedTuple):
    """A metric of items that are drawn in groups.

    Attributes
    ----------
    sums : GroupSums
        The metric as a function of sums over groups. The models of a task have the same groups.
    scored : ndarray of bool, shape (n_items,)
        Which items have an outcome; a model may not have been asked every query.
    n_units : int
        Number of groups with a scored item.
    """

    sums: GroupSums
    scored: NDArray[np.bool_]
    n_units: int

    @property
    def value(self) -> float:
        """The metric of all items."""
        return observed(self.sums)


class Paired(NamedTuple):
    """A metric of pairs of documents.

    Attributes
    ----------
    estimate : Estimate
        Its value and each pair's influence on it.
    documents : PairDocuments
        What the pairs are made of: pairs that share a document are not independent.
    """

    estimate: Estimate
    documents: pairs.PairDocuments

    @property
    def value(self) -> float:
        """The metric of all pairs."""
        return self.estimate.value

    @property
    def n_units(self) -> int:
        """Number of documents in the pairs."""
        return self.documents.number


Outcomes: TypeAlias = Grouped | Paired


def outcomes_of_items(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> Outcomes:
    """Read what items say of a task's primary metric.

    Parameters
    ----------
    task : Task
        A task that this version scores.
    data : TaskData
        What it read.
    items : pyarrow.Table
        The item rows that a run kept of it.
    protocol : Protocol
        What the run was made under.

    Returns
    -------
    Grouped or Paired
        In the order of the task's items, so that those of several models can be set side by side.

    Raises
    ------
    ItemsError
        If the items are not those of the test split, or hold what no task gives.
    """
    return _READING[task.formulation](task, data, items, protocol)


def _of_labels(task: Task, data: TaskData, items: pa.Table, _: Protocol) -> Grouped:
    documents, gold, predicted, n_labels = classification.predictions(task, data, items)
    groups = units(documents.groups)
    sums = macro_f1_sums(gold, predicted, n_labels, groups)
    return Grouped(sums, np.ones(len(gold), dtype=bool), groups.number)


def _of_label_sets(task: Task, data: TaskData, items: pa.Table, _: Protocol) -> Grouped:
    gold, scores = multilabel.label_scores(task, data, items)
    predicted = scores >= multilabel.THRESHOLD
    groups = units(data.test.groups)
    sums = multilabel_macro_f1_sums(gold, predicted, groups)
    return Grouped(sums, np.ones(len(gold), dtype=bool), groups.number)


def _of_clusters(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> Grouped:
    within_classes = task.formulation == "conditional_clustering"
    members = in_classes(task, data, protocol).members if within_classes else members_of(task, data)
    # The score is that of the first column; the others are of the seeds whose median stands by it.
    column = cluster_columns(task, protocol)[0]
    [clusters] = clusters_in(data, items, members.positions, [column])
    of_all = data.test.groups
    groups = units([of_all[position] for position in members.positions])
    sums = ari_sums(members.labels, clusters, groups)
    return Grouped(sums, np.ones(len(clusters), dtype=bool), groups.number)


def _of_rankings(task: Task, data: TaskData, items: pa.Table, _: Protocol) -> Grouped:
    kept = checked_items(data.test, items)["outcome"].combine_chunks()
    # What is resampled follows from the rankings themselves, whatever the column says.
    if not kept.equals(outcomes_of(task, data, items)):
        raise ItemsError("the items' outcomes are not those that follow from their rankings")
    values = kept.to_numpy(zero_copy_only=False)
    scored = ~np.isnan(values)
    if not scored.any():
        raise ItemsError("the run's items hold no outcome at all")
    groups = units(data.test.groups)
    return Grouped(mean_sums(values, groups), scored, len(np.unique(groups.of_item[scored])))


def _of_pairs(task: Task, data: TaskData, items: pa.Table, _: Protocol) -> Paired:
    estimate = pairs.estimates_of(task, data, items)[task.primary_metric]
    return Paired(estimate, pairs.documents_of(data.test))


_READING: dict[str, Callable[[Task, TaskData, pa.Table, Protocol], Outcomes]] = {
    "classification": _of_labels,
    "multilabel_classification": _of_label_sets,
    "clustering": _of_clusters,
    "conditional_clustering": _of_clusters,
    "retrieval": _of_rankings,
    "instruction_retrieval": _of_rankings,
    "pair_classification": _of_pairs,
}
