"""Probes on sparse vectors end where those on the same vectors in a dense table end."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random_array

from evaluate_shelf.probes import Design, SparseDesign
from evaluate_shelf.registry.protocols import load_protocol

PROBE = load_protocol().probe.model_copy(update={"tolerance": 1e-10})
SOLVERS = ["shelf", "scikit-learn"]


def drawn(seed: int, n: int, n_terms: int = 60) -> csr_matrix:
    rng = np.random.default_rng(seed)
    return csr_matrix(random_array((n, n_terms), density=0.15, rng=rng, dtype=np.float32))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("labels_in_use", [[0, 1, 3], [1, 2], [2]])
def test_softmax(solver: str, class_weight: str | None, labels_in_use: list[int]) -> None:
    vectors, unseen = drawn(1, 300), drawn(2, 40)
    labels = np.random.default_rng(3).choice(labels_in_use, 300)
    settings = PROBE.model_copy(update={"solver": solver, "class_weight": class_weight})
    sparse = SparseDesign(vectors).softmax(labels, 4, settings)
    dense = Design(vectors.toarray()).softmax(
        labels, 4, PROBE.model_copy(update={"class_weight": class_weight})
    )
    assert sparse.fit.converged
    assert sparse.fit.objective == pytest.approx(dense.fit.objective, rel=1e-9)
    np.testing.assert_allclose(
        sparse.softmax_probabilities(unseen),
        dense.softmax_probabilities(unseen.toarray()),
        atol=1e-4,
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_one_against_the_rest(solver: str) -> None:
    """More labels than are fitted at a time; one that all have, and one that none has."""
    vectors, unseen = drawn(4, 250), drawn(5, 30)
    members = np.random.default_rng(6).random((250, 70)) < 0.1
    members[:, 3], members[:, 40] = True, False
    settings = PROBE.model_copy(update={"solver": solver})
    sparse = SparseDesign(vectors).one_vs_rest(members, settings)
    dense = Design(vectors.toarray()).one_vs_rest(members, PROBE)
    assert len(sparse.fit_of_label) == 70
    assert sparse.fit.converged
    assert sparse.fit.objective == pytest.approx(dense.fit.objective, rel=1e-9)
    found = sparse.sigmoid_probabilities(unseen)
    np.testing.assert_allclose(found, dense.sigmoid_probabilities(unseen.toarray()), atol=1e-4)
    assert (found[:, 3] == 1).all()
    assert (found[:, 40] == 0).all()


def test_threads_change_no_bit() -> None:
    vectors = drawn(7, 9000)
    labels = np.random.default_rng(8).integers(0, 5, 9000)
    one, two = (
        SparseDesign(vectors, threads).softmax(labels, 5, load_protocol().probe)
        for threads in (1, 2)
    )
    np.testing.assert_array_equal(one.coef, two.coef)
    np.testing.assert_array_equal(one.intercept, two.intercept)


def test_a_fit_that_is_cut_short_says_so() -> None:
    labels = np.random.default_rng(8).integers(0, 5, 300)
    settings = PROBE.model_copy(update={"max_iter": 1})
    assert not SparseDesign(drawn(1, 300)).softmax(labels, 5, settings).fit.converged


def test_what_is_no_table_of_finite_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        SparseDesign(csr_matrix([[0.0, np.nan]]))
    with pytest.raises(ValueError, match="at least one"):
        SparseDesign(csr_matrix((0, 3)))
