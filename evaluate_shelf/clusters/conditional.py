"""k-means inside each class: what clusters tell beyond the class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.clusters.kmeans import kmeans_labels
from evaluate_shelf.registry.protocol_settings import ConditionalSettings, KMeansSettings


def skipped_classes(
    classes: NDArray[np.intp], labels: NDArray[np.intp], settings: ConditionalSettings
) -> list[int]:
    """Numbers of the classes with too few documents or labels to be clustered by themselves.

    Parameters
    ----------
    classes, labels : ndarray of int, shape (n,)
        Numbers of each document's class and label.
    settings : ConditionalSettings
        What a class needs.

    Examples
    --------
    >>> settings = ConditionalSettings(min_documents=3, min_labels=2)
    >>> classes, labels = np.array([0, 0, 0, 1, 1, 2, 2, 2]), np.array([0, 1, 1, 0, 1, 1, 1, 1])
    >>> skipped_classes(classes, labels, settings)
    [1, 2]
    """
    return [
        number
        for number in np.unique(classes).tolist()
        for own in [labels[classes == number]]
        if len(own) < settings.min_documents or len(np.unique(own)) < settings.min_labels
    ]


def conditional_labels(
    vectors: Any,
    classes: NDArray[np.intp],
    labels: NDArray[np.intp],
    seeds: Sequence[int],
    settings: KMeansSettings,
    threads: int | None = None,
) -> dict[int, NDArray[np.int32]]:
    """Cluster the vectors of each class by themselves, into as many clusters as it has labels.

    Parameters
    ----------
    vectors : ndarray of float32 or scipy.sparse.csr_matrix of float32, shape (n, dimension)
        Of unit length.
    classes, labels : ndarray of int, shape (n,)
        Numbers of each vector's class and label.
    seeds, settings, threads
        As for `kmeans_labels`.

    Returns
    -------
    dict of int to ndarray of int32, shape (n,)
        By seed: each vector's cluster. No two classes share a number.

    Examples
    --------
    >>> from evaluate_shelf.registry.protocols import load_protocol
    >>> number = np.array([0, 0, 5, 5])
    >>> vectors = np.eye(4, dtype=np.float32)
    >>> conditional_labels(vectors, number, number, [42], load_protocol().kmeans)[42]
    array([0, 0, 1, 1], dtype=int32)
    """
    by_seed = {seed: np.empty(len(classes), dtype=np.int32) for seed in seeds}
    n_clusters = 0
    for number in np.unique(classes):
        rows = np.flatnonzero(classes == number)
        own = len(np.unique(labels[rows]))
        found = kmeans_labels(vectors[rows], own, seeds, settings, threads)
        for seed, clusters in found.items():
            by_seed[seed][rows] = n_clusters + clusters
        n_clusters += own
    return by_seed
