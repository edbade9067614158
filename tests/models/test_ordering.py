"""Exact top-k against full sorts, whatever ties, blocks and threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from evaluate_shelf.models import ordering
from evaluate_shelf.models.ordering import (
    cosine_top_k,
    normalised,
    ordered_hits,
    significant,
    top_k,
)
from evaluate_shelf.models.protocol import Hits
from evaluate_shelf.models.selection import near_best, ordered

seeds = st.integers(0, 2**32 - 1)


def sorted_cosines(queries, documents, k, tie_rank=None) -> Hits:
    """The definition: every cosine in float64, each summed by itself, and a full sort."""
    q, d = (normalised(side).astype(np.float64) for side in (queries, documents))
    score = np.round([[np.dot(a, b) for b in d] for a in q], 6)
    tie = np.arange(len(d)) if tie_rank is None else tie_rank
    order = np.array([np.lexsort((tie, -row)) for row in score])[:, :k]
    return Hits(order, np.take_along_axis(score, order, axis=1))


def same_hits(first: Hits, second: Hits) -> bool:
    return np.array_equal(first.position, second.position) and np.array_equal(
        first.score, second.score
    )


def tied_vectors(random: np.random.Generator, n: int, dimension: int) -> NDArray[np.float32]:
    """Few directions, so that whole groups tie on both sides of the cut; some are zero."""
    few = random.integers(-1, 2, (max(1, n // 6), dimension)).astype(np.float32)
    vectors = few[random.integers(0, len(few), n)]
    return vectors * random.choice([0.5, 1, 3], (n, 1)).astype(np.float32)


@given(seeds, st.integers(1, 400), st.integers(1, 60), st.booleans())
@settings(max_examples=80, deadline=None)
@example(0, 400, 1, True)
def test_cosine_ranking_with_ties_is_that_of_a_full_sort(
    seed: int, n_documents: int, k: int, ranked: bool
) -> None:
    random = np.random.default_rng(seed)
    queries = tied_vectors(random, 5, 6)
    documents = tied_vectors(random, n_documents, 6)
    tie_rank = random.permutation(n_documents) if ranked else None
    hits = cosine_top_k(queries, documents, k, tie_rank=tie_rank)
    assert same_hits(hits, sorted_cosines(queries, documents, k, tie_rank))


@given(seeds, st.integers(1, 20))
@settings(max_examples=20, deadline=None)
def test_cosine_ranking_of_dense_vectors_is_that_of_a_full_sort(seed: int, k: int) -> None:
    random = np.random.default_rng(seed)
    queries = random.normal(size=(3, 48)).astype(np.float32)
    # Close to one another: cosines that differ by less than a float32 product errs.
    near = queries[0] + 1e-4 * random.normal(size=(700, 48))
    documents = near.astype(np.float32)
    assert same_hits(cosine_top_k(queries, documents, k), sorted_cosines(queries, documents, k))


def test_blocks_and_threads_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    queries = random.normal(size=(173, 40)).astype(np.float32)
    documents = random.normal(size=(5000, 40)).astype(np.float32)
    reference = cosine_top_k(queries, documents, 30, threads=1)
    for block, threads in ((1, 1), (7, 2), (64, 3), (512, 2)):
        monkeypatch.setattr(ordering, "_BLOCK", block)
        assert same_hits(cosine_top_k(queries, documents, 30, threads=threads), reference)
    little = cosine_top_k(queries, documents, 30, memory_bytes=1, threads=2)
    assert same_hits(little, reference)


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_the_order_of_documents_and_queries_decides_nothing(seed: int) -> None:
    random = np.random.default_rng(seed)
    queries = random.normal(size=(9, 33)).astype(np.float32)
    # Scores that straddle a step of the rounding, and twins.
    documents = np.repeat(random.normal(size=(300, 33)), 2, axis=0).astype(np.float32)
    tie_rank = random.permutation(600)
    reference = cosine_top_k(queries, documents, 25, tie_rank=tie_rank)
    documents_order, queries_order = random.permutation(600), random.permutation(9)
    hits = cosine_top_k(
        queries[queries_order], documents[documents_order], 25, tie_rank=tie_rank[documents_order]
    )
    moved = Hits(documents_order[hits.position], hits.score)
    assert same_hits(moved, Hits(*(part[queries_order] for part in reference)))


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_equal_documents_are_ordered_by_tie_rank_alone(value: float) -> None:
    documents = np.full((3000, 4), value, np.float32)
    tie_rank = np.random.default_rng(1).permutation(3000)
    hits = cosine_top_k(np.ones((2, 4), np.float32), documents, 7, tie_rank=tie_rank)
    assert hits.position.tolist() == [np.argsort(tie_rank)[:7].tolist()] * 2
    assert hits.score.tolist() == [[value] * 7] * 2


def test_more_hits_than_documents_are_all_documents() -> None:
    documents = np.eye(3, dtype=np.float32)
    assert cosine_top_k(documents, documents, 10).position.shape == (3, 3)
    assert cosine_top_k(documents[:0], documents, 10).position.shape == (0, 3)


@given(seeds, st.integers(1, 30), st.booleans())
@settings(max_examples=60, deadline=None)
def test_top_k_is_a_full_sort_by_rounded_score_and_tie_rank(
    seed: int, k: int, ranked: bool
) -> None:
    random = np.random.default_rng(seed)
    # Few distinct values, so that ties stand on both sides of the cut.
    scores = np.round(random.random((4, 25)), 1) + random.choice([0, 1e-9], (4, 25))
    tie_rank = random.permutation(25) if ranked else np.arange(25)
    hits = top_k(scores, k, tolerance=1e-6, relative=False, tie_rank=tie_rank if ranked else None)
    for row, values in enumerate(scores):
        whole = np.lexsort((tie_rank, -np.round(values, 6)))
        assert hits.position[row].tolist() == whole[:k].tolist()


def test_a_constant_scorer_is_ordered_by_position_alone() -> None:
    hits = top_k(np.full((2, 9), 0.25), 5, tolerance=1e-6, relative=True)
    assert hits.position.tolist() == [[0, 1, 2, 3, 4]] * 2


@given(seeds, st.integers(1, 700), st.integers(1, 40), st.integers(0, 3))
@settings(max_examples=80, deadline=None)
def test_no_cell_near_the_best_is_missed(seed: int, n: int, k: int, steps: int) -> None:
    random = np.random.default_rng(seed)
    k = min(k, n)
    scores = random.integers(-20, 20, (6, n)).astype(np.float32)
    found = list(near_best(scores, k, absolute=float(steps)))
    cells = {cell for part in found for cell in zip(*(p.tolist() for p in part), strict=True)}
    kth = -np.sort(-scores, axis=1)[:, k - 1]
    rows, columns = np.nonzero(scores >= kth[:, None] - steps)
    assert cells >= set(zip(rows.tolist(), columns.tolist(), strict=True))


def test_scores_that_are_not_finite_are_refused() -> None:
    [found] = near_best(np.array([[0.5, 0.25]]), 1)
    with pytest.raises(ValueError, match="finite"):
        ordered(found, np.array([0.5]), 2)


@given(st.floats(-1e12, 1e12).filter(lambda x: x == 0 or abs(x) > 1e-12), st.integers(1, 12))
def test_significant_digits_are_those_of_decimal_notation(value: float, digits: int) -> None:
    rounded = significant(np.array([value]), digits)[0]
    assert rounded == pytest.approx(float(f"{value:.{digits}g}"), rel=10.0**-digits, abs=0)
    assert significant(np.array([rounded]), digits)[0] == rounded


def test_given_documents_are_ordered_by_score_and_tie_rank() -> None:
    position, score = np.array([[4, 1, 2]]), np.array([[0.5, 0.5, 0.9]])
    hits = ordered_hits(position, score, np.array([9, 9, 9, 9, 0]))
    assert hits.position.tolist() == [[2, 4, 1]]


@pytest.mark.parametrize("scale", [1e30, 1e-30, 1e-44, 3e38, 1.0])
def test_the_scale_of_vectors_changes_no_ranking(scale: float) -> None:
    random = np.random.default_rng(3)
    # Few digits, so that the smallest numbers of float32 still hold them.
    queries = random.integers(1, 4, size=(20, 8)).astype(np.float64)
    documents = random.integers(1, 4, size=(50, 8)).astype(np.float64)
    expected = cosine_top_k(queries.astype(np.float32), documents.astype(np.float32), 10)
    scale = min(scale, 1e38)
    step = np.float64(2.0) ** np.round(np.log2(scale))
    scaled = [(side * step).astype(np.float32) for side in (queries, documents)]
    found = cosine_top_k(*scaled, 10)
    np.testing.assert_array_equal(found.position, expected.position)
    np.testing.assert_array_equal(found.score, expected.score)
