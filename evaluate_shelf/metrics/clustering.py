"""Agreement of clusters and labels: the adjusted Rand index and entropies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Entropies(NamedTuple):
    """What clusters tell about labels, and labels about clusters, each in [0, 1].

    Attributes
    ----------
    homogeneity : float
        1 where each cluster has one label.
    completeness : float
        1 where each label is in one cluster.
    v_measure : float
        Their harmonic mean. It is also the mutual information, normalised by the arithmetic mean
        of both entropies (NMI).
    """

    homogeneity: float
    completeness: float
    v_measure: float


class PairCounts(NamedTuple):
    """Numbers of unordered pairs of items.

    Attributes
    ----------
    together : float
        Pairs with one label and one cluster.
    same_label, same_cluster : float
        Pairs with one label, and with one cluster.
    all : float
        All pairs.
    """

    together: float
    same_label: float
    same_cluster: float
    all: float


def contingency_table(
    labels: NDArray[np.intp],
    clusters: NDArray[np.intp],
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Count the items of each label in each cluster.

    Parameters
    ----------
    labels, clusters : ndarray of int, shape (n_items,)
        Numbers from 0 on.
    weights : ndarray of float64, shape (n_items,), default=None
        How often each item counts; once where absent.

    Returns
    -------
    ndarray of float64, shape (n_labels, n_clusters)

    Examples
    --------
    >>> contingency_table(np.array([0, 1, 1]), np.array([0, 1, 0]))
    array([[1., 0.],
           [1., 1.]])
    """
    n_labels, n_clusters = int(labels.max()) + 1, int(clusters.max()) + 1
    cells = np.bincount(
        labels * n_clusters + clusters, weights=weights, minlength=n_labels * n_clusters
    )
    return cells.reshape(n_labels, n_clusters).astype(np.float64)


def entropies(contingency: NDArray[np.float64]) -> Entropies:
    """Homogeneity, completeness and V-measure.

    They are not corrected for chance: of unrelated partitions they are above zero, the more so
    the more clusters there are.

    Parameters
    ----------
    contingency : ndarray of float64, shape (n_labels, n_clusters)
        Number of items of each label in each cluster.

    References
    ----------
    Rosenberg and Hirschberg, "V-Measure: a conditional entropy-based external cluster evaluation
    measure", EMNLP-CoNLL 2007.

    Examples
    --------
    >>> entropies(np.array([[2.0, 0.0], [0.0, 2.0]]))
    Entropies(homogeneity=1.0, completeness=1.0, v_measure=1.0)
    >>> entropies(np.array([[1.0, 1.0], [1.0, 1.0]])).v_measure
    0.0
    """
    of_labels, of_clusters, of_both = (
        _entropy(counts)
        for counts in (contingency.sum(axis=1), contingency.sum(axis=0), contingency.ravel())
    )
    # Rounding takes it below zero for unrelated partitions, above an entropy for equal ones.
    information = min(max(of_labels + of_clusters - of_both, 0.0), of_labels, of_clusters)
    homogeneity = information / of_labels if of_labels else 1.0
    completeness = information / of_clusters if of_clusters else 1.0
    total = homogeneity + completeness
    return Entropies(
        homogeneity, completeness, 2 * homogeneity * completeness / total if total else 0.0
    )


def _entropy(counts: NDArray[np.float64]) -> float:
    present = counts[counts > 0]
    if len(present) < 2:
        return 0.0
    share = present / present.sum()
    return float(-(share * np.log(share)).sum())


def pair_counts(contingency: NDArray[np.float64]) -> PairCounts:
    """Count pairs from a contingency table.

    Parameters
    ----------
    contingency : ndarray of float64, shape (n_labels, n_clusters)
        Number of items of each label in each cluster.

    Examples
    --------
    >>> pair_counts(np.array([[2.0, 0.0], [0.0, 2.0]]))
    PairCounts(together=2.0, same_label=2.0, same_cluster=2.0, all=6.0)
    """
    tables = (contingency, contingency.sum(axis=1), contingency.sum(axis=0), contingency.sum())
    return PairCounts(*(float(np.sum(n * (n - 1)) / 2) for n in tables))


def adjusted_rand_index(counts: PairCounts) -> float:
    """Adjusted Rand index (ARI).

    Parameters
    ----------
    counts : PairCounts
        From `pair_counts`.

    Returns
    -------
    float
        1 for equal partitions, about 0 for independent ones; 1 where both partitions put every
        item in one group, as in scikit-learn.

    References
    ----------
    Hubert and Arabie, "Comparing partitions", Journal of Classification 2 (1985), 193-218.

    Examples
    --------
    >>> adjusted_rand_index(pair_counts(np.array([[2.0, 0.0], [0.0, 2.0]])))
    1.0
    >>> round(adjusted_rand_index(pair_counts(np.array([[1.0, 1.0], [1.0, 1.0]]))), 4)
    -0.5
    """
    if counts.all <= 0:
        return 1.0
    expected = counts.same_label * counts.same_cluster / counts.all
    largest = (counts.same_label + counts.same_cluster) / 2
    if largest == expected:
        return 1.0
    return (counts.together - expected) / (largest - expected)


def squares_in_groups(
    labels: NDArray[np.intp], clusters: NDArray[np.intp], groups: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Sums of squares of each group's counts, for `without_repeated_groups`.

    Parameters
    ----------
    labels, clusters, groups : ndarray of int, shape (n_items,)
        Numbers of each item's label, cluster and resampling group.

    Returns
    -------
    ndarray of float64, shape (n_groups, 4)
        Over the cells of label and cluster, over labels, over clusters, and the squared size.
    """
    n_groups, width = int(groups.max()) + 1, int(max(labels.max(), clusters.max())) + 1
    keys = (labels * width + clusters, labels, clusters, np.zeros_like(labels))
    columns = []
    for key in keys:
        span = int(key.max()) + 1
        cells, sizes = np.unique(groups * span + key, return_counts=True)
        columns.append(np.bincount(cells // span, weights=sizes**2.0, minlength=n_groups))
    return np.column_stack(columns)


def without_repeated_groups(
    counts: PairCounts, squares: NDArray[np.float64], copies: NDArray[np.float64]
) -> PairCounts:
    """Take out the pairs between two copies of one group in a bootstrap sample.

    Two copies of a group agree with each other as a group does with itself, which would raise
    the index of every resample. A group drawn c times then counts its own pairs c times, and has
    c (c - 1) / 2 pairs of copies taken out, of n^2 pairs of items each.

    Parameters
    ----------
    counts : PairCounts
        Of the sample, repeated groups included.
    squares : ndarray of float64, shape (n_groups, 4)
        From `squares_in_groups`.
    copies : ndarray of float64, shape (n_groups,)
        How often each group was drawn.
    """
    repeated = (copies * (copies - 1) / 2) @ squares
    return PairCounts(
        *(count - float(extra) for count, extra in zip(counts, repeated, strict=True))
    )
