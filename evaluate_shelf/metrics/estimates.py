"""A metric of pairs together with each pair's influence on it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Estimate(NamedTuple):
    """A metric's value and what each pair contributes to its error.

    Attributes
    ----------
    value : float
        The metric of all pairs.
    influence : ndarray of float64, shape (n_pairs,)
        First-order influence of each pair: the derivative of the metric by the pair's weight, where
        all weights are shares of 1. Its mean is 0, and the mean over a resample approximates how
        far the resample's metric lies from `value`.
    """

    value: float
    influence: NDArray[np.float64]


def check_pairs(of_pair: NDArray[np.generic], score: NDArray[np.float64]) -> None:
    """Refuse scores that are not finite or not one for each pair.

    Raises
    ------
    ValueError
        If there is not one score for each pair, or one is not finite.
    """
    if of_pair.ndim != 1 or of_pair.shape != score.shape:
        raise ValueError(f"labels of shape {of_pair.shape}, scores of shape {score.shape}")
    if not np.isfinite(score).all():
        raise ValueError("a pair's score is not finite")
