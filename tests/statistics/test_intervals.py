"""Intervals: the unit, agreement with scipy, coverage, and independence of what ran before."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from evaluate_shelf.metrics.classification import confusion_matrix
from evaluate_shelf.metrics.clustering import (
    adjusted_rand_index,
    pair_counts,
    squares_in_groups,
    without_repeated_groups,
)
from evaluate_shelf.metrics.pairs import auc_roc
from evaluate_shelf.statistics.bootstrap import bootstrap_intervals, bootstrap_weights, units
from evaluate_shelf.statistics.dyadic import dyadic_variance

SETTINGS = {"task": "t", "seed": 42, "replicates": 2000, "level": 0.95}


def test_group_interval_is_that_of_scipy_over_groups() -> None:
    """Resampling groups of items is resampling (sum, count) of the groups, as scipy does it."""
    random = np.random.default_rng(7)
    sizes = random.integers(1, 6, size=60)
    effects = random.normal(0.5, 0.2, size=60)
    groups = np.repeat([f"g{i}" for i in range(60)], sizes)
    values = np.clip(np.repeat(effects, sizes) + random.normal(0, 0.05, sizes.sum()), 0, 1)
    ours = bootstrap_intervals(
        lambda w: np.array([(w * values).sum() / w.sum()]), units(groups.tolist()), **SETTINGS
    )
    assert ours is not None
    sums = np.array([values[groups == f"g{i}"].sum() for i in range(60)])
    theirs = stats.bootstrap(
        (sums, sizes),
        lambda s, n, axis: s.sum(axis=axis) / n.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=20000,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours[0].low == pytest.approx(theirs.low, abs=0.05 * width)
    assert ours[0].high == pytest.approx(theirs.high, abs=0.05 * width)


def test_items_of_a_group_come_together() -> None:
    resampled = units(["a", "a", "b", "c", "c", "c"])
    for weights in bootstrap_weights(resampled, task="t", seed=1, replicates=50):
        assert weights[0] == weights[1]
        assert weights[3] == weights[4] == weights[5]
        assert weights[0] + weights[2] + weights[3] == 3


def test_draws_do_not_depend_on_what_was_drawn_before() -> None:
    resampled = units([str(i) for i in range(30)])
    alone = list(bootstrap_weights(resampled, task="t", seed=42, replicates=5))
    list(bootstrap_weights(resampled, task="other", seed=42, replicates=7))
    again = list(bootstrap_weights(resampled, task="t", seed=42, replicates=3))
    for first, second in zip(alone, again, strict=False):
        np.testing.assert_array_equal(first, second)


def test_one_group_gives_no_interval() -> None:
    mean = lambda w: np.array([w.mean()])  # noqa: E731
    assert bootstrap_intervals(mean, units(["a", "a"]), **SETTINGS) is None


@pytest.mark.parametrize("seed", range(5))
def test_a_resample_s_ari_is_not_raised_by_repeated_groups(seed: int) -> None:
    """Of unrelated labels and clusters the resampled index stays about 0."""
    random = np.random.default_rng(seed)
    n_groups, size = 40, 4
    groups = np.repeat(np.arange(n_groups), size)
    gold = np.repeat(random.integers(0, 5, n_groups), size)
    clusters = np.repeat(random.integers(0, 5, n_groups), size)
    squares = squares_in_groups(gold, clusters, groups)
    resampled = units([f"{g:02d}" for g in groups])
    corrected, naive = [], []
    for weights in bootstrap_weights(resampled, task="t", seed=seed, replicates=400):
        counts = pair_counts(confusion_matrix(gold, clusters, 5, weights))
        copies = weights[::size]
        corrected.append(adjusted_rand_index(without_repeated_groups(counts, squares, copies)))
        naive.append(adjusted_rand_index(counts))
    value = adjusted_rand_index(pair_counts(confusion_matrix(gold, clusters, 5)))
    assert abs(np.mean(corrected) - value) < abs(np.mean(naive) - value)
    assert np.mean(corrected) == pytest.approx(value, abs=0.02)


def test_repeated_groups_are_taken_out_exactly() -> None:
    """Against a count of all pairs that leaves pairs of copies of one group out one by one."""
    random = np.random.default_rng(3)
    groups = np.array([0, 0, 1, 1, 1, 2, 3, 3])
    gold, clusters = random.integers(0, 2, 8), random.integers(0, 3, 8)
    copies = np.array([2.0, 1.0, 3.0, 0.0])
    drawn = [
        (g, copy, i)
        for g in range(4)
        for copy in range(int(copies[g]))
        for i in np.where(groups == g)[0]
    ]
    together = same_label = same_cluster = everything = 0
    for a in range(len(drawn)):
        for b in range(a + 1, len(drawn)):
            (ga, ca, i), (gb, cb, j) = drawn[a], drawn[b]
            if ga == gb and ca != cb:
                continue
            everything += 1
            same_label += gold[i] == gold[j]
            same_cluster += clusters[i] == clusters[j]
            together += gold[i] == gold[j] and clusters[i] == clusters[j]
    counts = without_repeated_groups(
        pair_counts(confusion_matrix(gold, clusters, 3, copies[groups])),
        squares_in_groups(gold, clusters, groups),
        copies,
    )
    assert counts == (together, same_label, same_cluster, everything)


def test_dyadic_variance_is_the_double_sum_over_pairs_with_a_document_in_common() -> None:
    random = np.random.default_rng(5)
    first, second = (random.integers(0, 12, 40) for _ in range(2))
    second = np.where(first == second, (second + 1) % 12, second)
    influence = random.normal(size=40)
    total = 0.0
    for p in range(40):
        for q in range(40):
            # How many documents two pairs share, as the formula's sum over documents has it.
            shared = sum(d in (first[q], second[q]) for d in {first[p], second[p]})
            total += influence[p] * influence[q] * (1 if p == q else shared)
    expected = max(total, float((influence**2).sum())) / 40**2
    names = [[f"d{d}" for d in side] for side in (first, second)]
    assert dyadic_variance(influence, *names) == pytest.approx(expected)


def test_dyadic_interval_covers_where_pairs_share_documents() -> None:
    """Documents carry effects, so pairs of a document move together; coverage stays near 95 %."""
    covered, trials = 0, 200
    for trial in range(trials):
        random = np.random.default_rng(trial)
        effect = random.normal(size=60)
        first, second = random.integers(0, 60, 240), random.integers(0, 60, 240)
        keep = first != second
        first, second = first[keep], second[keep]
        label = random.random(len(first)) < 0.5
        score = label * 1.0 + effect[first] + effect[second] + random.normal(size=len(first))
        auc = auc_roc(label, score)
        variance = dyadic_variance(auc.influence, [str(d) for d in first], [str(d) for d in second])
        # Positive and negative scores differ by N(1, 2 * (1 + 1 + 1)).
        truth = stats.norm.cdf(1 / np.sqrt(6))
        covered += abs(auc.value - truth) <= 1.96 * np.sqrt(variance)
        assert auc.value == pytest.approx(roc_auc_score(label, score))
    assert covered / trials >= 0.9
