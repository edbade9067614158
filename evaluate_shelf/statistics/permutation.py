"""Permutation tests of two models, by swapping their answers to whole groups of items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.parallel import in_order
from evaluate_shelf.statistics.model_pairs import ModelPairs, all_pairs, numbers_of
from evaluate_shelf.statistics.p_values import ROUNDING
from evaluate_shelf.statistics.resamples import Swaps, all_swaps, swaps_matrix
from evaluate_shelf.statistics.sums import Floats, GroupSums, totals_of

_ROWS = 128


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


def permutation_tests(
    statistics: Sequence[GroupSums],
    *,
    task: str,
    seed: int,
    replicates: int,
    pairs: ModelPairs | None = None,
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
    first, second = numbers_of(chosen, len(statistics))
    return Permutations(first, second, extreme / defined, exact, int((tried - defined).sum()))


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


def _counted(statistics: Sequence[GroupSums], pairs: ModelPairs, swaps: Swaps) -> Floats:
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
            extreme = np.abs(swapped) >= np.abs(seen) - ROUNDING
            return int(extreme.sum()), int((~np.isnan(swapped)).sum())

        return np.array([of(*pair) for pair in pairs], dtype=np.float64).T

    counted: Floats = np.sum([*in_order(counts, range(0, len(swaps), _ROWS))], axis=0)
    return counted
