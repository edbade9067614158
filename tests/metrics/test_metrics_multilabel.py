"""Multi-label metrics are scikit-learn's, and weights are multiplicities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    coverage_error,
    f1_score,
    hamming_loss,
    label_ranking_average_precision_score,
)

from evaluate_shelf.metrics.multilabel import (
    AveragePrecision,
    cardinalities,
    coverage_errors,
    empty_predictions,
    exact_matches,
    hamming_losses,
    item_mean,
    label_ranking_precisions,
    macro_f1,
    micro_f1,
    multilabel_counts,
    samples_f1,
    weighted_f1,
)


@st.composite
def scored(draw: st.DrawFn) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Gold memberships, and scores with many ties."""
    n, n_labels = draw(st.integers(1, 25)), draw(st.integers(2, 6))
    draws = np.random.default_rng(draw(st.integers(0, 10_000)))
    gold = draws.random((n, n_labels)) < draw(st.sampled_from([0.1, 0.3, 0.8]))
    return gold, draws.integers(0, draw(st.sampled_from([2, 5, 1000])), (n, n_labels)) / 7


@given(scored())
def test_f1_is_that_of_scikit_learn(
    case: tuple[NDArray[np.bool_], NDArray[np.float64]],
) -> None:
    gold, scores = case
    predicted = scores > np.median(scores)
    counts = multilabel_counts(gold, predicted)
    occurring = np.flatnonzero(gold.any(axis=0)).tolist()
    if occurring:
        expected = f1_score(gold, predicted, average="macro", labels=occurring, zero_division=0)
        assert macro_f1(counts) == pytest.approx(expected, abs=1e-12)
        expected = f1_score(gold, predicted, average="weighted", zero_division=0)
        assert weighted_f1(counts) == pytest.approx(expected, abs=1e-12)
    else:
        assert np.isnan(macro_f1(counts))
        assert np.isnan(weighted_f1(counts))
    expected = f1_score(gold, predicted, average="micro", zero_division=0)
    assert micro_f1(counts) == pytest.approx(expected, abs=1e-12)
    expected = f1_score(gold, predicted, average="samples", zero_division=0)
    assert item_mean(samples_f1(gold, predicted)) == pytest.approx(expected, abs=1e-12)


@given(scored())
def test_means_over_items_are_those_of_scikit_learn(
    case: tuple[NDArray[np.bool_], NDArray[np.float64]],
) -> None:
    gold, scores = case
    predicted = scores > np.median(scores)
    matches = item_mean(exact_matches(gold, predicted))
    assert matches == pytest.approx(accuracy_score(gold, predicted))
    assert item_mean(hamming_losses(gold, predicted)) == pytest.approx(
        hamming_loss(gold, predicted)
    )
    assert item_mean(label_ranking_precisions(gold, scores)) == pytest.approx(
        label_ranking_average_precision_score(gold, scores), abs=1e-12
    )
    assert item_mean(coverage_errors(gold, scores)) == pytest.approx(coverage_error(gold, scores))
    assert item_mean(cardinalities(gold)) == pytest.approx(gold.sum() / len(gold))
    empty = [not row.any() for row in predicted]
    assert item_mean(empty_predictions(predicted)) == pytest.approx(np.mean(empty))


@given(scored())
def test_average_precision_is_that_of_scikit_learn_ties_included(
    case: tuple[NDArray[np.bool_], NDArray[np.float64]],
) -> None:
    gold, scores = case
    ranking = AveragePrecision(gold, scores)
    occurring = gold.any(axis=0)
    of_labels = ranking.of_labels()
    assert np.isnan(of_labels[~occurring]).all()
    if not occurring.any():
        assert np.isnan(ranking.macro())
        assert np.isnan(ranking.micro())
        return
    for label in np.flatnonzero(occurring):
        expected = average_precision_score(gold[:, label], scores[:, label])
        assert of_labels[label] == pytest.approx(expected, abs=1e-12)
    assert ranking.macro() == pytest.approx(of_labels[occurring].mean(), abs=1e-12)
    expected = average_precision_score(gold.ravel(), scores.ravel())
    assert ranking.micro() == pytest.approx(expected, abs=1e-12)


@given(scored(), st.integers(0, 1000))
def test_weights_are_multiplicities_and_rows_of_weights_are_replicates(
    case: tuple[NDArray[np.bool_], NDArray[np.float64]], seed: int
) -> None:
    gold, scores = case
    predicted = scores > np.median(scores)
    n = len(gold)
    draws = np.random.default_rng(seed).integers(n, size=(40, n))
    weights = np.stack([np.bincount(row, minlength=n) for row in draws]).astype(float)
    ranking = AveragePrecision(gold, scores)
    counts = multilabel_counts(gold, predicted, weights)
    found = [
        macro_f1(counts),
        micro_f1(counts),
        weighted_f1(counts),
        ranking.macro(weights),
        ranking.micro(weights),
        item_mean(label_ranking_precisions(gold, scores), weights),
        item_mean(samples_f1(gold, predicted), weights),
    ]
    for replicate, drawn in enumerate(draws):
        again = multilabel_counts(gold[drawn], predicted[drawn])
        resampled = AveragePrecision(gold[drawn], scores[drawn])
        expected = [
            macro_f1(again),
            micro_f1(again),
            weighted_f1(again),
            resampled.macro(),
            resampled.micro(),
            item_mean(label_ranking_precisions(gold[drawn], scores[drawn])),
            item_mean(samples_f1(gold[drawn], predicted[drawn])),
        ]
        np.testing.assert_allclose([values[replicate] for values in found], expected, atol=1e-12)
    one = multilabel_counts(gold, predicted, weights[0])
    assert macro_f1(one).shape == ()
    np.testing.assert_allclose(ranking.of_labels(weights[0]), ranking.of_labels(weights)[0])


@given(scored())
def test_a_scorer_that_gives_all_the_same_gets_the_share_of_each_label(
    case: tuple[NDArray[np.bool_], NDArray[np.float64]],
) -> None:
    gold, scores = case
    of_labels = AveragePrecision(gold, np.zeros_like(scores)).of_labels()
    share = gold.mean(axis=0)
    np.testing.assert_allclose(of_labels[share > 0], share[share > 0])


def test_no_item_has_no_mean() -> None:
    none = np.zeros((3, 2), bool)
    weights = np.zeros(3)
    assert np.isnan(item_mean(samples_f1(none, none), weights))
    assert np.isnan(macro_f1(multilabel_counts(none, none, weights)))
    assert np.isnan(AveragePrecision(none, np.zeros((3, 2))).macro(weights))
