"""Percentile intervals from resampling groups of items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.statistics.streams import stream


class Interval(NamedTuple):
    """Lower and upper bound of a confidence interval."""

    low: float
    high: float


class Units(NamedTuple):
    """The groups that a bootstrap draws.

    Attributes
    ----------
    of_item : ndarray of int, shape (n_items,)
        Number of each item's group.
    number : int
        Number of groups.
    """

    of_item: NDArray[np.intp]
    number: int


def units(groups: Sequence[str]) -> Units:
    """Number the groups that items belong to, in the order of their names.

    Examples
    --------
    >>> units(["w2", "w1", "w2"])
    Units(of_item=array([1, 0, 1]), number=2)
    """
    names, of_item = np.unique(np.asarray(groups, dtype=object).astype(str), return_inverse=True)
    return Units(of_item, len(names))


def bootstrap_weights(
    resampled: Units, *, task: str, seed: int, replicates: int
) -> Iterator[NDArray[np.float64]]:
    """Give, for each replicate, how often each item is drawn.

    A replicate draws as many groups as there are, with replacement; an item comes as often as
    its group. Models share a task's draws, so that their differences are paired.

    Yields
    ------
    ndarray of float64, shape (n_items,)
        Multiplicities.

    Examples
    --------
    >>> draws = bootstrap_weights(units(["a", "a", "b"]), task="t", seed=42, replicates=3)
    >>> all(w[0] == w[1] and w[0] + w[2] == 2 for w in draws)
    True
    """
    for replicate in range(replicates):
        drawn = stream(seed, task, replicate).integers(resampled.number, size=resampled.number)
        copies = np.bincount(drawn, minlength=resampled.number).astype(np.float64)
        yield copies[resampled.of_item]


def bootstrap_intervals(
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    resampled: Units,
    *,
    task: str,
    seed: int,
    replicates: int,
    level: float,
) -> list[Interval] | None:
    """Percentile intervals of several statistics of the same resamples.

    Parameters
    ----------
    statistic : callable
        Takes the items' multiplicities, shape (n_items,), and gives the values of the
        statistics, shape (n_statistics,). A NaN says that the statistic is not defined in a
        resample; that resample then counts for none.
    resampled : Units
        The groups that are drawn.
    task : str
        The task's id, part of the random stream's key.
    seed, replicates : int
        The protocol's seed and number of resamples.
    level : float
        Coverage, for example 0.95.

    Returns
    -------
    list of Interval or None
        One for each statistic; None where there are fewer than two groups to draw from, or no
        resample defines the statistics.

    References
    ----------
    Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13; groups are drawn
    whole because items of one group are not independent (Field and Welsh, JRSS B 69 (2007)).

    Examples
    --------
    >>> values = np.array([0.0, 1.0, 1.0, 0.0])
    >>> mean = lambda w: np.array([(w * values).sum() / w.sum()])
    >>> low, high = bootstrap_intervals(mean, units(["a", "b", "c", "d"]), task="t", seed=42,
    ...                                 replicates=200, level=0.95)[0]
    >>> bool(low < 0.5 < high)
    True
    """
    if resampled.number < 2:
        return None
    draws = bootstrap_weights(resampled, task=task, seed=seed, replicates=replicates)
    values = np.array([statistic(weights) for weights in draws])
    defined = values[~np.isnan(values).any(axis=1)]
    if not len(defined):
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail], axis=0)
    return [Interval(float(lo), float(hi)) for lo, hi in zip(low, high, strict=True)]
