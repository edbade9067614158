"""Differences of models: against scipy, against enumeration, and what must hold of p-values."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.metrics.classification import confusion_matrix, macro_f1
from evaluate_shelf.metrics.pairs import auc_roc
from evaluate_shelf.statistics.bootstrap import Units
from evaluate_shelf.statistics.differences import (
    bootstrap_differences,
    pair_differences,
    paired_bootstrap,
    task_differences,
)
from evaluate_shelf.statistics.dyadic import dyadic_variance, normal_interval
from evaluate_shelf.statistics.model_pairs import all_pairs, square
from evaluate_shelf.statistics.permutation import permutation_tests
from evaluate_shelf.statistics.sums import GroupSums, ari_sums, macro_f1_sums, mean_sums

KEY = {"task": "t", "seed": 42, "replicates": 2000}


def alone(n: int) -> Units:
    """Every item a group."""
    return Units(np.arange(n), n)


def means(columns: np.ndarray) -> list[GroupSums]:
    """A model for each column."""
    return [mean_sums(column, alone(len(columns))) for column in columns.T]


def test_paired_interval_is_that_of_scipy() -> None:
    random = np.random.default_rng(4)
    shared = random.normal(size=(90, 1))
    scores = shared + random.normal(0.2, 0.5, size=(90, 2)) * [1.0, 0.4]
    ours = paired_bootstrap(means(scores), **KEY, level=0.95)
    assert ours is not None
    theirs = stats.bootstrap(
        (scores[:, 0], scores[:, 1]),
        lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(1),
    )
    low, high = theirs.confidence_interval
    assert ours.low[0] == pytest.approx(low, abs=0.05 * (high - low))
    assert ours.high[0] == pytest.approx(high, abs=0.05 * (high - low))
    assert ours.error[0] == pytest.approx(theirs.standard_error, rel=0.05)


@given(st.integers(0, 100_000), st.floats(-0.3, 0.3))
@settings(max_examples=40, deadline=None)
def test_the_bootstrap_s_p_value_goes_with_its_interval(seed: int, shift: float) -> None:
    resampled = np.random.default_rng(seed).normal(size=(999, 2)) * 0.1 + [0.5 + shift, 0.5]
    found = bootstrap_differences(np.array([0.5 + shift, 0.5]), resampled, level=0.95)
    assert found is not None
    assert 2 / 1000 <= found.p[0] <= 1
    outside = found.low[0] > 0 or found.high[0] < 0
    # Twice 25 of 1,000 is where the interval ends, within one resample.
    if abs(found.p[0] - 0.05) > 0.004:
        assert outside == (found.p[0] < 0.05)


def test_differences_of_all_pairs_are_those_of_each_pair() -> None:
    random = np.random.default_rng(8)
    statistics = means(random.random((50, 4)) * [1, 1, 0.8, 0.2])
    together = paired_bootstrap(statistics, **KEY, level=0.9)
    assert together is not None
    for number, (one, other) in enumerate(all_pairs(4)):
        apart = paired_bootstrap([statistics[one], statistics[other]], **KEY, level=0.9)
        back = paired_bootstrap([statistics[other], statistics[one]], **KEY, level=0.9)
        assert apart is not None
        assert back is not None
        for name in ("value", "low", "high", "error", "p", "p_normal"):
            assert getattr(apart, name)[0] == getattr(together, name)[number]
        assert back.low[0] == pytest.approx(-apart.high[0])
        assert back.p[0] == apart.p[0]


def test_equal_models_do_not_differ_by_any_test() -> None:
    column = np.random.default_rng(2).random(30)
    statistics = means(np.column_stack([column, column]))
    found = paired_bootstrap(statistics, **KEY, level=0.95)
    assert found is not None
    assert (found.value[0], found.low[0], found.high[0], found.error[0]) == (0, 0, 0, 0)
    assert found.p[0] == found.p_normal[0] == 1
    tests = permutation_tests(statistics, **KEY)
    assert tests.p[0] == 1
    assert tests.exact[0]


def test_undefined_resamples_count_for_none_and_are_counted() -> None:
    nan = float("nan")
    replicates = np.array([[0.5, 0.1], [nan, 0.1], [0.7, 0.2], [0.6, nan]])
    found = bootstrap_differences(np.array([0.6, 0.1]), replicates, level=0.95)
    assert found is not None
    assert found.n_undefined == 2
    assert found.p[0] == 2 / 3
    assert bootstrap_differences(np.zeros(2), np.full((3, 2), nan), level=0.95) is None


def test_one_group_has_no_difference_to_bootstrap() -> None:
    groups = Units(np.zeros(4, dtype=np.intp), 1)
    one, other = (mean_sums(np.array(v), groups) for v in ([1.0] * 4, [0.0, 1, 1, 0]))
    assert paired_bootstrap([one, other], **KEY, level=0.95) is None


@pytest.mark.parametrize("seed", range(6))
def test_few_items_are_permuted_exactly_as_scipy_does(seed: int) -> None:
    random = np.random.default_rng(seed)
    scores = random.integers(0, 4, (9, 2)) / 4
    found = permutation_tests(means(scores), **KEY)
    theirs = stats.permutation_test(
        (scores[:, 0], scores[:, 1]),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
        alternative="two-sided",
    )
    assert found.exact[0]
    assert found.p[0] == pytest.approx(theirs.pvalue)


def test_many_items_are_permuted_by_draws_near_scipy_s() -> None:
    random = np.random.default_rng(1)
    scores = random.random((80, 2)) + np.array([0.1, 0.0])
    found = permutation_tests(means(scores), task="t", seed=42, replicates=9999)
    theirs = stats.permutation_test(
        (scores[:, 0], scores[:, 1]),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        n_resamples=9999,
        vectorized=True,
        rng=np.random.default_rng(3),
    )
    assert not found.exact[0]
    assert found.p[0] == pytest.approx(theirs.pvalue, abs=0.02)
    assert (found.p[0] * 10_000) == pytest.approx(round(found.p[0] * 10_000))


@pytest.mark.parametrize("seed", range(5))
def test_groups_are_swapped_whole_and_macro_f1_is_taken_anew(seed: int) -> None:
    """Against every swap of groups, one by one."""
    random = np.random.default_rng(seed)
    groups = np.array([0, 0, 0, 1, 1, 2, 3, 3, 4, 5, 5, 5])
    gold = random.integers(0, 3, 12)
    first, second = (np.where(random.random(12) < p, gold, (gold + 1) % 3) for p in (0.9, 0.4))

    def difference(swapped: np.ndarray) -> float:
        a, b = np.where(swapped, second, first), np.where(swapped, first, second)
        return macro_f1(confusion_matrix(gold, a, 3)) - macro_f1(confusion_matrix(gold, b, 3))

    every = [abs(difference(np.array(row)[groups])) for row in product([False, True], repeat=6)]
    expected = np.mean(np.array(every) >= every[0] - 1e-12)
    statistics = [macro_f1_sums(gold, p, 3, Units(groups, 6)) for p in (first, second)]
    found = permutation_tests(statistics, **KEY)
    assert found.exact[0]
    assert found.p[0] == pytest.approx(expected)
    drawn = permutation_tests(statistics, task="t", seed=7, replicates=4)
    if not drawn.exact[0]:
        assert drawn.p[0] in {1 / 5, 2 / 5, 3 / 5, 4 / 5, 1.0}


def test_no_p_value_of_drawn_swaps_is_less_than_one_in_all() -> None:
    scores = np.column_stack([np.ones(200), np.zeros(200)])
    found = permutation_tests(means(scores), task="t", seed=42, replicates=99)
    assert found.p[0] == 1 / 100


def test_tests_of_all_pairs_are_those_of_each_pair() -> None:
    random = np.random.default_rng(6)
    columns = random.random((60, 4))
    # Two of the models differ in three items alone, which is counted exactly.
    columns[3:, 1] = columns[3:, 0]
    statistics = means(columns)
    together = permutation_tests(statistics, task="t", seed=42, replicates=300)
    for number, (one, other) in enumerate(all_pairs(4)):
        for pair in ((one, other), (other, one)):
            apart = permutation_tests(
                [statistics[m] for m in pair], task="t", seed=42, replicates=300
            )
            assert apart.p[0] == together.p[number]
            assert apart.exact[0] == together.exact[number] == ((one, other) == (0, 1))


def test_clusterings_are_refused_by_name() -> None:
    labels = np.array([0, 0, 1, 1])
    statistics = [ari_sums(labels, labels[::order], alone(4)) for order in (1, -1)]
    with pytest.raises(ShelfError, match="adjusted Rand index"):
        permutation_tests(statistics, **KEY)


def test_pairs_differ_by_the_dyadic_variance_of_their_influences_difference() -> None:
    random = np.random.default_rng(3)
    documents = tuple(random.integers(0, 30, (2, 120)))
    label = random.random(120) < 0.5
    found = [auc_roc(label, label * shift + random.normal(size=120)) for shift in (2.0, 1.0, 0.1)]
    values = np.array([one.value for one in found])
    influences = np.array([one.influence for one in found])
    ours = pair_differences(values, influences, documents, level=0.95)
    for number, (one, other) in enumerate(all_pairs(3)):
        variance = dyadic_variance(influences[one] - influences[other], *documents)
        value = values[one] - values[other]
        interval = normal_interval(value, variance, 0.95, (-1.0, 1.0))
        assert (ours.low[number], ours.high[number]) == pytest.approx(interval)
        assert ours.p[number] == pytest.approx(2 * stats.norm.sf(abs(value) / variance**0.5))


def test_means_over_tasks_are_compared_as_by_a_paired_t_test() -> None:
    random = np.random.default_rng(5)
    scores = random.random((7, 3))
    ours = task_differences(scores, level=0.9)
    assert ours is not None
    for number, (one, other) in enumerate(all_pairs(3)):
        theirs = stats.ttest_rel(scores[:, one], scores[:, other])
        low, high = theirs.confidence_interval(0.9)
        assert ours.p[number] == pytest.approx(theirs.pvalue)
        assert (ours.low[number], ours.high[number]) == pytest.approx((low, high))
    assert task_differences(scores[:1], level=0.9) is None


def test_swapping_tasks_is_flipping_signs() -> None:
    random = np.random.default_rng(12)
    scores = random.random((8, 2))
    difference = scores[:, 0] - scores[:, 1]
    signs = np.array([*product([-1, 1], repeat=8)])
    expected = np.mean(np.abs(signs @ difference) >= abs(difference.sum()) - 1e-12)
    assert permutation_tests(means(scores), **KEY).p[0] == pytest.approx(expected)


def test_square_puts_pairs_where_they_belong() -> None:
    first, second = np.array(all_pairs(4)).T
    matrix = square(first, second, np.arange(1.0, 7.0))
    assert matrix[1, 3] == matrix[3, 1] == 5.0
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_array_equal(np.diag(matrix), np.zeros(4))
