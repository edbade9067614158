"""A score: a metric's value with its interval and what the interval is over."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.statistics.bootstrap import (
    bootstrap_intervals,
    bootstrap_mean_intervals,
    sums_of_units,
    units,
)
from evaluate_shelf.statistics.intervals import Interval, stated_interval


class Score(NamedTuple):
    """One metric of one task.

    Attributes
    ----------
    metric : str
        Name with its unit, for example `ndcg_at_10`.
    value : float
        The score.
    low, high : float or None
        Confidence interval; None where there is nothing to resample, or none is given.
    unit : str
        What was resampled, for example `spec_id`.
    n_units, n : int
        Number of units, and of items.
    """

    metric: str
    value: float
    low: float | None
    high: float | None
    unit: str
    n_units: int
    n: int


def bootstrapped(
    task: Task,
    protocol: Protocol,
    metrics: dict[str, float],
    statistic: object,
    groups: list[str],
    unit: str | None,
) -> list[Score]:
    """Attach bootstrap intervals to several metrics of the same items.

    Parameters
    ----------
    task : Task
        Its id is part of the random streams' key.
    protocol : Protocol
        Gives seed, replicates and level.
    metrics : dict of str to float
        Name and value, in the order that `statistic` gives them.
    statistic : callable
        From the items' multiplicities to the metrics' values; see `bootstrap_intervals`.
    groups : list of str
        Resampling unit of each item.
    unit : str or None
        The unit's column; the document where there is none.

    Returns
    -------
    list of Score
        In the order of `metrics`.
    """
    resampled = units(groups)
    intervals = bootstrap_intervals(
        statistic,  # type: ignore[arg-type]
        resampled,
        task=task.id,
        seed=protocol.bootstrap.seed,
        replicates=protocol.bootstrap.replicates,
        level=protocol.bootstrap.level,
    )
    bounds: list[Interval | tuple[None, None]] = [(None, None)] * len(metrics)
    if intervals:
        named = zip(metrics.items(), intervals, strict=True)
        bounds = [stated_interval(name, value, own) for (name, value), own in named]
    return [
        Score(name, value, low, high, unit or "document", resampled.number, len(groups))
        for (name, value), (low, high) in zip(metrics.items(), bounds, strict=True)
    ]


def mean_scores(
    task: Task,
    protocol: Protocol,
    values: dict[str, NDArray[np.float64]],
    groups: list[str],
    unit: str | None,
    ratios: dict[str, tuple[str, str]] | None = None,
) -> list[Score]:
    """Means over items, and ratios of such means, with intervals from resampling their groups.

    Parameters
    ----------
    task, protocol, groups, unit
        As for `bootstrapped`.
    values : dict of str to ndarray of float64, shape (n_items,)
        NaN where an item has no value; the mean is over those that have one.
    ratios : dict of str to (str, str), default=None
        Name of a ratio, and the two means that it is of. A mean that is only divided by is named
        here and is no score of its own.

    Returns
    -------
    list of Score
        The means, then the ratios; one that is divided by 0 is left out.
    """
    matrix = np.stack(list(values.values()), axis=1)
    column = {name: number for number, name in enumerate(values)}
    divisors = {bottom for _, bottom in (ratios or {}).values()}
    kept = [column[name] for name in values if name not in divisors]
    over = [(column[top], column[bottom]) for top, bottom in (ratios or {}).values()]
    names = [*(name for name in values if name not in divisors), *(ratios or {})]

    def of_means(means: NDArray[np.float64]) -> NDArray[np.float64]:
        quotients = [means[:, top] / means[:, bottom] for top, bottom in over]
        return np.stack([*(means[:, number] for number in kept), *quotients], axis=1)

    resampled = units(groups)
    sums, counts = sums_of_units(matrix, resampled)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = of_means((sums.sum(axis=0) / counts.sum(axis=0))[None, :])[0]
        intervals = bootstrap_mean_intervals(
            matrix,
            resampled,
            task=task.id,
            seed=protocol.bootstrap.seed,
            replicates=protocol.bootstrap.replicates,
            level=protocol.bootstrap.level,
            of_means=of_means,
        )
    bounds: list[Interval | tuple[None, None]] = (
        [*intervals] if intervals else [(None, None)] * len(names)
    )
    # Each metric is over the items that have it: a query may have a graded gain and no relevance.
    of_metric = [*kept, *(top for top, _ in over)]
    n_units, n = ((counts > 0).sum(axis=0)[of_metric], counts.sum(axis=0)[of_metric])
    return [
        Score(name, float(value), low, high, unit or "document", int(of_units), int(of_items))
        for name, value, (low, high), of_units, of_items in zip(
            names, found, bounds, n_units, n, strict=True
        )
        # A ratio to nothing is no score; a mean over nothing is refused by whoever keeps it.
        if name not in (ratios or {}) or np.isfinite(value)
    ]
