"""Average precision of pair scores, with each pair's influence on it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.metrics.estimates import Estimate, check_pairs


def average_precision(label: NDArray[np.bool_], score: NDArray[np.float64]) -> Estimate:
    """Mean over the positive pairs of the precision among all that score at least as high.

    Pairs with equal scores enter together, as in scikit-learn's sum over thresholds t of
    (recall(t) - recall(previous t)) * precision(t); nothing is interpolated.

    Parameters
    ----------
    label : ndarray of bool, shape (n_pairs,)
        Whether the pair is positive.
    score : ndarray of float64, shape (n_pairs,)
        The model's score. One score for all pairs gives the share of positive pairs.

    Returns
    -------
    Estimate
        The average precision and the influence values.

    Raises
    ------
    ValueError
        If all pairs have one label, there is not one score for each pair, or one is not finite.
        Without a positive pair there is no average precision; without a negative one it is 1 for
        every score.

    Notes
    -----
    Let G(t) be the share of pairs with a score of at least t, H(t) that of positive pairs with such
    a score, p the share of positive pairs and A the average precision, which is the mean of
    H(S) / G(S) over the positive pairs' scores S. A pair with label y and score s changes A by way
    of its own term, of the share p and of the precision at every threshold at or below s:

        influence = y (H(s) / G(s) - A) / p
                    + mean over positive pairs of [S <= s] (y - H(S) / G(S)) / G(S)

    Examples
    --------
    >>> label, score = np.array([True, False, True]), np.array([0.9, 0.8, 0.4])
    >>> round(average_precision(label, score).value, 4)
    0.8333
    """
    check_pairs(label, score)
    n_positive, n_pairs = int(label.sum()), len(label)
    if n_positive in (0, n_pairs):
        raise ValueError("all pairs have one label")
    _, level = np.unique(score, return_inverse=True)
    at_level = np.bincount(level)
    positive_at_level = np.bincount(level, weights=label)
    at_least = at_level[::-1].cumsum()[::-1]
    precision = positive_at_level[::-1].cumsum()[::-1] / at_least
    value = float((positive_at_level * precision).sum() / n_positive)
    # Sums over the positive pairs with the same score or a lower one.
    weight_below = np.cumsum(positive_at_level / at_least)
    precision_below = np.cumsum(positive_at_level * precision / at_least)
    own = label * (precision[level] - value)
    of_others = label * weight_below[level] - precision_below[level]
    return Estimate(min(value, 1.0), (own + of_others) * n_pairs / n_positive)
