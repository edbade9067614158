"""Probes end at scikit-learn's optimum, on vectors of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from numpy.typing import NDArray
from optimum import gap_and_agreement, sklearn_fit

from evaluate_shelf.probes import Design
from evaluate_shelf.registry.protocol_settings import Probe
from evaluate_shelf.registry.protocols import load_protocol

SETTINGS = load_protocol().probe


def clustered(
    n: int, dimension: int, n_labels: int, seed: int = 0
) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Noisy clusters of unequal size; every label has an example."""
    draws = np.random.default_rng(seed)
    share = 1 / np.arange(1, n_labels + 1)
    labels = draws.choice(n_labels, size=n, p=share / share.sum())
    labels[:n_labels] = np.arange(n_labels)
    centres = draws.normal(size=(n_labels, dimension))
    vectors = centres[labels] + 2 * draws.normal(size=(n, dimension))
    return vectors.astype(np.float32), labels


def settings_with(**changes: Any) -> Probe:
    return SETTINGS.model_copy(update=changes)


@pytest.mark.parametrize("n_labels", [2, 3, 12])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
def test_the_optimum_is_scikit_learns(n_labels: int, class_weight: str | None, C: float) -> None:
    vectors, labels = clustered(700, 20, n_labels)
    settings = settings_with(C=C, class_weight=class_weight)
    probe = Design(vectors).softmax(labels, n_labels, settings)
    assert probe.fit.converged
    gap, agreement = gap_and_agreement(probe, vectors, labels, settings)
    assert abs(gap) <= 1e-6
    assert agreement >= 0.99


@pytest.mark.parametrize("n_labels", [2, 5])
def test_a_tight_tolerance_gives_the_same_coefficients(n_labels: int) -> None:
    vectors, labels = clustered(400, 10, n_labels)
    probe = Design(vectors).softmax(labels, n_labels, settings_with(tolerance=1e-14))
    theirs = sklearn_fit(vectors, labels, SETTINGS)
    ours = probe.coef[1:] if n_labels == 2 else probe.coef
    np.testing.assert_allclose(ours, theirs.coef_, atol=2e-6)
    np.testing.assert_allclose(
        probe.softmax_probabilities(vectors), theirs.predict_proba(vectors), atol=2e-6
    )


def scaled_by_column(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors * np.logspace(-3, 3, vectors.shape[1], dtype=np.float32)


def far_from_zero(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors + np.float32(300)


def with_constant_column(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.column_stack([vectors, np.full(len(vectors), 7, np.float32)])


def of_low_rank(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors[:, :4] @ vectors[:4, :]


def wide(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    draws = np.random.default_rng(1)
    return (vectors[:40] @ draws.normal(size=(vectors.shape[1], 90))).astype(np.float32)


def in_float64(vectors: NDArray[np.float32]) -> NDArray[Any]:
    return vectors.astype(np.float64)


def tiny(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors * np.float32(1e-12)


@pytest.mark.parametrize(
    "changed",
    [scaled_by_column, far_from_zero, with_constant_column, of_low_rank, wide, in_float64, tiny],
)
@pytest.mark.parametrize("n_labels", [2, 4])
def test_awkward_vectors_have_the_same_optimum(changed: Any, n_labels: int) -> None:
    vectors, labels = clustered(300, 12, n_labels)
    vectors = changed(vectors)
    labels = labels[: len(vectors)]
    settings = settings_with(max_iter=5000)
    probe = Design(vectors).softmax(labels, n_labels, settings)
    assert probe.fit.converged
    gap, agreement = gap_and_agreement(probe, vectors, labels, settings, solver="newton-cholesky")
    assert abs(gap) <= 1e-6
    assert agreement >= 0.99


@pytest.mark.parametrize("value", [0.0, 0.25, 1e6])
def test_equal_vectors_give_the_shares_of_the_labels(value: float) -> None:
    labels = np.array([0] * 6 + [1] * 3 + [2])
    vectors = np.full((10, 5), value, np.float32)
    probe = Design(vectors).softmax(labels, 3, SETTINGS)
    assert probe.fit.converged
    np.testing.assert_allclose(probe.softmax_probabilities(vectors[:1])[0], [0.6, 0.3, 0.1])


def test_a_label_without_example_has_probability_zero() -> None:
    vectors, labels = clustered(200, 6, 3)
    probe = Design(vectors).softmax(2 * labels, 6, SETTINGS)
    dense = Design(vectors).softmax(labels, 3, SETTINGS)
    probabilities = probe.softmax_probabilities(vectors)
    assert not probabilities[:, 1::2].any()
    np.testing.assert_array_equal(probabilities[:, ::2], dense.softmax_probabilities(vectors))


def test_one_label_is_certain() -> None:
    vectors, _ = clustered(20, 4, 2)
    probe = Design(vectors).softmax(np.full(20, 1), 3, SETTINGS)
    assert probe.fit.converged
    assert probe.softmax_probabilities(vectors).tolist() == [[0.0, 1.0, 0.0]] * 20


def test_what_is_not_converged_is_said() -> None:
    vectors, labels = clustered(500, 20, 5)
    probe = Design(vectors).softmax(labels, 5, settings_with(max_iter=2))
    assert not probe.fit.converged
    assert probe.fit.iterations == 2
    theirs = Design(vectors).softmax(labels, 5, settings_with(max_iter=2, solver="scikit-learn"))
    assert not theirs.fit.converged


@pytest.mark.parametrize("n_labels", [2, 6])
def test_the_facts_of_a_fit_are_those_of_scikit_learns_objective(n_labels: int) -> None:
    vectors, labels = clustered(300, 8, n_labels)
    settings = settings_with(C=0.5, class_weight="balanced", max_iter=3)
    probe = Design(vectors).softmax(labels, n_labels, settings)
    weight = (len(labels) / (n_labels * np.bincount(labels)))[labels]
    wrong = probe.softmax_probabilities(vectors) - np.eye(n_labels)[labels]
    own = probe.softmax_probabilities(vectors)[np.arange(len(labels)), labels]
    objective = -0.5 * (weight * np.log(own)).sum() + 0.5 * (probe.coef**2).sum()
    of_weights = 0.5 * (weight[:, None] * wrong).T @ vectors + probe.coef
    of_intercepts = 0.5 * (weight[:, None] * wrong).sum(axis=0)
    free = slice(1, None) if n_labels == 2 else slice(None)
    norm = max(np.abs(of_weights[free]).max(), np.abs(of_intercepts[free]).max()) / (
        0.5 * weight.sum()
    )
    assert probe.fit.objective == pytest.approx(objective, rel=1e-10)
    assert probe.fit.gradient_norm == pytest.approx(norm, rel=1e-6)


@pytest.mark.parametrize("n_labels", [2, 5])
def test_the_reference_solver_gives_the_same_probe(n_labels: int) -> None:
    vectors, labels = clustered(400, 15, n_labels)
    settings = settings_with(tolerance=1e-10)
    ours = Design(vectors).softmax(labels, n_labels, settings)
    reference = settings.model_copy(update={"solver": "scikit-learn"})
    theirs = Design(vectors).softmax(labels, n_labels, reference)
    assert theirs.fit.converged
    assert theirs.fit.objective == pytest.approx(ours.fit.objective, rel=1e-9)
    np.testing.assert_allclose(ours.coef, theirs.coef, atol=1e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_number_of_threads_changes_no_bit(dtype: Any) -> None:
    vectors, labels = clustered(5000, 24, 7)
    members = labels[:, None] == np.arange(7)
    one, two, many = (Design(vectors.astype(dtype), threads=threads) for threads in (1, 2, 5))
    for fitted in (
        lambda design: design.softmax(labels, 7, SETTINGS),
        lambda design: design.one_vs_rest(members, SETTINGS),
    ):
        first = fitted(one)
        for design in (two, many):
            again = fitted(design)
            assert again.coef.tobytes() == first.coef.tobytes()
            assert again.intercept.tobytes() == first.intercept.tobytes()
            assert again.fit == first.fit


def test_a_design_does_not_remember_what_was_fitted() -> None:
    vectors, labels = clustered(300, 10, 4)
    design = Design(vectors)
    first = design.softmax(labels, 4, SETTINGS)
    design.softmax(labels % 2, 2, SETTINGS)
    assert design.softmax(labels, 4, SETTINGS).coef.tobytes() == first.coef.tobytes()


@examples(max_examples=25)
@given(
    n=st.integers(3, 60),
    dimension=st.integers(1, 40),
    n_labels=st.integers(2, 5),
    log_scale=st.floats(-3, 1),
    shift=st.floats(-5, 5),
    seed=st.integers(0, 1000),
)
def test_what_is_called_converged_is_at_the_optimum(
    n: int, dimension: int, n_labels: int, log_scale: float, shift: float, seed: int
) -> None:
    n_labels = min(n_labels, n)
    vectors, labels = clustered(n, dimension, n_labels, seed)
    vectors = vectors * np.float32(10**log_scale) + np.float32(shift)
    probe = Design(vectors).softmax(labels, n_labels, SETTINGS)
    gap, _ = gap_and_agreement(probe, vectors, labels, SETTINGS, solver="newton-cholesky")
    assert not probe.fit.converged or gap <= 1e-6


@pytest.mark.parametrize(
    "vectors",
    [np.empty((0, 3), np.float32), np.empty((3, 0), np.float32), np.zeros(3, np.float32)],
)
def test_no_vectors_are_refused(vectors: NDArray[np.float32]) -> None:
    with pytest.raises(ValueError, match="at least one row"):
        Design(vectors)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused(value: float) -> None:
    vectors = np.zeros((3, 2), np.float32)
    vectors[1, 1] = value
    with pytest.raises(ValueError, match="finite"):
        Design(vectors)


@pytest.mark.parametrize("labels", [[0, 1, 3], [0, -1, 2], [0, 1], [0, 1, 2, 0]])
def test_labels_that_do_not_fit_are_refused(labels: list[int]) -> None:
    with pytest.raises(ValueError, match="labels"):
        Design(np.eye(3, dtype=np.float32)).softmax(np.array(labels), 3, SETTINGS)
