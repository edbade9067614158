"""The error of a mean over pairs that share documents."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.statistics.bootstrap import Interval


def dyadic_variance(
    influence: NDArray[np.float64], first: Sequence[str], second: Sequence[str]
) -> float:
    """Variance of a mean of influence values over pairs, clustered by both documents.

    V = [sum over documents d of (sum of r_p over pairs p with d)^2 - sum of r_p^2] / P^2, where
    r_p is the influence value of pair p and P the number of pairs. Pairs without a document in
    common are independent; the sum over documents counts a pair's own square twice, hence the
    correction.

    Parameters
    ----------
    influence : ndarray of float64, shape (n_pairs,)
        For an AUC, `evaluate_shelf.metrics.pairs.AucRoc.influence`.
    first, second : sequence of str, length n_pairs
        Ids of each pair's documents.

    Returns
    -------
    float
        The variance. The estimate is not positive by construction; where it falls below the
        variance of independent pairs, sum of r_p^2 / P^2, that one is returned, so that shared
        documents never make an interval narrower.

    References
    ----------
    Fafchamps and Gubert, "The formation of risk sharing networks", Journal of Development
    Economics 83 (2007); Aronow, Samii and Assenova, "Cluster-robust variance estimation for
    dyadic data", Political Analysis 23 (2015).

    Examples
    --------
    >>> dyadic_variance(np.array([1.0, -1.0]), ["a", "c"], ["b", "d"])
    0.5
    >>> dyadic_variance(np.array([1.0, 1.0]), ["a", "a"], ["b", "c"])
    1.0
    """
    _, of_document = np.unique(np.array([*first, *second], dtype=str), return_inverse=True)
    sums = np.bincount(of_document, weights=np.concatenate([influence, influence]))
    squares = float(np.sum(influence**2))
    return max(float(np.sum(sums**2)) - squares, squares) / len(influence) ** 2


def normal_interval(value: float, variance: float, level: float) -> Interval:
    """Normal interval of a value in [0, 1], cut at these ends.

    Examples
    --------
    >>> low, high = normal_interval(0.9, 0.01, 0.95)
    >>> round(low, 3), high
    (0.704, 1.0)
    """
    half = NormalDist().inv_cdf((1 + level) / 2) * variance**0.5
    return Interval(max(0.0, value - half), min(1.0, value + half))
