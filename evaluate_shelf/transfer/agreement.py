"""Rank correlation of two scores over models, and its interval from resampling the models.

A resample is the number of copies of each model. Its mid-ranks follow from the copies summed up in
the order of the scores, which is sorted once for all resamples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.statistics.intervals import percentile_intervals
from evaluate_shelf.statistics.streams import stream

Floats = NDArray[np.float64]

FEWEST_MODELS = 4
"""A correlation over fewer models is none: of three, one order in six agrees wholly by chance."""

FEWEST_FOR_INTERVAL = 8
"""Resamples of fewer models hold so few different ones that their spread says nothing: of four in
the same order, every resample agrees wholly."""

_AT_ONCE = 1 << 18
"""Numbers that are worked on together: beside its result, a function takes a few times 2 MiB."""


@dataclass(frozen=True)
class Agreement:
    """How far two scores put models into the same order.

    Attributes
    ----------
    n : int
        Number of models.
    spearman : float or None
        Spearman's correlation, ties at their average rank. None for fewer than four models, or
        where one of the scores is the same for all.
    kendall : float or None
        Kendall's tau-b, None where Spearman's is.
    low, high : float or None
        Percentile interval of Spearman's correlation; None for fewer than eight models.
    level : float
        Its coverage, nominally.
    replicates : int
        Resamples that were drawn.
    undefined : int
        How many of them gave no correlation, because all models drawn had one score; the intervals
        are of the others.
    kendall_low, kendall_high : float or None
        Percentile interval of Kendall's tau-b, from the same resamples.
    """

    n: int
    spearman: float | None
    kendall: float | None
    low: float | None
    high: float | None
    level: float
    replicates: int
    undefined: int
    kendall_low: float | None = None
    kendall_high: float | None = None


def agreement(
    x: Floats, y: Floats, *, seed: int, replicates: int, level: float = 0.95
) -> Agreement:
    """Rank correlations of two scores of the same models, with their intervals.

    An interval says how far the correlation hangs on which models happen to be compared. It does
    not say how well each score is known.

    Parameters
    ----------
    x, y : ndarray of float64, shape (n_models,)
        Two scores of each model, in one order of the models.
    seed, replicates : int
        Of the resamples. Comparisons of as many models share their draws, so that the difference
        of two correlations can be taken resample by resample.
    level : float, default=0.95
        Coverage.

    Returns
    -------
    Agreement

    Raises
    ------
    ValueError
        If there is not one finite score of each kind for each model.

    References
    ----------
    Kendall, "Rank correlation methods" (1948); Efron and Tibshirani, "An introduction to the
    bootstrap" (1993), chapter 13.

    Examples
    --------
    >>> x, y = np.arange(8.0), np.array([0.1, 0.3, 0.2, 0.5, 0.9, 1.0, 1.1, 1.2])
    >>> found = agreement(x, y, seed=42, replicates=200)
    >>> round(found.spearman, 3), round(found.kendall, 3), found.low < 0.97 < found.high
    (0.976, 0.929, True)
    >>> agreement(x[:3], y[:3], seed=42, replicates=200).spearman is None
    True
    """
    _check(x, y)
    n = len(x)
    value = spearman(x, y) if n >= FEWEST_MODELS else None
    if value is None:
        return Agreement(n, None, None, None, None, level, 0, 0)
    if n < FEWEST_FOR_INTERVAL:
        return Agreement(n, value, kendall(x, y), None, None, level, 0, 0)
    copies = model_copies(n, seed=seed, replicates=replicates)
    resampled = resampled_spearman(x, y, copies)
    low, high = _interval(resampled, level)
    undefined = int(np.isnan(resampled).sum())
    ends = _interval(resampled_kendall(x, y, copies), level)
    return Agreement(n, value, kendall(x, y), low, high, level, replicates, undefined, *ends)


def _interval(resampled: Floats, level: float) -> tuple[float, float] | tuple[None, None]:
    found = percentile_intervals(resampled[:, None], level)
    return (None, None) if found is None else found[0]


def model_copies(n_models: int, *, seed: int, replicates: int) -> Floats:
    """How often each model is drawn in each resample of as many models, with replacement.

    Returns
    -------
    ndarray of float64, shape (replicates, n_models)

    Examples
    --------
    >>> model_copies(5, seed=42, replicates=3).sum(axis=1)
    array([5., 5., 5.])
    """
    draws = stream(seed, "models", n_models)
    copies = np.empty((replicates, n_models))
    for rows in blocks(replicates, n_models):
        drawn = draws.integers(n_models, size=copies[rows].shape)
        # Numbered through all resamples, they are counted in one go.
        drawn += n_models * np.arange(len(drawn))[:, None]
        copies[rows] = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
    return copies


def resampled_spearman(x: Floats, y: Floats, copies: Floats) -> Floats:
    """Spearman's correlation in each resample.

    Parameters
    ----------
    x, y : ndarray of float64, shape (n_models,)
        Two scores of each model.
    copies : ndarray of float64, shape (replicates, n_models)
        From `model_copies`; zero leaves a model out.

    Returns
    -------
    ndarray of float64, shape (replicates,)
        NaN where all models of a resample have one score.

    Examples
    --------
    >>> scores = np.array([0.1, 0.2, 0.3])
    >>> resampled_spearman(scores, -scores, np.array([[1.0, 1.0, 1.0], [3.0, 0.0, 0.0]]))
    array([-1., nan])
    """
    of_x, of_y = _order(x), _order(y)
    found = np.empty(len(copies))
    for rows in blocks(len(copies), len(x)):
        by_model = np.ascontiguousarray(copies[rows].T)
        found[rows] = _correlations(of_x, of_y, by_model)
    return found


def blocks(n_rows: int, width: int) -> Iterator[slice]:
    """Rows of a large matrix, as many at a time as take little memory.

    Examples
    --------
    >>> list(blocks(3, 1 << 17))
    [slice(0, 2, None), slice(2, 3, None)]
    """
    step = max(1, _AT_ONCE // max(1, width))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


class _Order(NamedTuple):
    """Models in the order of a score.

    Attributes
    ----------
    ascending : ndarray of int, shape (n_models,)
        Models, lowest score first.
    below, up_to : ndarray of int, shape (n_models,)
        How many models have a lower score than this one, and how many no higher one.
    """

    ascending: NDArray[np.intp]
    below: NDArray[np.intp]
    up_to: NDArray[np.intp]


def _order(values: Floats) -> _Order:
    ascending = np.argsort(values, kind="stable")
    ordered = values[ascending]
    below, up_to = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return _Order(ascending, below, up_to)


def _correlations(of_x: _Order, of_y: _Order, copies: Floats) -> Floats:
    """Spearman's correlation in each column of copies, shape (n_models, n_resamples)."""
    u, v = _centred_ranks(of_x, copies), _centred_ranks(of_y, copies)
    weighted = copies * u
    squares = (weighted * u).sum(axis=0), (copies * v * v).sum(axis=0)
    # Ranks are halves of whole numbers, so that the sums are exact and no variance is nearly zero.
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (weighted * v).sum(axis=0) / np.sqrt(squares[0] * squares[1])
    return np.where((squares[0] > 0) & (squares[1] > 0), np.clip(found, -1.0, 1.0), np.nan)


def _centred_ranks(order: _Order, copies: Floats) -> Floats:
    """Mid-rank of each model among the copies of a resample, less the mean rank."""
    drawn = np.zeros((len(copies) + 1, copies.shape[1]))
    np.cumsum(copies[order.ascending], axis=0, out=drawn[1:])
    ranks: Floats = (drawn[order.below] + drawn[order.up_to] - drawn[-1]) / 2
    return ranks


def spearman(x: Floats, y: Floats) -> float | None:
    """Spearman's correlation; None where one of the scores is the same for all.

    Examples
    --------
    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.5
    """
    value = float(resampled_spearman(x, y, np.ones((1, len(x))))[0])
    return None if np.isnan(value) else value


def kendall(x: Floats, y: Floats) -> float | None:
    """Kendall's tau-b; None where one of the scores is the same for all.

    Examples
    --------
    >>> round(kendall(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])), 6)
    0.333333
    """
    value = float(resampled_kendall(x, y, np.ones((1, len(x))))[0])
    return None if np.isnan(value) else value


def resampled_kendall(x: Floats, y: Floats, copies: Floats) -> Floats:
    """Kendall's tau-b in each resample; parameters and result as for `resampled_spearman`.

    Examples
    --------
    >>> scores = np.array([0.1, 0.2, 0.3])
    >>> resampled_kendall(scores, -scores, np.array([[1.0, 1.0, 1.0], [3.0, 0.0, 0.0]]))
    array([-1., nan])
    """
    # Over pairs of models: in the same order less in the other, apart in x, apart in y.
    sums = np.zeros((3, len(copies)))
    for rows in blocks(len(x), len(x)):
        u, v = (np.sign(values[rows, None] - values) for values in (x, y))
        for own, signs in zip(sums, (u * v, u * u, v * v), strict=True):
            for drawn in blocks(len(copies), len(x)):
                own[drawn] += (copies[drawn, rows] * (copies[drawn] @ signs.T)).sum(axis=1)
    agreed, of_x, of_y = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        found = agreed / np.sqrt(of_x * of_y)
    return np.where((of_x > 0) & (of_y > 0), np.clip(found, -1.0, 1.0), np.nan)


def _check(x: Floats, y: Floats) -> None:
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError("two scores of each model are needed")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("every score must be finite")
