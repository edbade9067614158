"""One probe a label: each is scikit-learn's balanced one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from optimum import objective, sklearn_fit
from scipy.sparse import csr_array

from evaluate_shelf.probes import Design
from evaluate_shelf.registry.protocols import load_protocol

SETTINGS = load_protocol().probe


def topics(n: int = 600, dimension: int = 20) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Vectors, and labels from rare to frequent that depend on them."""
    draws = np.random.default_rng(3)
    vectors = draws.normal(size=(n, dimension)).astype(np.float32)
    maps = draws.normal(size=(dimension, 9))
    scores = vectors @ maps + 3 * draws.normal(size=(n, 9))
    share = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 0.95, 0.99])
    return vectors, scores > np.quantile(scores, 1 - share, axis=0).diagonal()


@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_each_label_is_at_scikit_learns_optimum(C: float) -> None:
    vectors, members = topics()
    settings = SETTINGS.model_copy(update={"C": C})
    probe = Design(vectors).one_vs_rest(members, settings)
    probabilities = probe.sigmoid_probabilities(vectors)
    assert probe.fit.converged
    for label, fit in enumerate(probe.fit_of_label):
        target = members[:, label].astype(int)
        theirs = sklearn_fit(vectors, target, settings, class_weight="balanced")
        own = probe.coef[label : label + 1], probe.intercept[label : label + 1]
        how = C, "balanced"
        at = objective(vectors, target, *own, *how)
        assert fit.objective == pytest.approx(at, rel=1e-10)
        assert at <= objective(vectors, target, theirs.coef_, theirs.intercept_, *how) * (1 + 1e-6)
        positive = probabilities[:, label] >= 0.5
        assert (positive == theirs.predict(vectors.astype(np.float64))).mean() >= 0.99


def test_the_gradient_of_each_label_is_that_of_scikit_learns_objective() -> None:
    vectors, members = topics()
    probe = Design(vectors).one_vs_rest(members, SETTINGS.model_copy(update={"max_iter": 2}))
    wrong = probe.sigmoid_probabilities(vectors) - members
    n, with_label = len(members), members.sum(axis=0)
    wrong *= np.where(members, n / (2 * with_label), n / (2 * (n - with_label)))
    of_weights = np.abs(wrong.T @ vectors + probe.coef).max(axis=1)
    norms = np.maximum(of_weights, np.abs(wrong.sum(axis=0))) / n
    np.testing.assert_allclose([fit.gradient_norm for fit in probe.fit_of_label], norms, rtol=1e-6)
    assert probe.fit.gradient_norm == pytest.approx(norms.max(), rel=1e-6)


def test_a_label_does_not_depend_on_the_others() -> None:
    vectors, members = topics()
    design = Design(vectors)
    settings = SETTINGS.model_copy(update={"tolerance": 1e-12})
    together = design.one_vs_rest(members, settings)
    for label in range(members.shape[1]):
        alone = design.one_vs_rest(members[:, [label]], settings)
        np.testing.assert_allclose(together.coef[label], alone.coef[0], atol=1e-4)
        assert together.fit_of_label[label].objective == pytest.approx(
            alone.fit.objective, rel=1e-11
        )


def test_a_label_of_no_vector_is_never_predicted_and_one_of_all_always() -> None:
    vectors, members = topics()
    edges = np.column_stack([np.zeros(len(members), bool), members, np.ones(len(members), bool)])
    design = Design(vectors)
    probe = design.one_vs_rest(edges, SETTINGS)
    probabilities = probe.sigmoid_probabilities(vectors)
    assert not probabilities[:, 0].any()
    assert (probabilities[:, -1] == 1).all()
    within = design.one_vs_rest(members, SETTINGS)
    assert probe.coef[1:-1].tobytes() == within.coef.tobytes()
    assert probe.fit == within.fit


def test_no_label_at_all() -> None:
    vectors, members = topics(50)
    probe = Design(vectors).one_vs_rest(members[:, :0], SETTINGS)
    assert probe.sigmoid_probabilities(vectors).shape == (50, 0)
    assert probe.fit.converged


def test_sparse_memberships_are_the_same() -> None:
    vectors, members = topics()
    design = Design(vectors)
    dense = design.one_vs_rest(members, SETTINGS)
    sparse = design.one_vs_rest(csr_array(members), SETTINGS)
    assert sparse.coef.tobytes() == dense.coef.tobytes()


def test_classes_are_balanced_whatever_the_settings_say() -> None:
    vectors, members = topics()
    design = Design(vectors)
    balanced = SETTINGS.model_copy(update={"class_weight": "balanced"})
    first = design.one_vs_rest(members, SETTINGS)
    assert first.coef.tobytes() == design.one_vs_rest(members, balanced).coef.tobytes()


def test_one_label_is_the_balanced_probe_of_two_classes() -> None:
    vectors, members = topics()
    design = Design(vectors)
    balanced = SETTINGS.model_copy(update={"class_weight": "balanced", "tolerance": 1e-13})
    one = design.one_vs_rest(members[:, [4]], balanced)
    two = design.softmax(members[:, 4].astype(int), 2, balanced)
    np.testing.assert_allclose(one.coef[0], two.coef[1], atol=1e-6)
    np.testing.assert_allclose(
        one.sigmoid_probabilities(vectors)[:, 0],
        two.softmax_probabilities(vectors)[:, 1],
        atol=1e-6,
    )


def test_the_reference_solver_gives_the_same_probe() -> None:
    vectors, members = topics()
    design = Design(vectors)
    settings = SETTINGS.model_copy(update={"tolerance": 1e-10})
    ours = design.one_vs_rest(members, settings)
    theirs = design.one_vs_rest(members, settings.model_copy(update={"solver": "scikit-learn"}))
    assert theirs.fit.converged
    for own, other in zip(ours.fit_of_label, theirs.fit_of_label, strict=True):
        assert own.objective == pytest.approx(other.objective, rel=1e-9)
    np.testing.assert_allclose(ours.coef, theirs.coef, atol=1e-3)


def test_labels_that_are_not_converged_are_named() -> None:
    vectors, members = topics()
    probe = Design(vectors).one_vs_rest(members, SETTINGS.model_copy(update={"max_iter": 3}))
    assert not probe.fit.converged
    assert max(fit.iterations for fit in probe.fit_of_label) == probe.fit.iterations == 3


@pytest.mark.parametrize("rows", [599, 601])
def test_memberships_of_another_length_are_refused(rows: int) -> None:
    vectors, _ = topics()
    members: Any = np.zeros((rows, 2), bool)
    with pytest.raises(ValueError, match="600 vectors"):
        Design(vectors).one_vs_rest(members, SETTINGS)
