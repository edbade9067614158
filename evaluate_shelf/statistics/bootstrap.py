"""Percentile intervals from resampling groups of items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.statistics.intervals import Interval, percentile_intervals
from evaluate_shelf.statistics.streams import stream


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


def bootstrap_copies(
    n_units: int, *, task: str, seed: int, replicates: int
) -> Iterator[NDArray[np.float64]]:
    """Give, for each replicate, how often each group is drawn.

    A replicate draws as many groups as there are, with replacement. Models share a task's draws,
    so that their differences are paired.

    Yields
    ------
    ndarray of float64, shape (n_units,)
        Numbers of copies; they add up to n_units.

    Examples
    --------
    >>> [int(c.sum()) for c in bootstrap_copies(4, task="t", seed=42, replicates=2)]
    [4, 4]
    """
    for replicate in range(replicates):
        drawn = stream(seed, task, replicate).integers(n_units, size=n_units)
        yield np.bincount(drawn, minlength=n_units).astype(np.float64)


def bootstrap_weights(
    resampled: Units, *, task: str, seed: int, replicates: int
) -> Iterator[NDArray[np.float64]]:
    """Give, for each replicate, how often each item is drawn: as often as its group.

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
    for copies in bootstrap_copies(resampled.number, task=task, seed=seed, replicates=replicates):
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
    return percentile_intervals(np.array([statistic(weights) for weights in draws]), level)


def bootstrap_mean_intervals(
    values: NDArray[np.float64],
    resampled: Units,
    *,
    task: str,
    seed: int,
    replicates: int,
    level: float,
    of_means: Callable[[NDArray[np.float64]], NDArray[np.float64]] = lambda means: means,
) -> list[Interval] | None:
    """Percentile intervals of the means of several values of each item.

    As `bootstrap_intervals` with a weighted mean, from sums over groups: a replicate costs a
    product of its copies with these sums.

    Parameters
    ----------
    values : ndarray of float64, shape (n_items, n_statistics)
        NaN where an item has no value; the mean is over those that have one.
    resampled, task, seed, replicates, level
        As for `bootstrap_intervals`.
    of_means : callable, default=the means themselves
        From means, shape (replicates, n_statistics), to what the intervals are of: a ratio of two.

    Examples
    --------
    >>> values = np.array([[0.0], [1.0], [1.0], [0.0]])
    >>> low, high = bootstrap_mean_intervals(values, units(["a", "b", "c", "d"]), task="t",
    ...                                      seed=42, replicates=200, level=0.95)[0]
    >>> bool(low < 0.5 < high)
    True
    """
    if resampled.number < 2:
        return None
    sums, counts = sums_of_units(values, resampled)
    draws = bootstrap_copies(resampled.number, task=task, seed=seed, replicates=replicates)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.array([(copies @ sums) / (copies @ counts) for copies in draws])
    return percentile_intervals(of_means(means), level)


def sums_of_units(
    values: NDArray[np.float64], resampled: Units
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum and number of the values that each group has, both of shape (n_units, n_statistics)."""
    defined = ~np.isnan(values)
    filled = np.where(defined, values, 0.0)
    columns = range(values.shape[1])
    of_item, number = resampled.of_item, resampled.number
    sums = [np.bincount(of_item, weights=filled[:, c], minlength=number) for c in columns]
    counts = [np.bincount(of_item, weights=defined[:, c], minlength=number) for c in columns]
    return np.stack(sums, axis=1), np.stack(counts, axis=1).astype(np.float64)
