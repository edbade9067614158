"""Rank correlation of pair scores with a count, with each pair's influence on it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.metrics.estimates import Estimate, check_pairs


def spearman(count: NDArray[np.int64], score: NDArray[np.float64]) -> Estimate:
    """Spearman's correlation of scores with counts: Pearson's of their ranks, ties at mid-rank.

    Parameters
    ----------
    count : ndarray of int64, shape (n_pairs,)
        For example how many topics the pair's documents share.
    score : ndarray of float64, shape (n_pairs,)
        The model's score. One score for all pairs orders none above another, so it gives 0, with
        an influence of 0: it gives 0 in every resample too.

    Returns
    -------
    Estimate
        The correlation and the influence values.

    Raises
    ------
    ValueError
        If all pairs have one count, there is not one score for each pair, or one is not finite.

    Notes
    -----
    Let u and v be a pair's centred mid-distribution values, (rank - 1/2) / n - 1/2, of count and
    score, C the mean of u v, and A and B those of u^2 and v^2. The ranks are estimates: a pair
    lifts by one the rank of every pair above it, and by a half that of those level with it. With
    lift(x, w) the mean over all pairs of w times that lift by a pair of value x,

        influence = (u v + lift(count, v) + lift(score, u)) / sqrt(A B)
                    - rho ((u^2 + 2 lift(count, u)) / A + (v^2 + 2 lift(score, v)) / B) / 2

    where the terms in -3 C and -3 A, -3 B of the three moments cancel.

    References
    ----------
    Croux and Dehon, "Influence functions of the Spearman and Kendall correlation measures",
    Statistical Methods and Applications 19 (2010), 497-515, for continuous variables.

    Examples
    --------
    >>> round(spearman(np.array([0, 1, 2]), np.array([0.1, 0.9, 0.5])).value, 6)
    0.5
    """
    check_pairs(count, score)
    of_count, of_score = _levels(count), _levels(score)
    if len(of_count.sizes) < 2:
        raise ValueError("all pairs have one count")
    if len(of_score.sizes) < 2:
        return Estimate(0.0, np.zeros(len(score)))
    u, v = of_count.centred, of_score.centred
    a, b = float(np.mean(u * u)), float(np.mean(v * v))
    scale = (a * b) ** 0.5
    value = min(max(float(np.mean(u * v)) / scale, -1.0), 1.0)
    covariance = u * v + _lift(of_count, v) + _lift(of_score, u)
    of_u = (u * u + 2 * _lift(of_count, u)) / a
    of_v = (v * v + 2 * _lift(of_score, v)) / b
    return Estimate(value, covariance / scale - value * (of_u + of_v) / 2)


class _Levels(NamedTuple):
    """Which pairs are level with each other, in ascending order."""

    of_pair: NDArray[np.intp]
    sizes: NDArray[np.intp]
    centred: NDArray[np.float64]


def _levels(values: NDArray[np.int64] | NDArray[np.float64]) -> _Levels:
    _, of_pair = np.unique(values, return_inverse=True)
    sizes = np.bincount(of_pair)
    below = np.cumsum(sizes) - sizes
    return _Levels(of_pair, sizes, ((below + sizes / 2) / len(values) - 0.5)[of_pair])


def _lift(levels: _Levels, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    of_level = np.bincount(levels.of_pair, weights=weights)
    above = of_level.sum() - np.cumsum(of_level)
    lifted: NDArray[np.float64] = (above + of_level / 2)[levels.of_pair] / len(weights)
    return lifted
