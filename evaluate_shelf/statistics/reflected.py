"""Reflected bootstrap intervals, which take a bias of the score out instead of doubling it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.statistics.bootstrap import Interval, percentile_intervals


def reflected_intervals(
    values: NDArray[np.float64],
    replicates: NDArray[np.float64],
    level: float,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> list[Interval] | None:
    """Percentile intervals reflected at the observed values, also called basic or pivotal.

    A resample lies from the observed score as the observed score lies from the true one. If
    resamples lie lower, as they do for macro-F1 over many small classes, so does the observed
    score, and the true one is to be looked for above it. The percentile interval lies below.

    Parameters
    ----------
    values : ndarray of float64, shape (n_statistics,)
        The observed values.
    replicates : ndarray of float64, shape (n_replicates, n_statistics)
        Those of the resamples; a resample with a NaN counts for none.
    level : float
        Coverage, for example 0.95.
    bounds : (float, float), default=(0.0, 1.0)
        Least and greatest possible value, at which intervals are cut.

    Returns
    -------
    list of Interval or None
        None where no resample defines the statistics.

    References
    ----------
    Davison and Hinkley, "Bootstrap Methods and their Application" (1997), section 5.2.

    Examples
    --------
    >>> low, high = reflected_intervals(np.array([0.6]), np.array([[0.5], [0.6]]), 0.5)[0]
    >>> round(low, 3), round(high, 3)
    (0.625, 0.675)
    """
    found = percentile_intervals(replicates, level)
    if found is None:
        return None
    least, greatest = bounds
    return [
        Interval(max(least, float(2 * value - high)), min(greatest, float(2 * value - low)))
        for value, (low, high) in zip(values, found, strict=True)
    ]
