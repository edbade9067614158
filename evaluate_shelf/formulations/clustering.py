"""Clustering: k-means with as many clusters as labels."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.data import TaskData, in_order_of, label_names, labels_of, numbered
from evaluate_shelf.formulations.scores import Score, bootstrapped
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.metrics.classification import confusion_matrix
from evaluate_shelf.metrics.clustering import (
    adjusted_rand_index,
    pair_counts,
    squares_in_groups,
    without_repeated_groups,
)
from evaluate_shelf.models.ordering import normalised
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.statistics.bootstrap import units


def predict(task: Task, data: TaskData, work: Workspace) -> pa.Table:
    """Cluster the test split's normalised vectors, once for each of the protocol's seeds.

    Returns
    -------
    pyarrow.Table
        A row a test document: id and its cluster under each seed. `outcome` is null, since the
        adjusted Rand index is no mean over items.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    names = label_names(
        labels_of(data.test, task.label_field), f"config {data.config!r}, test split"
    )
    if len(names) > len(data.test):
        raise ShelfError(f"config {data.config!r}: fewer test documents than clusters")
    vectors = normalised(work.document_vectors(data, fit_on=["test"])["test"])
    settings = work.protocol.kmeans
    columns = {"id": pa.array(data.test.ids, pa.string())}
    for seed in _seeds(work.protocol):
        model = KMeans(
            n_clusters=len(names),
            n_init=settings.n_init,
            max_iter=settings.max_iter,
            random_state=seed,
        )
        with warnings.catch_warnings():
            # Fewer distinct vectors than clusters: the score shows it.
            warnings.simplefilter("ignore", ConvergenceWarning)
            clusters = model.fit_predict(vectors)
        columns[_column(seed)] = pa.array(clusters.astype(np.int32), pa.int32())
    columns["outcome"] = pa.nulls(len(data.test), pa.float64())
    return pa.table(columns)


def score(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> list[Score]:
    """ARI at the protocol's seed, and the median of its other seeds, with intervals."""
    gold_labels = labels_of(data.test, task.label_field)
    names = label_names(gold_labels, f"config {data.config!r}, test split")
    gold = numbered(gold_labels, names)
    ordered = in_order_of(data.test.ids, items)
    assignments = {
        seed: ordered[_column(seed)].to_numpy().astype(np.intp) for seed in _seeds(protocol)
    }
    resampled = units(data.test.groups)
    squares = {
        seed: squares_in_groups(gold, clusters, resampled.of_item)
        for seed, clusters in assignments.items()
    }
    first_item = np.unique(resampled.of_item, return_index=True)[1]
    n_cells = 1 + max(len(names) - 1, *(int(clusters.max()) for clusters in assignments.values()))

    def metrics(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        ari = {}
        for seed, clusters in assignments.items():
            counts = pair_counts(confusion_matrix(gold, clusters, n_cells, weights))
            copies = weights[first_item]
            ari[seed] = adjusted_rand_index(without_repeated_groups(counts, squares[seed], copies))
        median = np.median([ari[seed] for seed in protocol.kmeans.median_seeds])
        return np.array([ari[protocol.kmeans.seed], median])

    named = dict(
        zip(("ari", "ari_median_of_seeds"), metrics(np.ones(len(gold))).tolist(), strict=True)
    )
    return bootstrapped(task, protocol, named, metrics, data.test.groups, data.test.group_column)


def _seeds(protocol: Protocol) -> list[int]:
    return sorted({protocol.kmeans.seed, *protocol.kmeans.median_seeds})


def _column(seed: int) -> str:
    return f"cluster_seed_{seed}"
