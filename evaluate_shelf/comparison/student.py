"""The test of a difference whose standard error comes from resampling a few groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FEWEST_UNITS = 6
"""Of fewer groups no exchange test can find anything at 0.05: there are too few exchanges."""


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
    size = np.abs(value)
    in_errors = np.divide(size, wider, out=np.where(size > 0, np.inf, 0.0), where=wider > 0)
    return np.asarray(2 * stdtr(n_units - 1, -in_errors), dtype=np.float64)
