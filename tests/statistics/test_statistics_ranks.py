"""Rank intervals, tie groups and the smallest difference that a table resolves."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.statistics.ranks import (
    normal_replicates,
    rank_intervals,
    ranks_by_tests,
    smallest_resolvable_difference,
    tie_groups,
    tie_letters,
)


def graph(seed: int, n: int, share: float) -> np.ndarray:
    """Which of n models differ, by chance."""
    upper = np.triu(np.random.default_rng(seed).random((n, n)) < share, 1)
    return upper | upper.T


@given(st.integers(0, 10_000), st.integers(1, 7))
@settings(max_examples=40, deadline=None)
def test_rank_intervals_are_percentiles_of_scipy_s_ranks(seed: int, n: int) -> None:
    replicates = np.random.default_rng(seed).integers(0, 5, (80, n)) / 4
    found = rank_intervals(replicates, 0.9)
    assert found is not None
    best = stats.rankdata(-replicates, axis=1, method="min")
    worst = stats.rankdata(-replicates, axis=1, method="max")
    # Of 80 sorted values the outer four on each side are left out.
    np.testing.assert_array_equal(found.low, np.sort(best, axis=0)[3])
    np.testing.assert_array_equal(found.high, np.sort(worst, axis=0)[76])


def test_a_rank_s_interval_leaves_undefined_resamples_out() -> None:
    nan = float("nan")
    found = rank_intervals(np.array([[0.9, 0.1], [nan, 0.5]]), 0.95)
    assert found is not None
    assert found.low.tolist() == found.high.tolist() == [1, 2]
    assert rank_intervals(np.array([[nan, 0.5]]), 0.95) is None


def test_normal_draws_have_the_given_means_and_covariances() -> None:
    covariance = np.array([[4.0, 1.9, 0.0], [1.9, 1.0, 0.0], [0.0, 0.0, 0.0]])
    values = np.array([1.0, 2.0, 3.0])
    drawn = normal_replicates(values, covariance, task="t", seed=42, replicates=40_000)
    np.testing.assert_allclose(drawn.mean(axis=0), values, atol=0.05)
    np.testing.assert_allclose(np.cov(drawn, rowvar=False), covariance, atol=0.1)
    assert (drawn[:, 2] == 3.0).all()


@given(st.integers(0, 10_000), st.integers(1, 8), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_tie_groups_are_all_largest_sets_without_a_difference(
    seed: int, n: int, share: float
) -> None:
    differ = graph(seed, n, share)
    values = np.random.default_rng(seed).integers(0, 4, n) / 4
    alike = [
        frozenset(chosen)
        for size in range(1, n + 1)
        for chosen in combinations(range(n), size)
        if not any(differ[a, b] for a, b in combinations(chosen, 2))
    ]
    largest = {group for group in alike if not any(group < other for other in alike)}
    found = tie_groups(values, differ)
    assert {frozenset(group) for group in found} == largest
    assert len(found) == len(largest)
    for group in found:
        assert list(group) == sorted(group, key=lambda model: (-values[model], model))
    letters = [set(text.split()) for text in tie_letters(found, n)]
    for a, b in combinations(range(n), 2):
        assert bool(letters[a] & letters[b]) == (not differ[a, b])


def test_letters_go_on_after_z() -> None:
    groups = [(number,) for number in range(28)]
    assert tie_letters(groups, 28)[25:] == ["z", "a2", "b2"]


def test_more_tie_groups_than_a_reader_can_use_are_refused() -> None:
    """Threes of which each differ among themselves alone: 3 ** 9 groups."""
    differ = np.kron(np.eye(9, dtype=int), 1 - np.eye(3, dtype=int)).astype(bool)
    with pytest.raises(ShelfError, match="compare fewer"):
        tie_groups(np.arange(27.0), differ)


@given(st.integers(0, 10_000), st.integers(1, 9))
def test_ranks_by_tests_hold_the_observed_rank(seed: int, n: int) -> None:
    values = np.random.default_rng(seed).permutation(n) / n
    differ = graph(seed, n, 0.5)
    found = ranks_by_tests(values, differ)
    rank = stats.rankdata(-values).astype(int)
    assert (found.low <= rank).all()
    assert (rank <= found.high).all()
    everything = ranks_by_tests(values, ~np.eye(n, dtype=bool))
    assert everything.low.tolist() == everything.high.tolist() == rank.tolist()
    nothing = ranks_by_tests(values, np.zeros((n, n), dtype=bool))
    assert set(nothing.low) == {1}
    assert set(nothing.high) == {n}


def test_the_smallest_difference_is_the_median_over_neighbours() -> None:
    values = np.array([0.1, 0.9, 0.5, 0.7])
    errors = np.full((4, 4), 9.0)
    for (a, b), error in {(1, 3): 0.02, (3, 2): 0.05, (2, 0): 0.03}.items():
        errors[a, b] = errors[b, a] = error
    z = stats.norm.ppf
    for alpha in (0.05, 0.05 / 253):
        found = smallest_resolvable_difference(values, errors, alpha=alpha)
        assert found == pytest.approx(0.03 * z(1 - alpha / 2))
        found = smallest_resolvable_difference(values, errors, alpha=alpha, power=0.8)
        assert found == pytest.approx(0.03 * (z(1 - alpha / 2) + z(0.8)))
    assert smallest_resolvable_difference(values[:1], errors, alpha=0.05) is None


def test_models_that_answer_alike_say_nothing_of_what_a_task_resolves() -> None:
    values = np.array([0.9, 0.8, 0.8])
    errors = np.array([[0.0, 0.02, 0.02], [0.02, 0.0, 0.0], [0.02, 0.0, 0.0]])
    found = smallest_resolvable_difference(values, errors, alpha=0.05)
    assert found == pytest.approx(0.02 * stats.norm.ppf(0.975))
    assert smallest_resolvable_difference(values[1:], errors[1:, 1:], alpha=0.05) is None


@pytest.mark.parametrize("n_tests", [1, 20, 500])
@pytest.mark.parametrize("n_units", [12, 60, 1000])
def test_a_difference_of_the_size_with_power_is_told_apart_so_often(
    n_tests: int, n_units: int
) -> None:
    """By the t test whose p-value Holm's correction has to find the least of so many."""
    random = np.random.default_rng(n_tests)
    deviation, alpha = 0.1, 0.05 / n_tests
    error = deviation / n_units**0.5
    size = smallest_resolvable_difference(
        np.array([1.0, 0.0]),
        np.array([[0, error], [error, 0]]),
        alpha=alpha,
        freedom=n_units - 1,
        power=0.8,
    )
    assert size is not None
    means = random.normal(size, error, 100_000)
    squares = random.chisquare(n_units - 1, 100_000) / (n_units - 1)
    p = 2 * stats.t.sf(np.abs(means) / (error * np.sqrt(squares)), n_units - 1)
    assert (p <= alpha).mean() == pytest.approx(0.8, abs=0.01)
