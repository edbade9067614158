"""Paired intervals cover and paired tests keep their level, where items of a group are alike."""

from __future__ import annotations

import numpy as np
import pytest

from evaluate_shelf.statistics.bootstrap import Units
from evaluate_shelf.statistics.differences import bootstrap_differences
from evaluate_shelf.statistics.permutation import permutation_tests
from evaluate_shelf.statistics.resamples import copies_matrix
from evaluate_shelf.statistics.sums import mean_sums, observed, replicated

N_GROUPS, TRIALS = 120, 400
# Of 400 trials, an event of 5 in a hundred comes 38 times or more but once in a thousand times.
MOST = 37


@pytest.mark.parametrize("gap", [0.0, 0.1])
def test_differences_of_two_models_with_groups(gap: float) -> None:
    copies = copies_matrix(N_GROUPS, task="t", seed=42, replicates=1000)
    missed = rejected = by_normal = permuted = 0
    for trial in range(TRIALS):
        random = np.random.default_rng(trial)
        groups = Units(np.repeat(np.arange(N_GROUPS), random.integers(1, 5, N_GROUPS)), N_GROUPS)
        n = len(groups.of_item)
        # What a group has of its own is another thing for each model, so it does not cancel.
        of_groups = random.normal(size=(2, N_GROUPS))[:, groups.of_item]
        values = random.normal(size=n) + of_groups + random.normal(size=(2, n))
        values[0] += gap
        statistics = [mean_sums(row, groups) for row in values]
        observed_values = np.array([observed(one) for one in statistics])
        drawn = replicated(statistics, copies)
        found = bootstrap_differences(observed_values, drawn, level=0.95)
        assert found is not None
        missed += not found.low[0] <= gap <= found.high[0]
        rejected += found.p[0] <= 0.05
        by_normal += found.p_normal[0] <= 0.05
        tests = permutation_tests(statistics, task="t", seed=42, replicates=500)
        permuted += tests.p[0] <= 0.05
    assert missed <= MOST
    if gap == 0:
        assert max(rejected, by_normal, permuted) <= MOST
    else:
        # The errors are some 0.17, so that a tenth is told apart more often than not at all.
        assert min(rejected, by_normal, permuted) > 0.06 * TRIALS
