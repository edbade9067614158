"""BM25 against rank-bm25, and exact ordering."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from evaluate_shelf.models.bm25 import Bm25, published_idf, tokens
from evaluate_shelf.models.ordering import cosine_top_k, normalised, top_k
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.documents import Release

words = st.sampled_from(["ship", "sea", "wheat", "law", "school", "organ", "tide", "plough"])
texts = st.lists(words, min_size=1, max_size=12).map(" ".join)


def okapi_idf(df: NDArray[np.float64], n_documents: int) -> NDArray[np.float64]:
    """rank-bm25's constants: a negative idf becomes a quarter of the mean idf."""
    idf = np.log(n_documents - df + 0.5) - np.log(df + 0.5)
    return np.where(idf < 0, 0.25 * idf.mean(), idf)


@given(st.lists(texts, min_size=2, max_size=12), texts)
@settings(max_examples=60, deadline=None)
def test_scores_are_those_of_rank_bm25(documents: list[str], query: str) -> None:
    theirs = BM25Okapi([tokens(d) for d in documents], k1=1.5, b=0.75).get_scores(tokens(query))
    hits = Bm25(idf=okapi_idf).score([query], documents, k=len(documents))
    ours = np.empty(len(documents))
    ours[hits.position[0]] = hits.score[0]
    np.testing.assert_allclose(ours, theirs, atol=1e-8)


def test_rankings_on_the_shipped_release_are_those_of_rank_bm25() -> None:
    release = Release.open(shipped_release())
    documents = release.documents("all", "train").column("text")
    queries = release.documents("all", "test").column("text")[:20]
    index = BM25Okapi([tokens(d) for d in documents], k1=1.5, b=0.75)
    hits = Bm25(idf=okapi_idf).score(queries, documents, k=10)
    for query, position in zip(queries, hits.position, strict=True):
        scores = np.array([float(f"{s:.9g}") for s in index.get_scores(tokens(query))])
        assert position.tolist() == np.lexsort((np.arange(len(scores)), -scores))[:10].tolist()


def test_lucene_idf_is_never_negative_and_the_published_one_is() -> None:
    documents = ["common rare", "common", "common"]
    assert Bm25().score(["common"], documents, k=3).score.min() > 0
    assert Bm25(idf=published_idf).score(["common"], documents, k=3).score.max() < 0


def test_pair_scores_are_the_mean_of_both_directions_over_the_pairs_texts() -> None:
    first, second = ["ship sea tide", "wheat plough"], ["sea sea ship", "law school wheat"]
    together = sorted({*first, *second})
    hits = Bm25().score(together, together, k=len(together))
    score = np.empty((len(together), len(together)))
    for query, (position, value) in enumerate(zip(hits.position, hits.score, strict=True)):
        score[query, position] = value
    expected = [
        (score[together.index(a), together.index(b)] + score[together.index(b), together.index(a)])
        / 2
        for a, b in zip(first, second, strict=True)
    ]
    np.testing.assert_allclose(Bm25().score_pairs(first, second), expected, rtol=1e-8)
    np.testing.assert_allclose(Bm25().score_pairs(second, first), expected, rtol=1e-8)


@given(st.integers(0, 2**32 - 1), st.integers(1, 30))
@settings(max_examples=60, deadline=None)
def test_top_k_is_a_full_sort_by_rounded_score_and_position(seed: int, k: int) -> None:
    random = np.random.default_rng(seed)
    # Few distinct values, so that ties stand on both sides of the cut.
    scores = np.round(random.random((4, 25)), 1) + random.choice([0, 1e-9], (4, 25))
    hits = top_k(scores, k, tolerance=1e-6, relative=False)
    for row, values in enumerate(scores):
        whole = np.lexsort((np.arange(25), -np.round(values, 6)))
        assert hits.position[row].tolist() == whole[:k].tolist()


def test_a_constant_scorer_is_ordered_by_position_alone() -> None:
    hits = top_k(np.full((2, 9), 0.25), 5, tolerance=1e-6, relative=True)
    assert hits.position.tolist() == [[0, 1, 2, 3, 4]] * 2


def test_cosine_ranking_is_that_of_a_full_sort_in_any_block_size() -> None:
    random = np.random.default_rng(0)
    queries = random.normal(size=(23, 8)).astype(np.float32)
    documents = random.normal(size=(200, 8)).astype(np.float32)
    cosines = normalised(queries).astype(np.float64) @ normalised(documents).astype(np.float64).T
    expected = [np.lexsort((np.arange(200), -np.round(row, 6)))[:10].tolist() for row in cosines]
    for block in (1, 7, 256):
        hits = cosine_top_k(queries, documents, 10, block=block)
        assert hits.position.tolist() == expected


def test_a_text_without_words_scores_nothing() -> None:
    assert Bm25().score(["..."], ["sea", "ship"], k=2).score.tolist() == [[0.0, 0.0]]
    assert Bm25().score_pairs(["..."], ["sea"]) == pytest.approx([0.0])
