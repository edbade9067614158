"""k-means: scikit-learn's labels to the bit, its starts spread over the cores."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.parallel import in_order
from evaluate_shelf.registry.protocol_settings import KMeansSettings


class _Start(NamedTuple):
    seed: int
    random: np.random.RandomState


class _Partition(NamedTuple):
    labels: NDArray[np.int32]
    inertia: float


def kmeans_labels(
    vectors: Any,
    n_clusters: int,
    seeds: Sequence[int],
    settings: KMeansSettings,
    threads: int | None = None,
) -> dict[int, NDArray[np.int32]]:
    """Cluster vectors once for each seed.

    The labels of a seed are those of scikit-learn's
    ``KMeans(n_clusters, n_init=settings.n_init, max_iter=settings.max_iter, random_state=seed)``
    with one BLAS and one OpenMP thread. That estimator makes its `n_init` starts one after the
    other; here all starts of all seeds are worked on at the same time.

    Parameters
    ----------
    vectors : ndarray of float32 or scipy.sparse.csr_matrix of float32, shape (n, dimension)
        Clustered as given; scale them to unit length before.
    n_clusters : int
        At most n. Where fewer vectors are distinct, some clusters stay empty.
    seeds : sequence of int
        Of the random starts.
    settings : KMeansSettings
        Starts a seed, and the most iterations of a start. Its own seeds are not looked at.
    threads : int, default=None
        How many starts at a time; all usable cores without it. The labels do not depend on it.

    Returns
    -------
    dict of int to ndarray of int32, shape (n,)
        By seed: each vector's cluster, in [0, n_clusters).

    References
    ----------
    Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.

    Examples
    --------
    >>> from evaluate_shelf.registry.protocols import load_protocol
    >>> vectors = np.array([[1, 0], [0, 1], [1, 0]], dtype=np.float32)
    >>> first, second, third = kmeans_labels(vectors, 2, [42], load_protocol().kmeans)[42]
    >>> bool(first == third != second)
    True
    """
    from scipy.sparse import issparse
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils.extmath import row_norms
    from threadpoolctl import threadpool_limits

    given = vectors if issparse(vectors) else np.ascontiguousarray(vectors)
    # scikit-learn draws its starts from dense vectors with their mean taken away.
    centred = given if issparse(given) else given - given.mean(axis=0)
    norms = row_norms(centred, squared=True)
    starts = (start for seed in seeds for start in _starts(n_clusters, seed, settings.n_init))

    def run(start: _Start) -> _Partition:
        from sklearn.cluster import KMeans, kmeans_plusplus

        # OpenMP's limit is one of the thread, BLAS's one of the process.
        with threadpool_limits(1, user_api="openmp"):
            _, chosen = kmeans_plusplus(
                centred, n_clusters, x_squared_norms=norms, random_state=start.random
            )
            centres = given[chosen].toarray() if issparse(given) else given[chosen]
            model = KMeans(n_clusters, init=centres, n_init=1, max_iter=settings.max_iter)
            labels = model.fit_predict(given)
        return _Partition(labels, float(model.inertia_))

    with threadpool_limits(1), warnings.catch_warnings():
        # Fewer distinct vectors than clusters: the score shows it.
        warnings.simplefilter("ignore", ConvergenceWarning)
        partitions = in_order(run, starts, threads)
        return {seed: _best([next(partitions) for _ in range(settings.n_init)]) for seed in seeds}


def _starts(n_clusters: int, seed: int, n_init: int) -> Iterator[_Start]:
    """Give the state that the random numbers of a seed are in at each start.

    How many numbers a start takes depends on the number of clusters alone, so a start on nothing
    but zeros leads to the next one.
    """
    from sklearn.cluster import kmeans_plusplus

    random = np.random.RandomState(seed)
    nothing = np.zeros((n_clusters, 1))
    for _ in range(n_init):
        yield _Start(seed, copy.deepcopy(random))
        kmeans_plusplus(nothing, n_clusters, random_state=random)


def _best(partitions: Sequence[_Partition]) -> NDArray[np.int32]:
    """Give the labels with the least inertia, by scikit-learn's rule for rounding errors."""
    best, *others = partitions
    for other in others:
        if other.inertia < best.inertia and not _refines(other.labels, best.labels):
            best = other
    return best.labels


def _refines(labels: NDArray[np.int32], coarser: NDArray[np.int32]) -> bool:
    """Whether each cluster of `labels` lies in one cluster of `coarser`."""
    both = np.unique(np.stack([labels, coarser]), axis=1)
    return bool(both.shape[1] == len(np.unique(labels)))
