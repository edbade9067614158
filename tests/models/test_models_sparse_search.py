"""Cosines of sparse vectors: the ranking of a full sort in float64, whatever the blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, random_array

from evaluate_shelf.models.ordering import cosine_top_k
from evaluate_shelf.models.protocol import Hits
from evaluate_shelf.models.sparse_search import CosineSearch


def drawn(seed: int, n: int, n_terms: int, *, signed: bool = False) -> csr_matrix:
    """Vectors with few components; some stand twice, one is zero."""
    rng = np.random.default_rng(seed)
    vectors = random_array((n, n_terms), density=0.2, rng=rng, dtype=np.float32).toarray()
    if signed:
        vectors *= rng.choice([-1, 1], size=vectors.shape).astype(np.float32)
    vectors[:, 0] += 0.1
    vectors[n // 2 :] = vectors[: n - n // 2]
    vectors[n // 3] = 0
    return csr_matrix(vectors)


def full_sort(queries: csr_matrix, documents: csr_matrix, k: int, tie_rank: np.ndarray) -> Hits:
    a, b = (vectors.toarray().astype(np.float64) for vectors in (queries, documents))
    lengths = [np.linalg.norm(rows, axis=1, keepdims=True) for rows in (a, b)]
    a, b = (r / np.where(n > 0, n, 1) for r, n in zip((a, b), lengths, strict=True))
    cosine = np.round(np.stack([(b * row).sum(axis=1) for row in a]), 6)
    order = np.stack([np.lexsort((tie_rank, -row)) for row in cosine])[:, :k]
    return Hits(order, np.take_along_axis(cosine, order, axis=1))


@given(
    seed=st.integers(0, 1000),
    k=st.integers(1, 40),
    signed=st.booleans(),
    memory=st.sampled_from([1, 1 << 12, 1 << 28]),
)
@settings(max_examples=25, deadline=None)
def test_the_ranking_is_that_of_a_full_sort(seed: int, k: int, signed: bool, memory: int) -> None:
    documents, queries = drawn(seed, 60, 30, signed=signed), drawn(seed + 1, 9, 30, signed=signed)
    tie_rank = np.random.default_rng(seed).permutation(60)
    found = CosineSearch(documents, memory).nearest(queries, k, tie_rank)
    expected = full_sort(queries, documents, k, tie_rank)
    np.testing.assert_array_equal(found.position, expected.position)
    np.testing.assert_allclose(found.score, expected.score, atol=1.01e-6)


@pytest.mark.parametrize("threads", [1, 2])
def test_sparse_and_dense_vectors_rank_alike(threads: int) -> None:
    documents, queries = drawn(1, 900, 200), drawn(2, 70, 200)
    sparse = CosineSearch(documents, 1 << 20).nearest(queries, 20, threads=threads)
    dense = cosine_top_k(queries.toarray(), documents.toarray(), 20)
    np.testing.assert_array_equal(sparse.position, dense.position)
    np.testing.assert_allclose(sparse.score, dense.score, atol=1.01e-6)


def test_lengths_decide_nothing() -> None:
    documents, queries = drawn(3, 80, 40), drawn(4, 12, 40)
    first = CosineSearch(documents).nearest(queries, 15)
    second = CosineSearch(documents * 4).nearest(queries * 0.5, 15)
    np.testing.assert_array_equal(first.position, second.position)
    np.testing.assert_array_equal(first.score, second.score)
