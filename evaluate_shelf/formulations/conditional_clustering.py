"""Clustering inside each class of the Library of Congress, pooled and class by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from evaluate_shelf.clusters.conditional import conditional_labels, skipped_classes
from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations.clustering import (
    Members,
    Numbers,
    adjusted_rand,
    cluster_items,
    clusters_in,
    entropy_metrics,
    kmeans_columns,
    kmeans_seeds,
    members_of,
    unit_vectors,
    with_intervals,
)
from evaluate_shelf.formulations.controls import mean_under_shuffling
from evaluate_shelf.formulations.data import TaskData, labels_of
from evaluate_shelf.formulations.scores import Score
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task

_CLASS_FIELD = "lcc_code"


class InClasses(NamedTuple):
    """The test documents that are part of a task, each with its class.

    Attributes
    ----------
    members : Members
        Those that have the task's label and whose class is not skipped.
    classes : ndarray of int, shape (n,)
        Number of each one's class.
    n_skipped : int
        How many classes are skipped.
    """

    members: Members
    classes: Numbers
    n_skipped: int


def predict(task: Task, data: TaskData, work: Workspace) -> pa.Table:
    """Cluster the unit vectors of each class by themselves, with k-means.

    A class is clustered into as many clusters as labels occur in it. One with too few documents
    or labels for the protocol is skipped.

    Returns
    -------
    pyarrow.Table
        As of `clustering.predict`; no two classes share a cluster's number, and the cluster is
        null for documents without a label and for those of a skipped class.
    """
    protocol = work.protocol
    members, classes, _ = in_classes(task, data, protocol)
    vectors = unit_vectors(data, work, members.positions)
    with work.notes.stage("cluster"):
        found = conditional_labels(
            vectors, classes, members.labels, kmeans_seeds(protocol), protocol.kmeans
        )
    columns = {f"cluster_seed_{seed}": clusters for seed, clusters in found.items()}
    return cluster_items(data, work, members.positions, columns)


def score(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> list[Score]:
    """Agreement over all classes together, with an interval, and the mean over classes."""
    within = in_classes(task, data, protocol)
    clusters = clusters_in(data, items, within.members.positions, kmeans_columns(protocol))
    found = _agreement(within, clusters)
    return with_intervals(task, data, protocol, within.members, clusters, found)


def chance(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> dict[str, float]:
    """The same metrics with clusters dealt out anew inside each class.

    What a class alone tells of the label stays in, so that chance is what clusters get that tell
    nothing beyond it.
    """
    within = in_classes(task, data, protocol)
    clusters = clusters_in(data, items, within.members.positions, kmeans_columns(protocol))
    by_class = np.argsort(within.classes, kind="stable")

    def shuffled(random: np.random.Generator) -> dict[str, float]:
        dealt = random.permutation(len(by_class))
        source = np.empty_like(dealt)
        source[by_class] = dealt[np.argsort(within.classes[dealt], kind="stable")]
        return _agreement(within, [column[source] for column in clusters])

    return mean_under_shuffling(task, protocol, shuffled)


def in_classes(task: Task, data: TaskData, protocol: Protocol) -> InClasses:
    """Give the documents that have a label and whose class is not skipped.

    Raises
    ------
    UnsupportedError
        If there is none.
    """
    all_members = members_of(task, data)
    names = labels_of(data.test, _CLASS_FIELD)
    classes = np.unique(names, return_inverse=True)[1][all_members.positions]
    skipped = skipped_classes(classes, all_members.labels, protocol.conditional)
    kept = ~np.isin(classes, skipped)
    if not kept.any():
        rule = protocol.conditional
        raise UnsupportedError(
            f"no class has {rule.min_documents} test documents with a {task.label_field} "
            f"and {rule.min_labels} different ones"
        )
    labels = all_members.labels[kept]
    members = Members(all_members.positions[kept], labels, len(np.unique(labels)))
    return InClasses(members, classes[kept], len(skipped))


def _agreement(within: InClasses, clusters: Sequence[Numbers]) -> dict[str, float]:
    labels, first = within.members.labels, clusters[0]
    parts = [np.flatnonzero(within.classes == number) for number in np.unique(within.classes)]
    of_seeds = [adjusted_rand(labels, column) for column in clusters[1:]]
    of_classes = [
        (adjusted_rand(labels[rows], first[rows]), entropy_metrics(labels[rows], first[rows]))
        for rows in parts
    ]
    return {
        "ari_pooled": adjusted_rand(labels, first),
        "ari_pooled_median_of_seeds": float(np.median(of_seeds)),
        "ari_macro": float(np.mean([ari for ari, _ in of_classes])),
        "v_measure_pooled": entropy_metrics(labels, first)["v_measure"],
        "v_measure_macro": float(np.mean([metrics["v_measure"] for _, metrics in of_classes])),
        "n_classes_skipped": float(within.n_skipped),
    }
