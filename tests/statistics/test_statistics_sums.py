"""Sums over groups give each resample's metric: against scikit-learn and counts of all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from evaluate_shelf.metrics.classification import confusion_matrix, macro_f1
from evaluate_shelf.metrics.clustering import (
    adjusted_rand_index,
    contingency_table,
    pair_counts,
    squares_in_groups,
    without_repeated_groups,
)
from evaluate_shelf.statistics.bootstrap import (
    Units,
    bootstrap_copies,
    bootstrap_intervals,
    bootstrap_mean_intervals,
    units,
)
from evaluate_shelf.statistics.intervals import percentile_intervals
from evaluate_shelf.statistics.resamples import all_swaps, copies_matrix, swaps_matrix
from evaluate_shelf.statistics.sums import (
    ari_sums,
    macro_f1_sums,
    mean_sums,
    median_of,
    multilabel_macro_f1_sums,
    observed,
    replicated,
)

DRAWS = {"task": "t", "seed": 42, "replicates": 150}


def made(seed: int, n_items: int, n_groups: int) -> tuple[np.random.Generator, Units]:
    """A generator, and groups of which each has an item."""
    random = np.random.default_rng(seed)
    rest = random.integers(0, n_groups, n_items - n_groups)
    return random, Units(random.permutation([*range(n_groups), *rest]), n_groups)


def test_a_matrix_s_rows_are_the_draws_of_a_score_s_interval() -> None:
    matrix = copies_matrix(37, **DRAWS)
    assert matrix.shape == (150, 37)
    np.testing.assert_array_equal(matrix, list(bootstrap_copies(37, **DRAWS)))


def test_swaps_are_fair_coins_of_their_own_for_each_task() -> None:
    swaps = swaps_matrix(501, task="t", seed=42, replicates=400)
    assert set(np.unique(swaps)) == {0, 1}
    assert swaps.mean() == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(swaps.size))
    correlation = np.corrcoef(swaps[:, :40], rowvar=False)[np.triu_indices(40, 1)]
    assert np.abs(correlation).max() < 5 / np.sqrt(400)
    np.testing.assert_array_equal(swaps[:50], swaps_matrix(501, task="t", seed=42, replicates=50))
    assert (swaps[:50] != swaps_matrix(501, task="u", seed=42, replicates=50)).any()


@pytest.mark.parametrize("n_groups", range(1, 8))
def test_all_swaps_are_each_once_up_to_swapping_everything(n_groups: int) -> None:
    rows = {tuple(row) for row in all_swaps(n_groups).tolist()}
    inverted = {tuple(1 - bit for bit in row) for row in rows}
    assert len(rows | inverted) == 2**n_groups
    assert not rows & inverted


@given(st.integers(0, 10_000), st.integers(2, 7), st.integers(3, 12))
@settings(max_examples=40, deadline=None)
def test_macro_f1_of_a_resample_is_scikit_learn_s(seed: int, n_labels: int, n_groups: int) -> None:
    random, resampled = made(seed, 3 * n_groups, n_groups)
    gold, predicted = random.integers(0, n_labels, (2, 3 * n_groups))
    copies = copies_matrix(n_groups, task="t", seed=seed, replicates=20)
    found = replicated([macro_f1_sums(gold, predicted, n_labels, resampled)], copies)[:, 0]
    for row, value in zip(copies, found, strict=True):
        items = np.repeat(np.arange(len(gold)), row[resampled.of_item])
        # Labels that the resample lost are no part of the mean.
        labels = np.unique(gold[items])
        expected = f1_score(
            gold[items], predicted[items], labels=labels, average="macro", zero_division=0
        )
        assert value == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_multilabel_macro_f1_of_a_resample_is_scikit_learn_s(seed: int) -> None:
    random, resampled = made(seed, 20, 8)
    gold, predicted = random.random((2, 20, 5)) < 0.25
    copies = copies_matrix(8, task="t", seed=seed, replicates=10)
    statistic = multilabel_macro_f1_sums(gold, predicted, resampled)
    for row, value in zip(copies, replicated([statistic], copies)[:, 0], strict=True):
        items = np.repeat(np.arange(20), row[resampled.of_item])
        present = np.flatnonzero(gold[items].any(axis=0))
        if not len(present):
            assert np.isnan(value)
            continue
        expected = f1_score(
            gold[items], predicted[items], labels=present, average="macro", zero_division=0
        )
        assert value == pytest.approx(expected, abs=1e-12)


def test_multilabel_macro_f1_is_not_defined_where_a_resample_has_no_label() -> None:
    gold = np.array([[True], [False]])
    statistic = multilabel_macro_f1_sums(gold, gold, units(["a", "b"]))
    found = replicated([statistic], np.array([[0, 2], [1, 1]], dtype=np.uint16))
    assert np.isnan(found[0, 0])
    assert found[1, 0] == 1.0


@given(st.integers(0, 10_000), st.integers(2, 10))
@settings(max_examples=40, deadline=None)
def test_ari_of_a_resample_leaves_out_pairs_of_copies_of_one_group(seed: int, n: int) -> None:
    """Against a count over all pairs of drawn items, one by one."""
    random, resampled = made(seed, 2 * n, n)
    labels, clusters = random.integers(3, 6, 2 * n), random.integers(-2, 3, 2 * n)
    copies = copies_matrix(n, task="t", seed=seed, replicates=5)
    found = replicated([ari_sums(labels, clusters, resampled)], copies)[:, 0]
    for row, value in zip(copies, found, strict=True):
        drawn = [
            (group, copy, item)
            for group in range(n)
            for copy in range(row[group])
            for item in np.flatnonzero(resampled.of_item == group)
        ]
        groups, copy, items = np.array(drawn).T
        apart = ~((groups[:, None] == groups) & (copy[:, None] != copy))
        upper = np.triu(apart, 1)
        same = [side[items][:, None] == side[items] for side in (labels, clusters)]
        both, a, b, pairs = (
            float(which.sum())
            for which in (upper & same[0] & same[1], upper & same[0], upper & same[1], upper)
        )
        expected = a * b / pairs if pairs else 0.0
        largest = (a + b) / 2
        index = (
            1.0 if not pairs or largest == expected else (both - expected) / (largest - expected)
        )
        assert value == pytest.approx(index, abs=1e-9)


def test_scores_intervals_are_those_of_the_bootstrap_one_by_one() -> None:
    """What a run's score has as its interval follows from the sums as well."""
    random, _ = made(3, 120, 45)
    names = [f"g{number:02d}" for number in [*range(45), *random.integers(0, 45, 75)]]
    resampled = units(names)
    gold, predicted = random.integers(0, 6, (2, 120))
    predicted = np.where(random.random(120) < 0.6, gold, predicted)
    values = random.random(120)
    values[::7] = np.nan
    copies = copies_matrix(45, **DRAWS)
    squares = squares_in_groups(gold, predicted, resampled.of_item)

    def one_by_one(weights: np.ndarray) -> np.ndarray:
        counts = pair_counts(contingency_table(gold, predicted, weights))
        of_group = np.array([weights[resampled.of_item == g][0] for g in range(45)])
        return np.array(
            [
                macro_f1(confusion_matrix(gold, predicted, 6, weights)),
                adjusted_rand_index(without_repeated_groups(counts, squares, of_group)),
            ]
        )

    theirs = bootstrap_intervals(one_by_one, resampled, level=0.95, **DRAWS)
    mean = bootstrap_mean_intervals(values[:, None], resampled, level=0.95, **DRAWS)
    statistics = [
        macro_f1_sums(gold, predicted, 6, resampled),
        ari_sums(gold, predicted, resampled),
        mean_sums(values, resampled),
    ]
    ours = percentile_intervals(replicated(statistics, copies), 0.95)
    assert theirs is not None
    assert mean is not None
    np.testing.assert_allclose(ours, [*theirs, *mean], atol=1e-12)
    np.testing.assert_allclose(
        [observed(one) for one in statistics],
        [
            *one_by_one(np.ones(120))[:1],
            adjusted_rand_index(pair_counts(contingency_table(gold, predicted))),
            np.nanmean(values),
        ],
    )


def test_a_mean_without_any_value_is_not_defined() -> None:
    statistic = mean_sums(np.array([1.0, np.nan]), units(["a", "b"]))
    found = replicated([statistic], np.array([[0, 2], [2, 0]], dtype=np.uint16))
    assert np.isnan(found[0, 0])
    assert found[1, 0] == 1.0


def test_median_over_seeds_is_taken_resample_by_resample() -> None:
    random, resampled = made(5, 60, 20)
    labels = random.integers(0, 3, 60)
    parts = [ari_sums(labels, random.integers(0, 4, 60), resampled) for _ in range(5)]
    copies = copies_matrix(20, **DRAWS)
    together = replicated([median_of(parts)], copies)[:, 0]
    np.testing.assert_allclose(together, np.median(replicated(parts, copies), axis=1), atol=1e-14)


def test_counts_beyond_what_float32_holds_are_kept_exactly() -> None:
    """A group of so many items that its copies pass 2 ** 24."""
    n = 400_001
    resampled = Units(np.concatenate([np.zeros(n - 99, dtype=np.intp), np.arange(1, 100)]), 100)
    gold = np.zeros(n, dtype=np.intp)
    predicted = (np.arange(n) % 3 == 0).astype(np.intp)
    copies = np.zeros((1, 100), dtype=np.uint16)
    copies[0, 0] = 100
    found = replicated([macro_f1_sums(gold, predicted, 2, resampled)], copies)[0, 0]
    right = 100 * int((predicted[: n - 99] == 0).sum())
    assert found == 2 * right / (right + 100 * (n - 99))


def test_replicates_do_not_depend_on_the_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random, resampled = made(9, 300, 120)
    statistics = [mean_sums(random.random(300), resampled) for _ in range(4)]
    statistics += [ari_sums(*random.integers(0, 9, (2, 300)), resampled)]
    copies = copies_matrix(120, task="t", seed=42, replicates=700)
    found = []
    for count in (1, 3):
        monkeypatch.setattr("evaluate_shelf.parallel.workers", lambda count=count: count)
        found.append(replicated(statistics, copies).tobytes())
    assert found[0] == found[1]
