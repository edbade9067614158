"""Agglomerative clustering: the nearest two clusters merge until enough are left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.models.protocol import Vectors
from evaluate_shelf.registry.protocol_settings import AgglomerativeSettings

_MOST = 20_000
"""Documents whose distances fit into memory, twice 8 bytes a pair: 3 GiB."""

_BLOCK = 256


def agglomerative_labels(
    vectors: Vectors, n_clusters: int, settings: AgglomerativeSettings
) -> NDArray[np.int32]:
    """Cluster vectors by their cosine distances.

    The partition is that of scikit-learn's AgglomerativeClustering with the same linkage and
    metric. That estimator holds all pairs twice over and an index of them besides; here each pair
    is held once, and once more while scipy merges.

    Parameters
    ----------
    vectors : ndarray of float32, shape (n, dimension)
        Of unit length; a zero vector has distance 1 to all.
    n_clusters : int
        How many clusters are left, at most n.
    settings : AgglomerativeSettings
        From the protocol.

    Returns
    -------
    ndarray of int32, shape (n,)
        Each vector's cluster, numbered in the order of their first vectors.

    Raises
    ------
    UnsupportedError
        If the distances would not fit into memory.

    Examples
    --------
    >>> from evaluate_shelf.registry.protocols import load_protocol
    >>> vectors = np.array([[1, 0], [0, 1], [0.8, 0.6]], dtype=np.float32)
    >>> agglomerative_labels(vectors, 2, load_protocol().agglomerative)
    array([0, 1, 0], dtype=int32)
    """
    from scipy.cluster.hierarchy import linkage
    from threadpoolctl import threadpool_limits

    n = len(vectors)
    if n > _MOST:
        raise UnsupportedError(f"agglomerative clustering takes {_MOST:,} documents, not {n:,}")
    if n < 2:
        return np.zeros(n, dtype=np.int32)
    with threadpool_limits(1):
        merges = linkage(_cosine_distances(vectors), settings.linkage)
    return _cut(merges[:, :2].astype(np.intp), n_clusters)


def _cosine_distances(vectors: Vectors) -> NDArray[np.float64]:
    """Give the distance of each pair, row by row above the diagonal."""
    exact = np.asarray(vectors, dtype=np.float64)
    n = len(exact)
    distances = np.empty(n * (n - 1) // 2)
    end = 0
    for start in range(0, n, _BLOCK):
        block = exact[start : start + _BLOCK] @ exact[start:].T
        for row, cosines in enumerate(block):
            begin, end = end, end + n - 1 - start - row
            np.subtract(1.0, cosines[row + 1 :], out=distances[begin:end])
    # Rounding takes the distance of equal vectors below zero.
    return np.maximum(distances, 0.0, out=distances)


def _cut(merges: NDArray[np.intp], n_clusters: int) -> NDArray[np.int32]:
    """Undo the last merges, so that `n_clusters` are left.

    Parameters
    ----------
    merges : ndarray of int, shape (n - 1, 2)
        Which two nodes merge into node n, n + 1, ..., nearest first.
    """
    n = len(merges) + 1
    top = np.arange(2 * n - 1)
    for node in range(2 * n - 1 - n_clusters, n - 1, -1):
        top[merges[node - n]] = top[node]
    _, first, number = np.unique(top[:n], return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[number]
