"""Two-sided p-values of differences whose standard errors are known or estimated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FEWEST_UNITS = 6
"""Of fewer groups no exchange test can find anything at 0.05: there are too few exchanges."""

# Two differences that rounding alone tells apart are one.
ROUNDING = 1e-10


def normal_p(value: Floats, error: Floats) -> Floats:
    """Two-sided p-values of values whose errors are normal; 1 where both are 0.

    Examples
    --------
    >>> normal_p(np.array([1.96, 0.0]), np.array([1.0, 0.0])).round(3).tolist()
    [0.05, 1.0]
    """
    from scipy.special import erfc

    return np.asarray(erfc(in_errors(value, error) / np.sqrt(2)), dtype=np.float64)


def student_p(
    value: NDArray[np.float64], error: NDArray[np.float64], n_units: int
) -> NDArray[np.float64]:
    """Two-sided p-values of differences, by Student's distribution over groups.

    A bootstrap of n groups has an error that is too small by the root of (n - 1) / n, and knows it
    no better than n groups tell it. For a mean of one item a group this is the paired t test.

    Parameters
    ----------
    value, error : ndarray of float64, shape (n_differences,)
        Differences and their bootstrap standard errors; without an error, p is 0 or, for the
        difference 0, 1.
    n_units : int
        Number of groups, at least 2.

    Returns
    -------
    ndarray of float64, shape (n_differences,)

    Examples
    --------
    >>> student_p(np.array([0.2, 0.0]), np.array([0.1, 0.0]), 50).round(3).tolist()
    [0.053, 1.0]
    """
    from scipy.special import stdtr

    wider = error * np.sqrt(n_units / (n_units - 1))
    return np.asarray(2 * stdtr(n_units - 1, -in_errors(value, wider)), dtype=np.float64)


def in_errors(value: Floats, error: Floats) -> Floats:
    """How many errors a value lies from 0; without an error, 0 or infinitely many."""
    size = np.abs(value)
    ratio: Floats = np.where(size > ROUNDING, np.inf, 0.0)
    np.divide(size, error, out=ratio, where=error > 0)
    return ratio
