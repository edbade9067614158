"""A score: a metric's value with its interval and what the interval is over."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.statistics.bootstrap import Interval, bootstrap_intervals, units


class Score(NamedTuple):
    """One metric of one task.

    Attributes
    ----------
    metric : str
        Name with its unit, for example `ndcg_at_10`.
    value : float
        The score.
    low, high : float or None
        Confidence interval; None where there is nothing to resample.
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
    bounds: list[Interval | tuple[None, None]] = (
        [*intervals] if intervals else [(None, None)] * len(metrics)
    )
    return [
        Score(name, value, low, high, unit or "document", resampled.number, len(groups))
        for (name, value), (low, high) in zip(metrics.items(), bounds, strict=True)
    ]


def weighted_mean(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Mean over the items that have a value; NaN where none has."""
    defined = ~np.isnan(values)
    total = weights[defined].sum()
    return float((values[defined] * weights[defined]).sum() / total) if total else float("nan")
