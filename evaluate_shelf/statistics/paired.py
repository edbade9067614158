"""Differences of models that answered the same items: intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.parallel import in_order
from evaluate_shelf.statistics.dyadic import dyadic_difference_variances
from evaluate_shelf.statistics.resamples import (
    Swaps,
    all_swaps,
    copies_matrix,
    swaps_matrix,
)
from evaluate_shelf.statistics.sums import Floats, GroupSums, observed, replicated, totals_of

Pairs = Sequence[tuple[int, int]]

_ROWS = 128
# Two differences that rounding alone tells apart are one.
_ROUNDING = 1e-10


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


class Permutations(NamedTuple):
    """p-values of permutation tests; arrays of shape (n_pairs,).

    Attributes
    ----------
    first, second : ndarray of int
        Numbers of the two models.
    p : ndarray of float64
        Two-sided p-values.
    exact : ndarray of bool
        Whether all permutations were counted, instead of some drawn at random.
    n_undefined : int
        Number of permutations, over all pairs, that count for none, since a model's metric is not
        defined in them.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    p: Floats
    exact: NDArray[np.bool_]
    n_undefined: int


def all_pairs(n_models: int) -> list[tuple[int, int]]:
    """Every pair of models, the one with the lower number first.

    Examples
    --------
    >>> all_pairs(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return [(i, j) for i in range(n_models) for j in range(i + 1, n_models)]


def paired_bootstrap(
    statistics: Sequence[GroupSums],
    *,
    task: str,
    seed: int,
    replicates: int,
    level: float,
    pairs: Pairs | None = None,
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
    values: Floats, replicates: Floats, *, level: float, pairs: Pairs | None = None
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
    first, second = _numbers(pairs, len(values))
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
    pairs: Pairs | None = None,
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
    first, second = _numbers(pairs, len(values))
    variances = dyadic_difference_variances(influences, *documents)
    value, error = values[first] - values[second], np.sqrt(variances[first, second])
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    low, high = np.maximum(value - half, -width), np.minimum(value + half, width)
    p = normal_p(value, error)
    return Differences(first, second, value, low, high, error, p, p, 0)


def task_differences(
    scores: Floats, *, level: float, pairs: Pairs | None = None
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
    first, second = _numbers(pairs, scores.shape[1])
    of_tasks = scores[:, first] - scores[:, second]
    value, error = of_tasks.mean(axis=0), of_tasks.std(axis=0, ddof=1) / np.sqrt(n_tasks)
    half = float(stdtrit(n_tasks - 1, (1 + level) / 2)) * error
    p = np.asarray(2 * stdtr(n_tasks - 1, -_in_errors(value, error)))
    return Differences(first, second, value, value - half, value + half, error, p, p, 0)


def permutation_tests(
    statistics: Sequence[GroupSums],
    *,
    task: str,
    seed: int,
    replicates: int,
    pairs: Pairs | None = None,
) -> Permutations:
    """Test whether two models are interchangeable, by swapping their answers to whole groups.

    Two-sided: how often the difference of the swapped models is at least as large as the observed
    one, either way. Only groups in which the two models differ matter; where there are so few of
    them that all their swaps are no more than `replicates`, all are counted and the p-value is
    exact. Else `replicates` of them are drawn, and the observed one is counted in.

    For means over tasks, give `mean_sums` with each task as a group: swapping two models' scores of
    a task is flipping the sign of their difference.

    Parameters
    ----------
    statistics : sequence of GroupSums
        One for each model, over the same groups and with the same sums.
    task, seed, replicates
        As for `resamples.swaps_matrix`.
    pairs : sequence of (int, int), default=None
        Which models to compare; all with all where absent.

    Raises
    ------
    ShelfError
        If the models' answers cannot be swapped, as those of clusterings.

    References
    ----------
    Phipson and Smyth, "Permutation p-values should never be zero", Statistical Applications in
    Genetics and Molecular Biology 9 (2010), article 39.

    Examples
    --------
    >>> from evaluate_shelf.statistics.bootstrap import units
    >>> from evaluate_shelf.statistics.sums import mean_sums
    >>> groups = units(list("abcd"))
    >>> models = [mean_sums(values, groups) for values in (np.ones(4), np.zeros(4))]
    >>> found = permutation_tests(models, task="t", seed=42, replicates=2000)
    >>> found.p.tolist(), found.exact.tolist()
    ([0.125], [True])
    """
    if not all(one.swappable for one in statistics):
        raise ShelfError(
            "no permutation test of the adjusted Rand index: the clusters of two models have no "
            "numbers in common, so their answers can't be swapped; take the paired bootstrap"
        )
    chosen = all_pairs(len(statistics)) if pairs is None else list(pairs)
    extreme, defined, tried = (np.zeros(len(chosen)) for _ in range(3))
    exact = np.ones(len(chosen), dtype=bool)
    for number, pair in enumerate(chosen):
        both = [statistics[model] for model in pair]
        swaps = _every_swap(*both, most=replicates)
        if swaps is None:
            exact[number] = False
        else:
            extreme[number], defined[number] = _counted(both, [(0, 1)], swaps)[:, 0]
            tried[number] = len(swaps)
    if not exact.all():
        drawn = np.flatnonzero(~exact)
        n_units = statistics[0].n_units
        swaps = swaps_matrix(n_units, task=task, seed=seed, replicates=replicates)
        counted = _counted(statistics, [chosen[number] for number in drawn], swaps)
        # The observed one is not among those that are drawn, so it is added.
        extreme[drawn], defined[drawn] = counted + 1
        tried[drawn] = replicates + 1
    first, second = _numbers(chosen, len(statistics))
    return Permutations(first, second, extreme / defined, exact, int((tried - defined).sum()))


def normal_p(value: Floats, error: Floats) -> Floats:
    """Two-sided p-values of values whose errors are normal; 1 where both are 0.

    Examples
    --------
    >>> normal_p(np.array([1.96, 0.0]), np.array([1.0, 0.0])).round(3).tolist()
    [0.05, 1.0]
    """
    from scipy.special import erfc

    return np.asarray(erfc(_in_errors(value, error) / np.sqrt(2)), dtype=np.float64)


def square(first: NDArray[np.intp], second: NDArray[np.intp], of_pairs: Floats) -> Floats:
    """What all pairs of models have as a symmetric matrix, 0 on its diagonal.

    Parameters
    ----------
    first, second : ndarray of int, shape (n_pairs,)
        Numbers of the models; every pair is there once.
    of_pairs : ndarray of float64, shape (n_pairs,)

    Examples
    --------
    >>> square(np.array([0]), np.array([1]), np.array([0.5])).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    n_models = int(max(first.max(initial=0), second.max(initial=0))) + 1
    matrix = np.zeros((n_models, n_models))
    matrix[first, second] = matrix[second, first] = of_pairs
    return matrix


def _every_swap(one: GroupSums, other: GroupSums, *, most: int) -> Swaps | None:
    """All swaps of the groups in which two models differ; None if they are more than so many."""
    difference = (one.sums - other.sums).tocoo()
    groups = np.unique(difference.col[difference.data != 0])
    # Not as a power of two, which many groups make too large for any memory.
    if len(groups) - 1 > math.log2(most):
        return None
    patterns = all_swaps(len(groups))
    swaps = np.zeros((len(patterns), one.n_units), dtype=np.uint8)
    swaps[:, groups] = patterns
    return swaps


def _counted(statistics: Sequence[GroupSums], pairs: Pairs, swaps: Swaps) -> Floats:
    """Of each pair, in how many swaps its difference is extreme and in how many it is defined.

    Returns
    -------
    ndarray of float64, shape (2, n_pairs)
    """
    whole = [*totals_of(statistics, np.ones((swaps.shape[1], 1), dtype=np.uint8))]

    def counts(start: int) -> Floats:
        moved = [*totals_of(statistics, swaps[start : start + _ROWS].T)]
        none = np.empty((0, moved[0].shape[1]))

        def of(one: int, other: int) -> tuple[int, int]:
            shift = moved[other] - moved[one]
            first, second = statistics[one].value, statistics[other].value
            seen = first(whole[one], none) - second(whole[other], none)
            swapped = first(whole[one] + shift, none) - second(whole[other] - shift, none)
            extreme = np.abs(swapped) >= np.abs(seen) - _ROUNDING
            return int(extreme.sum()), int((~np.isnan(swapped)).sum())

        return np.array([of(*pair) for pair in pairs], dtype=np.float64).T

    counted: Floats = np.sum([*in_order(counts, range(0, len(swaps), _ROWS))], axis=0)
    return counted


def _numbers(pairs: Pairs | None, n_models: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    chosen = all_pairs(n_models) if pairs is None else pairs
    first, second = np.array([*chosen], dtype=np.intp).reshape(-1, 2).T
    return first, second


def _in_errors(value: Floats, error: Floats) -> Floats:
    """How many errors a value lies from 0; without an error, 0 or infinitely many."""
    size = np.abs(value)
    ratio: Floats = np.where(size > _ROUNDING, np.inf, 0.0)
    np.divide(size, error, out=ratio, where=error > 0)
    return ratio
