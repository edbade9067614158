"""Area under the ROC curve of pair scores, with each pair's influence on it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.metrics.estimates import Estimate, check_pairs


def auc_roc(label: NDArray[np.bool_], score: NDArray[np.float64]) -> Estimate:
    """Probability that a positive pair scores above a negative one, ties counted half.

    Parameters
    ----------
    label : ndarray of bool, shape (n_pairs,)
        Whether the pair is positive.
    score : ndarray of float64, shape (n_pairs,)
        The model's score. One score for all pairs gives 0.5.

    Returns
    -------
    Estimate
        The area and the influence values.

    Raises
    ------
    ValueError
        If all pairs have one label, there is not one score for each pair, or one is not finite.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson, "Comparing the areas under two or more correlated receiver
    operating characteristic curves", Biometrics 44 (1988), 837-845, for the placements.

    Examples
    --------
    >>> auc_roc(np.array([True, False, True]), np.array([0.9, 0.4, 0.4])).value
    0.75
    """
    check_pairs(label, score)
    positive, negative = score[label], score[~label]
    if not len(positive) or not len(negative):
        raise ValueError("all pairs have one label")
    placement = np.empty(len(score))
    placement[label] = _share_below(np.sort(negative), positive)
    placement[~label] = 1 - _share_below(np.sort(positive), negative)
    value = float(placement[label].mean())
    n_of_own_label = np.where(label, len(positive), len(negative))
    return Estimate(value, (placement - value) * len(score) / n_of_own_label)


def _share_below(ordered: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    left = np.searchsorted(ordered, values, side="left")
    right = np.searchsorted(ordered, values, side="right")
    return (left + right) / (2 * len(ordered))
