"""Differences of models that answered the same items, with intervals and p-values."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.statistics.dyadic import dyadic_difference_variances
from evaluate_shelf.statistics.model_pairs import ModelPairs, numbers_of
from evaluate_shelf.statistics.p_values import in_errors, normal_p
from evaluate_shelf.statistics.resamples import copies_matrix
from evaluate_shelf.statistics.sums import Floats, GroupSums, observed, replicated


class Differences(NamedTuple):
    """Differences between pairs of models, the first less the second.

    All arrays have shape (n_pairs,).

    Attributes
    ----------
    first, second : ndarray of int
        Numbers of the two models.
    value : ndarray of float64
        Difference of their scores.
    low, high : ndarray of float64
        Confidence interval of the difference.
    error : ndarray of float64
        Its standard error.
    p : ndarray of float64
        Two-sided p-value by the method's own rule, for the difference 0.
    p_normal : ndarray of float64
        Two-sided p-value of value / error under a normal (Student's for tasks) distribution. Unlike
        that of a bootstrap it has no least value.
    n_undefined : int
        Number of resamples that count for none, since a model's metric is not defined in them.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    value: Floats
    low: Floats
    high: Floats
    error: Floats
    p: Floats
    p_normal: Floats
    n_undefined: int


def paired_bootstrap(
    statistics: Sequence[GroupSums],
    *,
    task: str,
    seed: int,
    replicates: int,
    level: float,
    pairs: ModelPairs | None = None,
) -> Differences | None:
    """Differences of models on a task, from the resamples that their scores' intervals have.

    Parameters
    ----------
    statistics : sequence of GroupSums
        One for each model, over the same groups.
    task, seed, replicates
        As for `resamples.copies_matrix`.
    level : float
        Coverage, for example 0.95.
    pairs : sequence of (int, int), default=None
        Which models to compare; all with all where absent.

    Returns
    -------
    Differences or None
        None where there are fewer than two groups, or no resample defines all metrics.

    Examples
    --------
    >>> from evaluate_shelf.statistics.bootstrap import units
    >>> from evaluate_shelf.statistics.sums import mean_sums
    >>> groups = units([str(number) for number in range(40)])
    >>> better, worse = np.ones(40), np.tile([0.0, 1.0, 1.0, 1.0], 10)
    >>> found = paired_bootstrap([mean_sums(values, groups) for values in (better, worse)],
    ...                          task="t", seed=42, replicates=2000, level=0.95)
    >>> found.value.tolist(), bool(0.1 < found.low[0] < 0.25 < found.high[0] < 0.4)
    ([0.25], True)
    """
    n_units = statistics[0].n_units
    if n_units < 2:
        return None
    copies = copies_matrix(n_units, task=task, seed=seed, replicates=replicates)
    values = np.array([observed(one) for one in statistics])
    return bootstrap_differences(values, replicated(statistics, copies), level=level, pairs=pairs)


def bootstrap_differences(
    values: Floats, replicates: Floats, *, level: float, pairs: ModelPairs | None = None
) -> Differences | None:
    """Differences of models from their values in the same resamples.

    The interval is that of the percentiles. The p-value goes with it: twice the smaller share of
    resamples with a difference of at least 0, and of at most 0, the observed one counted in.

    Parameters
    ----------
    values : ndarray of float64, shape (n_models,)
        The models' scores.
    replicates : ndarray of float64, shape (n_replicates, n_models)
        From `sums.replicated`. A resample with a NaN counts for none, as for the scores' intervals.
    level, pairs
        As for `paired_bootstrap`.

    Returns
    -------
    Differences or None
        None where no resample defines all metrics.

    References
    ----------
    Davison and Hinkley, "Bootstrap Methods and their Application" (1997), sections 4.2.5 and 5.4,
    for counting the observed value in.
    """
    defined = np.ascontiguousarray(replicates[~np.isnan(replicates).any(axis=1)].T)
    n_replicates = defined.shape[1]
    if not n_replicates:
        return None
    first, second = numbers_of(pairs, len(values))
    tail = (1 - level) / 2
    low, high, error, p = (np.empty(len(first)) for _ in range(4))
    for number, (one, other) in enumerate(zip(first, second, strict=True)):
        resampled = defined[one] - defined[other]
        low[number], high[number] = np.quantile(resampled, [tail, 1 - tail])
        error[number] = resampled.std(ddof=1) if n_replicates > 1 else 0.0
        fewer = min((resampled <= 0).sum(), (resampled >= 0).sum())
        p[number] = min(1.0, 2 * (1 + fewer) / (n_replicates + 1))
    value = values[first] - values[second]
    return Differences(
        first,
        second,
        value,
        low,
        high,
        error,
        p,
        normal_p(value, error),
        len(replicates) - n_replicates,
    )


def pair_differences(
    values: Floats,
    influences: Floats,
    documents: tuple[NDArray[np.intp], NDArray[np.intp]],
    *,
    level: float,
    width: float = 1.0,
    pairs: ModelPairs | None = None,
) -> Differences:
    """Differences of models on a task of pairs, by the dyadic variance of their difference.

    The influence of a pair on a difference is the difference of its influences; `p` is that of the
    z test, `p_normal` the same.

    Parameters
    ----------
    values : ndarray of float64, shape (n_models,)
        The models' metrics of all pairs.
    influences : ndarray of float64, shape (n_models, n_pairs)
        Each pair's influence on them (`metrics.estimates.Estimate.influence`).
    documents : (ndarray of int, ndarray of int), shape (n_pairs,) each
        Numbers of each pair's two documents.
    level : float
        Coverage.
    width : float, default=1.0
        Largest possible difference: 2 for a correlation.
    pairs : sequence of (int, int), default=None
        Which models to compare; all with all where absent.

    Examples
    --------
    >>> influences = np.array([[0.2, -0.2, 0.1, -0.1], [0.2, -0.2, -0.1, 0.1]])
    >>> found = pair_differences(np.array([0.8, 0.7]), influences,
    ...                          (np.array([0, 2, 4, 6]), np.array([1, 3, 5, 7])), level=0.95)
    >>> found.error.round(4).tolist(), found.p.round(3).tolist()
    ([0.0707], [0.157])
    """
    first, second = numbers_of(pairs, len(values))
    variances = dyadic_difference_variances(influences, *documents)
    value, error = values[first] - values[second], np.sqrt(variances[first, second])
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    low, high = np.maximum(value - half, -width), np.minimum(value + half, width)
    p = normal_p(value, error)
    return Differences(first, second, value, low, high, error, p, p, 0)


def task_differences(
    scores: Floats, *, level: float, pairs: ModelPairs | None = None
) -> Differences | None:
    """Differences of models' means over tasks, by Student's interval and test over tasks.

    The unit is the task: what the interval is about are other tasks of the same kind, not other
    documents. A bootstrap of few tasks is too narrow.

    Parameters
    ----------
    scores : ndarray of float64, shape (n_tasks, n_models)
        Each model's score on each task.
    level, pairs
        As for `paired_bootstrap`.

    Returns
    -------
    Differences or None
        None with fewer than two tasks.

    Examples
    --------
    >>> found = task_differences(np.array([[0.6, 0.5], [0.7, 0.5], [0.8, 0.5]]), level=0.95)
    >>> found.value.round(4).tolist(), found.p.round(4).tolist()
    ([0.2], [0.0742])
    """
    from scipy.special import stdtr, stdtrit

    n_tasks = len(scores)
    if n_tasks < 2:
        return None
    first, second = numbers_of(pairs, scores.shape[1])
    of_tasks = scores[:, first] - scores[:, second]
    value, error = of_tasks.mean(axis=0), of_tasks.std(axis=0, ddof=1) / np.sqrt(n_tasks)
    half = float(stdtrit(n_tasks - 1, (1 + level) / 2)) * error
    p = np.asarray(2 * stdtr(n_tasks - 1, -in_errors(value, error)))
    return Differences(first, second, value, value - half, value + half, error, p, p, 0)
