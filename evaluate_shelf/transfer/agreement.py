"""Rank correlation of two scores over models, and its interval from resampling the models.

A resample is the number of copies of each model. Mid-ranks within a resample follow from the
copies by one product of matrices, so that neither ranks nor loops over resamples are needed.
"""

from __future__ import annotations

from dataclasses import dataclass

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
        How many of them gave no correlation, because all models drawn had one score; the interval
        is of the others.
    """

    n: int
    spearman: float | None
    kendall: float | None
    low: float | None
    high: float | None
    level: float
    replicates: int
    undefined: int


def agreement(
    x: Floats, y: Floats, *, seed: int, replicates: int, level: float = 0.95
) -> Agreement:
    """Rank correlation of two scores of the same models, with an interval.

    The interval says how far the correlation hangs on which models happen to be compared. It does
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
    resampled = resampled_spearman(x, y, model_copies(n, seed=seed, replicates=replicates))
    found = percentile_intervals(resampled[:, None], level)
    low, high = (None, None) if found is None else found[0]
    undefined = int(np.isnan(resampled).sum())
    return Agreement(n, value, kendall(x, y), low, high, level, replicates, undefined)


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
    drawn = stream(seed, "models", n_models).integers(n_models, size=(replicates, n_models))
    copies = np.zeros((replicates, n_models))
    np.add.at(copies, (np.arange(replicates)[:, None], drawn), 1.0)
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
    u, v = _centred_ranks(x, copies), _centred_ranks(y, copies)
    of_x, of_y = (copies * u * u).sum(axis=1), (copies * v * v).sum(axis=1)
    # Ranks are halves of whole numbers, so that a variance of zero is exactly zero.
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (copies * u * v).sum(axis=1) / np.sqrt(of_x * of_y)
    return np.where((of_x > 0) & (of_y > 0), np.clip(found, -1.0, 1.0), np.nan)


def _centred_ranks(values: Floats, copies: Floats) -> Floats:
    """Mid-rank of each model among the copies of a resample, less the mean rank."""
    below = (values[:, None] < values) + 0.5 * (values[:, None] == values)
    ranks: Floats = copies @ below - copies.sum(axis=1, keepdims=True) / 2
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
    of_x, of_y = (np.sign(values[:, None] - values) for values in (x, y))
    scale = float(np.sqrt((of_x * of_x).sum() * (of_y * of_y).sum()))
    return float((of_x * of_y).sum()) / scale if scale else None


def _check(x: Floats, y: Floats) -> None:
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError("two scores of each model are needed")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("every score must be finite")
