"""Covariances of models over pairs that share documents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluate_shelf.statistics.dyadic import (
    dyadic_covariance,
    dyadic_difference_variances,
    dyadic_variance,
)


def made(seed: int, n_models: int, spread: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Influence values, of which documents have a part, and the pairs' documents."""
    random = np.random.default_rng(seed)
    first = random.integers(0, 25, 150)
    second = (first + random.integers(1, 25, 150)) % 25
    effects = spread * random.normal(size=(n_models, 25))
    influences = effects[:, first] + effects[:, second] + random.normal(size=(n_models, 150))
    return influences - influences.mean(axis=1, keepdims=True), first, second


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.3, 1.0]))
@settings(max_examples=40, deadline=None)
def test_differences_have_the_variance_of_the_differences_of_influences(
    seed: int, spread: float
) -> None:
    influences, first, second = made(seed, 4, spread)
    found = dyadic_difference_variances(influences, first, second)
    for one in range(4):
        for other in range(4):
            if one != other:
                expected = dyadic_variance(influences[one] - influences[other], first, second)
                assert found[one, other] == pytest.approx(expected)
    np.testing.assert_array_equal(np.diag(found), np.zeros(4))


def test_where_documents_have_large_effects_it_is_the_double_sum() -> None:
    """Over pairs with a document in common, as many times as they share documents."""
    influences, first, second = made(3, 2, 2.0)
    total = np.zeros((2, 2))
    for p in range(150):
        for q in range(150):
            shared = len({first[p], second[p]} & {first[q], second[q]})
            total += (1 if p == q else shared) * np.outer(influences[:, p], influences[:, q])
    names = [[f"d{number}" for number in side] for side in (first, second)]
    np.testing.assert_allclose(dyadic_covariance(influences, *names), total / 150**2)


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.3, 1.0]))
@settings(max_examples=40, deadline=None)
def test_no_combination_of_models_varies_less_than_its_own_variance(
    seed: int, spread: float
) -> None:
    influences, first, second = made(seed, 5, spread)
    covariance = dyadic_covariance(influences, first, second)
    np.testing.assert_allclose(covariance, covariance.T)
    random = np.random.default_rng(seed)
    for weights in [*np.eye(5), *random.normal(size=(20, 5))]:
        least = dyadic_variance(weights @ influences, first, second)
        assert weights @ covariance @ weights >= least * (1 - 1e-9)


def test_one_model_has_its_variance_and_equal_models_do_not_differ() -> None:
    influences, first, second = made(7, 1, 0.5)
    expected = dyadic_variance(influences[0], first, second)
    twice = dyadic_covariance(np.concatenate([influences, influences]), first, second)
    np.testing.assert_allclose(twice, np.full((2, 2), expected))
    assert dyadic_covariance(influences, first, second)[0, 0] == pytest.approx(expected)


def test_models_without_influence_have_no_variance() -> None:
    influences = np.zeros((2, 150))
    _, first, second = made(1, 1, 0.0)
    np.testing.assert_array_equal(dyadic_covariance(influences, first, second), np.zeros((2, 2)))
