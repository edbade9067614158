"""Correlations and intervals against scipy, resample by resample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, rankdata, spearmanr

from evaluate_shelf.statistics.streams import stream
from evaluate_shelf.transfer.agreement import (
    agreement,
    kendall,
    model_copies,
    resampled_kendall,
    resampled_spearman,
    spearman,
)
from evaluate_shelf.transfer.influence import without_each_model

# Few values, so that ties are frequent.
SCORES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=4, max_size=12)


def columns(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.array(pairs, dtype=np.float64).T
    return x / 7, y / 7


def varied(values: np.ndarray) -> bool:
    return len(np.unique(values)) > 1


@given(SCORES)
def test_correlations_are_those_of_scipy(pairs: list[tuple[int, int]]) -> None:
    x, y = columns(pairs)
    if varied(x) and varied(y):
        assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
        assert kendall(x, y) == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)
    else:
        assert spearman(x, y) is None
        assert kendall(x, y) is None


@given(SCORES, st.integers(0, 5))
def test_each_resample_is_scipy_on_the_drawn_models(
    pairs: list[tuple[int, int]], seed: int
) -> None:
    x, y = columns(pairs)
    copies = model_copies(len(x), seed=seed, replicates=5)
    for found, own in zip(resampled_spearman(x, y, copies), copies, strict=True):
        drawn = np.repeat(np.arange(len(x)), own.astype(int))
        if varied(x[drawn]) and varied(y[drawn]):
            assert found == pytest.approx(spearmanr(x[drawn], y[drawn]).statistic, abs=1e-12)
        else:
            assert np.isnan(found)


def quadratic_ranks(values: np.ndarray, copies: np.ndarray) -> np.ndarray:
    """Mid-ranks less their mean, from a comparison of every two models."""
    below = (values[:, None] < values) + 0.5 * (values[:, None] == values)
    return copies @ below - copies.sum(axis=1, keepdims=True) / 2


def expanded_ranks(values: np.ndarray, copies: np.ndarray) -> np.ndarray:
    """The same by scipy, of every copy by itself; zero for models that are not drawn."""
    found = np.zeros(copies.shape)
    for own, row in zip(copies.astype(int), found, strict=True):
        drawn = np.repeat(np.arange(len(values)), own)
        row[drawn] = rankdata(values[drawn]) - (len(drawn) + 1) / 2
    return found


def correlations(u: np.ndarray, v: np.ndarray, copies: np.ndarray) -> np.ndarray:
    uu, vv, uv = (np.einsum("rm,rm,rm->r", copies, *two) for two in ((u, u), (v, v), (u, v)))
    return np.array(
        [c / np.sqrt(a * b) if a and b else np.nan for a, b, c in zip(uu, vv, uv, strict=True)]
    )


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(
            st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=n, max_size=n),
            st.lists(st.lists(st.integers(0, 4), min_size=n, max_size=n), max_size=6),
        )
    )
)
def test_ranks_are_those_of_comparing_every_two_models(
    drawn: tuple[list[tuple[int, int]], list[list[int]]],
) -> None:
    pairs, rows = drawn
    x, y = columns(pairs)
    # Not as many copies as models: the ranks follow from whatever copies there are.
    copies = np.array(rows, dtype=np.float64).reshape(-1, len(x))
    found = resampled_spearman(x, y, copies)
    for ranks in (quadratic_ranks, expanded_ranks):
        wanted = correlations(ranks(x, copies), ranks(y, copies), copies)
        assert found == pytest.approx(wanted, abs=1e-12, nan_ok=True)


def test_many_models_have_the_same_ranks_and_draws() -> None:
    n = 1001
    draws = np.random.Generator(np.random.PCG64(5))
    x = np.round(draws.normal(size=n), 2)
    y = np.round(x + draws.normal(size=n), 1)
    copies = model_copies(n, seed=42, replicates=600)
    drawn = stream(42, "models", n).integers(n, size=(600, n))
    assert np.array_equal(copies, [np.bincount(row, minlength=n) for row in drawn])
    found = resampled_spearman(x, y, copies)
    wanted = correlations(quadratic_ranks(x, copies), quadratic_ranks(y, copies), copies)
    assert found == pytest.approx(wanted, abs=1e-12)
    assert kendall(x, y) == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)
    left_out = without_each_model(x, y)
    assert len(left_out) == n
    for model in (0, 500, n - 1):
        expected = spearman(np.delete(x, model), np.delete(y, model))
        assert left_out[model] == pytest.approx(expected, abs=1e-12)


@given(SCORES)
def test_only_the_order_counts(pairs: list[tuple[int, int]]) -> None:
    x, y = columns(pairs)
    found = agreement(x, y, seed=42, replicates=50)
    assert agreement(np.exp(3 * x), y - 100, seed=42, replicates=50) == found
    swapped = agreement(y, x, seed=42, replicates=50)
    assert swapped == found


def test_the_interval_is_the_papers_method() -> None:
    draws = np.random.Generator(np.random.PCG64(3))
    x = draws.normal(size=20)
    y = x + draws.normal(size=20)
    found = agreement(x, y, seed=42, replicates=2000)
    own = np.random.Generator(np.random.PCG64(4))
    resampled = [
        spearmanr(x[drawn], y[drawn]).statistic
        for drawn in (own.integers(20, size=20) for _ in range(2000))
    ]
    # Other draws, so equal but for the error of 2,000 resamples.
    low, high = np.quantile(resampled, [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=0.05)
    assert found.high == pytest.approx(high, abs=0.02)


def test_kendalls_interval_is_of_the_same_resamples() -> None:
    draws = np.random.default_rng(5)
    x = np.round(draws.normal(size=14), 1)
    y = np.round(x + draws.normal(size=14), 1)
    found = agreement(x, y, seed=42, replicates=300)
    copies = model_copies(14, seed=42, replicates=300).astype(int)
    taus = [
        kendalltau(np.repeat(x, own), np.repeat(y, own), variant="b").statistic for own in copies
    ]
    assert resampled_kendall(x, y, copies.astype(float)) == pytest.approx(taus, abs=1e-12)
    ends = np.quantile(taus, [0.025, 0.975])
    assert [found.kendall_low, found.kendall_high] == pytest.approx(ends, abs=1e-12)
    few = agreement(x[:7], y[:7], seed=42, replicates=300)
    assert (few.kendall_low, few.kendall_high) == (None, None)


def test_equal_orders_agree_wholly_and_opposite_ones_not_at_all() -> None:
    x = np.arange(10.0)
    same, opposite = (agreement(x, y, seed=42, replicates=200) for y in (x, -x))
    assert (same.spearman, same.kendall, same.low, same.high) == (1.0, 1.0, 1.0, 1.0)
    assert (opposite.spearman, opposite.low, opposite.high) == (-1.0, -1.0, -1.0)


def test_resamples_without_a_correlation_are_counted() -> None:
    x = np.array([0.0] * 7 + [1.0])
    found = agreement(x, x, seed=42, replicates=2000)
    copies = model_copies(8, seed=42, replicates=2000)
    assert found.undefined == int(((copies[:, 7] == 0) | (copies[:, 7] == 8)).sum()) > 0
    assert (found.low, found.high) == (1.0, 1.0)


@pytest.mark.parametrize("n", [4, 7])
def test_few_models_have_a_correlation_without_an_interval(n: int) -> None:
    x = np.arange(float(n))
    found = agreement(x, x, seed=42, replicates=100)
    assert (found.spearman, found.low, found.high, found.replicates) == (1.0, None, None, 0)


@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0], [1.0, 1.0, 1.0, 1.0, 1.0], []])
def test_too_few_models_or_one_score_give_no_correlation(values: list[float]) -> None:
    x = np.array(values)
    found = agreement(x, np.arange(float(len(x))), seed=42, replicates=10)
    assert (found.spearman, found.kendall, found.low, found.high) == (None, None, None, None)


@pytest.mark.parametrize(
    ("x", "y"), [([0.0, 1.0], [0.0]), ([0.0, np.nan], [0.0, 1.0]), ([[0.0]], [[0.0]])]
)
def test_scores_that_do_not_belong_together_are_refused(x: list[float], y: list[float]) -> None:
    with pytest.raises(ValueError, match="score"):
        agreement(np.array(x), np.array(y), seed=42, replicates=10)


def test_draws_are_the_same_for_as_many_models() -> None:
    first, again, other = (model_copies(9, seed=s, replicates=20) for s in (42, 42, 43))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@given(SCORES)
def test_leaving_out_a_model_is_the_correlation_of_the_others(
    pairs: list[tuple[int, int]],
) -> None:
    x, y = columns(pairs)
    for left_out, found in enumerate(without_each_model(x, y)):
        if len(x) < 5:
            assert found is None
            continue
        expected = spearman(np.delete(x, left_out), np.delete(y, left_out))
        assert found == (expected if expected is None else pytest.approx(expected, abs=1e-12))
