"""Reflected intervals: against scipy, and where percentiles go wrong."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evaluate_shelf.statistics.bootstrap import Units
from evaluate_shelf.statistics.intervals import percentile_intervals, reflected_intervals
from evaluate_shelf.statistics.resamples import copies_matrix
from evaluate_shelf.statistics.sums import macro_f1_sums, observed, replicated


def test_it_is_scipy_s_basic_interval() -> None:
    sample = np.random.default_rng(3).gamma(2.0, 0.1, 60)
    theirs = stats.bootstrap(
        (sample,), np.mean, n_resamples=3000, method="basic", rng=np.random.default_rng(1)
    )
    found = reflected_intervals(
        np.array([sample.mean()]), theirs.bootstrap_distribution[:, None], 0.95
    )
    assert found is not None
    assert found[0] == pytest.approx(tuple(theirs.confidence_interval))


def test_it_leaves_undefined_resamples_out_and_keeps_to_the_bounds() -> None:
    replicates = np.array([[0.1, 0.9], [np.nan, 0.0], [0.3, 0.95]])
    found = reflected_intervals(np.array([0.2, 0.99]), replicates, 0.9)
    assert found is not None
    assert found[0] == pytest.approx((0.11, 0.29))
    assert found[1].high == 1.0
    assert reflected_intervals(np.array([0.1]), np.array([[np.nan]]), 0.9) is None


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
        found = (
            percentile_intervals(drawn, 0.95),
            reflected_intervals(np.array([observed(statistic)]), drawn, 0.95),
        )
        for column, intervals in enumerate(found):
            assert intervals is not None
            covered[trial, column] = intervals[0].low <= truth <= intervals[0].high
    percentile, reflected = covered.mean(axis=0)
    # Of 120, what covers 95 in a hundred covers at least 107 but once in a thousand times.
    assert reflected >= 107 / 120
    assert percentile < reflected - 0.08, (percentile, reflected)
