"""Intervals from resamples: against scipy, and where percentiles go wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluate_shelf.statistics.bootstrap import Units
from evaluate_shelf.statistics.intervals import (
    Interval,
    percentile_intervals,
    reflected,
    stated_interval,
)
from evaluate_shelf.statistics.resamples import copies_matrix
from evaluate_shelf.statistics.sums import macro_f1_sums, observed, replicated


def test_it_is_scipy_s_basic_interval() -> None:
    sample = np.random.default_rng(3).gamma(2.0, 0.1, 60)
    theirs = stats.bootstrap(
        (sample,), np.mean, n_resamples=3000, method="basic", rng=np.random.default_rng(1)
    )
    [percentiles] = percentile_intervals(theirs.bootstrap_distribution[:, None], 0.95) or []
    found = reflected(float(sample.mean()), percentiles)
    assert found == pytest.approx(tuple(theirs.confidence_interval))


def test_undefined_resamples_are_left_out() -> None:
    replicates = np.array([[0.1, 0.9], [np.nan, 0.0], [0.3, 0.95]])
    first, second = percentile_intervals(replicates, 0.9) or []
    assert first == pytest.approx((0.11, 0.29))
    assert second == pytest.approx((0.9025, 0.9475))
    assert percentile_intervals(np.array([[np.nan]]), 0.9) is None


@given(*[st.floats(0, 1)] * 3)
def test_a_stated_interval_holds_its_score_and_keeps_to_the_bounds(
    score: float, one: float, other: float
) -> None:
    percentiles = Interval(min(one, other), max(one, other))
    low, high = stated_interval("macro_f1", score, percentiles)
    assert 0 <= low <= score <= high <= 1
    assert high - low >= min(percentiles.high - percentiles.low, score, 1 - score) - 1e-12
    assert stated_interval("accuracy", score, percentiles) is percentiles


def test_it_covers_macro_f1_over_many_small_classes_where_percentiles_do_not() -> None:
    """Sixty classes of some 15 documents; a document is right by 0.65, so every F1 is 0.65."""
    n_labels, n_items, truth, trials = 60, 900, 0.65, 120
    alone = Units(np.arange(n_items), n_items)
    copies = copies_matrix(n_items, task="t", seed=42, replicates=400)
    random = np.random.default_rng(2)
    covered = np.zeros((trials, 2))
    for trial in range(trials):
        gold = random.integers(0, n_labels, n_items)
        other = (gold + random.integers(1, n_labels, n_items)) % n_labels
        predicted = np.where(random.random(n_items) < truth, gold, other)
        statistic = macro_f1_sums(gold, predicted, n_labels, alone)
        drawn = replicated([statistic], copies)
        [percentiles] = percentile_intervals(drawn, 0.95) or []
        both = percentiles, stated_interval("macro_f1", observed(statistic), percentiles)
        covered[trial] = [own.low <= truth <= own.high for own in both]
    percentile, stated = covered.mean(axis=0)
    # Of 120, what covers 95 in a hundred covers at least 107 but once in a thousand times.
    assert stated >= 107 / 120
    assert percentile < stated - 0.08, (percentile, stated)
