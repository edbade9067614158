"""Clustering of the test split: k-means, HDBSCAN or agglomerative."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.clusters.agglomerative import agglomerative_labels
from evaluate_shelf.clusters.hdbscan import NOISE, hdbscan_labels
from evaluate_shelf.clusters.kmeans import kmeans_labels
from evaluate_shelf.errors import ItemsError, ShelfError, UnsupportedError
from evaluate_shelf.formulations.controls import mean_under_shuffling
from evaluate_shelf.formulations.data import (
    TaskData,
    checked_items,
    items_of,
    label_names,
    labels_of,
    numbered,
)
from evaluate_shelf.formulations.regions import REGION_FIELD, regions_of
from evaluate_shelf.formulations.scores import Score, bootstrapped
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.metrics.clustering import (
    adjusted_rand_index,
    contingency_table,
    entropies,
    pair_counts,
    squares_in_groups,
    without_repeated_groups,
)
from evaluate_shelf.models.ordering import normalised
from evaluate_shelf.models.protocol import Vectors
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.statistics.bootstrap import units

Numbers = NDArray[np.intp]

_ONLY_COLUMN = "cluster"


class Members(NamedTuple):
    """The test documents that are part of a task.

    Attributes
    ----------
    positions : ndarray of int, shape (n,)
        Where each stands in the test split.
    labels : ndarray of int, shape (n,)
        Number of its label.
    n_labels : int
        How many labels occur.
    """

    positions: Numbers
    labels: Numbers
    n_labels: int


def predict(task: Task, data: TaskData, work: Workspace) -> pa.Table:
    """Cluster the test split's unit vectors into as many clusters as labels occur.

    HDBSCAN finds the number of clusters by itself. k-means is done once for each of the
    protocol's seeds.

    Returns
    -------
    pyarrow.Table
        A row a test document: its cluster under each seed, or its one cluster, -1 where HDBSCAN
        takes it for noise, null where it has no label and so no part in the task. `outcome` is
        null, since the adjusted Rand index is no mean over items.
    """
    members = members_of(task, data)
    vectors = unit_vectors(data, work, members.positions)
    with work.notes.stage("cluster"):
        columns = _clustered(task, data, work, members, vectors)
    return cluster_items(data, work, members.positions, columns)


def score(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> list[Score]:
    """Agreement of clusters and labels, the adjusted Rand index with an interval.

    V-measure and its relatives get none: two copies of a document agree with each other, which
    raises them in every resample, and no rule takes that out of an entropy. HDBSCAN's noise is
    scored as one cluster. Were each document of it one of its own, a model all of whose documents
    are noise would get a V-measure far above zero; as one cluster, it gets zero throughout.
    """
    members = members_of(task, data)
    clusters = clusters_in(data, items, members.positions, cluster_columns(task, protocol))
    found = _agreement(task, members, clusters)
    return with_intervals(task, data, protocol, members, clusters, found)


def chance(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> dict[str, float]:
    """The same metrics with clusters dealt out to the documents anew, the mean of several times."""
    members = members_of(task, data)
    clusters = clusters_in(data, items, members.positions, cluster_columns(task, protocol))

    def shuffled(random: np.random.Generator) -> dict[str, float]:
        dealt = random.permutation(len(members.labels))
        return _agreement(task, members, [column[dealt] for column in clusters])

    return mean_under_shuffling(task, protocol, shuffled)


def members_of(task: Task, data: TaskData) -> Members:
    """The test documents that have the task's label.

    Only a region may be absent: where a document's places lie in none, or in several.

    Raises
    ------
    UnsupportedError
        If the config does not have the label, or no document has one.
    """
    if task.label_field != REGION_FIELD:
        given: Sequence[str | None] = labels_of(data.test, task.label_field)
    else:
        given = regions_of(data.test, data.taxonomy)
    positions = np.flatnonzero([label is not None for label in given])
    if not len(positions):
        raise UnsupportedError(f"no test document has a {task.label_field}")
    labels = [label for label in given if label is not None]
    names = label_names(labels, f"config {data.config!r}, test split")
    if len(names) == len(labels):
        raise UnsupportedError(
            f"config {data.config!r}, test split: every {task.label_field} stands once, so that "
            "one cluster a document is right by construction"
        )
    return Members(positions, numbered(labels, names), len(names))


def unit_vectors(data: TaskData, work: Workspace, positions: Numbers) -> Any:
    """Unit vectors of some of the test documents, dense or sparse as the model gives them."""
    from scipy.sparse import issparse

    vectors = work.document_vectors(data, fit_on=["test"])["test"]
    chosen = vectors[positions] if len(positions) < len(data.test) else vectors
    if issparse(chosen):
        from sklearn.preprocessing import normalize

        return normalize(chosen)
    return normalised(np.asarray(chosen))


def kmeans_columns(protocol: Protocol) -> list[str]:
    """Item columns of k-means: the seed of the score, then those of the median."""
    seeds = (protocol.kmeans.seed, *protocol.kmeans.median_seeds)
    return [f"cluster_seed_{seed}" for seed in seeds]


def cluster_columns(task: Task, protocol: Protocol) -> list[str]:
    """Item columns of a task's clusters, that of its score first."""
    return kmeans_columns(protocol) if task.algorithm == "kmeans" else [_ONLY_COLUMN]


def kmeans_seeds(protocol: Protocol) -> list[int]:
    """Each seed of the protocol's k-means once."""
    return sorted({protocol.kmeans.seed, *protocol.kmeans.median_seeds})


def cluster_items(
    data: TaskData, work: Workspace, positions: Numbers, columns: Mapping[str, NDArray[np.int32]]
) -> pa.Table:
    """Item rows with clusters for some of the test documents and null for the others."""
    n = len(data.test)
    work.notes.left_out = n - len(positions)
    absent = np.ones(n, dtype=bool)
    absent[positions] = False
    arrays: dict[str, pa.Array] = {}
    for name, clusters in columns.items():
        if clusters.max() > np.iinfo(np.int16).max:
            raise ShelfError(f"{clusters.max() + 1:,} clusters are more than a run can hold")
        all_rows = np.zeros(n, dtype=np.int16)
        all_rows[positions] = clusters
        arrays[name] = pa.array(all_rows, pa.int16(), mask=absent)
    arrays["outcome"] = pa.nulls(n, pa.float64())
    return items_of(data.test, arrays)


def clusters_in(
    data: TaskData, items: pa.Table, positions: Numbers, columns: Sequence[str]
) -> list[Numbers]:
    """Clusters of the task's documents, as the items have them.

    Raises
    ------
    ItemsError
        If a document of the task has no cluster, or another document has one.
    """
    checked = checked_items(data.test, items)
    part = np.zeros(len(data.test), dtype=bool)
    part[positions] = True
    found = []
    for name in columns:
        given = checked[name].combine_chunks()
        wrong = np.flatnonzero(part != np.asarray(given.is_valid()))
        if len(wrong):
            has = "no" if part[wrong[0]] else "a"
            raise ItemsError(f"the run's items, row {wrong[0]}, field {name!r}: has {has} cluster")
        found.append(given.drop_null().to_numpy().astype(np.intp))
    return found


def with_intervals(
    task: Task,
    data: TaskData,
    protocol: Protocol,
    members: Members,
    clusters: Sequence[Numbers],
    found: Mapping[str, float],
) -> list[Score]:
    """Give the adjusted Rand indices that come first in `found` their intervals, the rest none.

    Parameters
    ----------
    task, data, protocol
        As for `score`.
    members : Members
        The documents that are scored.
    clusters : sequence of ndarray of int, shape (n,)
        Of the score; where there are more, of the seeds whose median stands beside it.
    found : mapping of str to float
        The metrics: that of the first clustering, the median of the others where there are
        others, then those without an interval.
    """
    all_groups = data.test.groups
    groups = [all_groups[position] for position in members.positions]
    aris = _resampled_aris(members.labels, clusters, groups)
    n_bounded = min(len(clusters), 2)

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        values = aris(weights)
        return np.array([values[0], *([np.median(values[1:])] if len(values) > 1 else [])])

    bounded = dict(list(found.items())[:n_bounded])
    scores = bootstrapped(task, protocol, bounded, statistic, groups, data.test.group_column)
    _, _, _, _, unit, n_units, n = scores[0]
    rest = list(found.items())[n_bounded:]
    return [*scores, *(Score(name, value, None, None, unit, n_units, n) for name, value in rest)]


def adjusted_rand(labels: Numbers, clusters: Numbers) -> float:
    """Adjusted Rand index of labels and clusters, both any numbers."""
    return adjusted_rand_index(pair_counts(contingency_table(*_from_zero(labels, clusters))))


def entropy_metrics(labels: Numbers, clusters: Numbers) -> dict[str, float]:
    """V-measure, NMI, homogeneity and completeness of labels and clusters, both any numbers."""
    homogeneity, completeness, v_measure = entropies(
        contingency_table(*_from_zero(labels, clusters))
    )
    return {
        "v_measure": v_measure,
        "nmi": v_measure,
        "homogeneity": homogeneity,
        "completeness": completeness,
    }


def _clustered(
    task: Task, data: TaskData, work: Workspace, members: Members, vectors: Any
) -> dict[str, NDArray[np.int32]]:
    protocol = work.protocol
    if task.algorithm == "kmeans":
        seeds = kmeans_seeds(protocol)
        found = kmeans_labels(vectors, members.n_labels, seeds, protocol.kmeans)
        return {f"cluster_seed_{seed}": clusters for seed, clusters in found.items()}
    dense = _dense(task, vectors)
    if task.algorithm == "agglomerative":
        clusters = agglomerative_labels(dense, members.n_labels, protocol.agglomerative)
        return {_ONLY_COLUMN: clusters}
    # The labels play no part in it, so tasks of the same documents share it.
    key = ("hdbscan", data.config, members.positions.tobytes())
    return {_ONLY_COLUMN: work.once(key, lambda: hdbscan_labels(dense, protocol.hdbscan))}


def _dense(task: Task, vectors: Any) -> Vectors:
    if not isinstance(vectors, np.ndarray):
        raise UnsupportedError(f"{task.algorithm} takes dense vectors, the model's are sparse")
    return vectors


def _agreement(task: Task, members: Members, clusters: Sequence[Numbers]) -> dict[str, float]:
    """All metrics of a task, those with an interval first."""
    labels, first = members.labels, clusters[0]
    found = {"ari": adjusted_rand(labels, first)}
    if task.algorithm == "kmeans":
        of_seeds = [adjusted_rand(labels, column) for column in clusters[1:]]
        found["ari_median_of_seeds"] = float(np.median(of_seeds))
    found.update(entropy_metrics(labels, first))
    if task.algorithm == "hdbscan":
        noise = first == NOISE
        found["noise_ratio"] = float(noise.mean())
        found["cluster_k_error"] = float(len(np.unique(first[~noise])) - members.n_labels)
    return found


def _resampled_aris(
    labels: Numbers, clusters: Sequence[Numbers], groups: list[str]
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Adjusted Rand index of each clustering, as a function of the items' multiplicities."""
    of_item = units(groups).of_item
    first_item = np.unique(of_item, return_index=True)[1]
    sides = [_from_zero(labels, column) for column in clusters]
    squares = [squares_in_groups(*side, of_item) for side in sides]

    def aris(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        copies = weights[first_item]
        counts = [pair_counts(contingency_table(*side, weights)) for side in sides]
        return np.array(
            [
                adjusted_rand_index(without_repeated_groups(count, square, copies))
                for count, square in zip(counts, squares, strict=True)
            ]
        )

    return aris


def _from_zero(labels: Numbers, clusters: Numbers) -> tuple[Numbers, Numbers]:
    """Number both from 0 on without gaps."""
    return (
        np.unique(labels, return_inverse=True)[1],
        np.unique(clusters, return_inverse=True)[1],
    )
