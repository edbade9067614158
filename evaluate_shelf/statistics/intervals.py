"""Confidence intervals from the values of resamples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Interval(NamedTuple):
    """Lower and upper bound of a confidence interval."""

    low: float
    high: float


def percentile_intervals(values: NDArray[np.float64], level: float) -> list[Interval] | None:
    """Percentile interval of each statistic over its replicates.

    Parameters
    ----------
    values : ndarray of float64, shape (replicates, n_statistics)
        A replicate with a NaN counts for none.
    level : float
        Coverage.

    Returns
    -------
    list of Interval or None
        None where no replicate defines the statistics.
    """
    defined = values[~np.isnan(values).any(axis=1)]
    if not len(defined):
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail], axis=0)
    return [Interval(float(lo), float(hi)) for lo, hi in zip(low, high, strict=True)]


def reflected(
    value: float, interval: Interval, bounds: tuple[float, float] = (0.0, 1.0)
) -> Interval:
    """A percentile interval reflected at the observed value, also called basic or pivotal.

    A resample lies from the observed score as the observed score lies from the true one. If
    resamples lie lower, as they do for macro-F1 over many small classes, so does the observed
    score, and the true one is to be looked for above it. The percentile interval lies below.

    Parameters
    ----------
    value : float
        The observed value.
    interval : Interval
        From `percentile_intervals`.
    bounds : (float, float), default=(0.0, 1.0)
        Least and greatest possible value, at which the interval is cut.

    References
    ----------
    Davison and Hinkley, "Bootstrap Methods and their Application" (1997), section 5.2.

    Examples
    --------
    >>> low, high = reflected(0.6, Interval(0.525, 0.575))
    >>> round(low, 3), round(high, 3)
    (0.625, 0.675)
    """
    least, greatest = bounds
    return Interval(max(least, 2 * value - interval.high), min(greatest, 2 * value - interval.low))


def stated_interval(metric: str, value: float, interval: Interval) -> Interval:
    """The interval that stands beside a score, from the percentiles of its resamples.

    That of an F1 is reflected, since F1 over small classes is biased downwards, in a resample by as
    much again; where the bias is larger than the interval, it is widened to hold the score. Other
    metrics have the percentiles.

    Parameters
    ----------
    metric : str
        Its name; that of an F1 ends in `_f1`.
    value : float
        The score.
    interval : Interval
        From `percentile_intervals`.

    Examples
    --------
    >>> stated_interval("accuracy", 0.5, Interval(0.25, 0.625))
    Interval(low=0.25, high=0.625)
    >>> stated_interval("macro_f1", 0.5, Interval(0.25, 0.625))
    Interval(low=0.375, high=0.75)
    >>> stated_interval("macro_f1", 0.5, Interval(0.25, 0.375))
    Interval(low=0.5, high=0.75)
    """
    if not metric.endswith("_f1"):
        return interval
    low, high = reflected(value, interval)
    return Interval(min(low, value), max(high, value))
