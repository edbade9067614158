"""Holm's correction of p-values for many tests at once."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Adjust the p-values of a family of tests by Holm's step-down method.

    Tests whose adjusted value is at most alpha are rejected; then the probability of one false
    rejection or more in the family is at most alpha, however the tests depend on each other.

    Parameters
    ----------
    p : ndarray of float64, shape (n_tests,)
        Within [0, 1].

    Returns
    -------
    ndarray of float64, shape (n_tests,)
        In the order of `p`; at most 1.

    Raises
    ------
    ValueError
        If a value is not within [0, 1].

    References
    ----------
    Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6 (1979), 65-70.

    Examples
    --------
    >>> holm(np.array([0.04, 0.01, 0.03])).tolist()
    [0.06, 0.03, 0.06]
    """
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("a p-value is not within [0, 1]")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    # The least is multiplied by the number of tests, the next by one less, and so on.
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)


def least_replicates(n_tests: int, alpha: float, *, least: int) -> int:
    """Fewest resamples with which one of many resampling tests can pass Holm's correction.

    A p-value of B resamples is at least 1 / (B + 1) by permutation, and 2 / (B + 1) by a two-sided
    bootstrap. With fewer resamples than this no test of the family can be rejected, whatever the
    data.

    Parameters
    ----------
    n_tests : int
        Size of the family.
    alpha : float
        Level, for example 0.05.
    least : int
        Numerator of the least p-value: 1 for a permutation test, 2 for a bootstrap.

    Examples
    --------
    >>> least_replicates(28 * 27 // 2, 0.05, least=2)
    15119
    """
    # Rounded, since 756 / 0.05 is 15120.000000000002 on some machines' arithmetic.
    return math.ceil(round(least * n_tests / alpha, 6)) - 1
