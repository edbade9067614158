"""BM25 against rank-bm25, bm25s and its own definition in float64."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.bm25 import VARIANTS, Bm25, Variant, tokens
from evaluate_shelf.models.bm25.variants import saturated
from evaluate_shelf.models.bm25.words import counted, counts_of_known
from evaluate_shelf.models.checks import within_memory
from evaluate_shelf.models.ordering import float32_error, significant
from evaluate_shelf.models.protocol import Bounded, Hits
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.documents import Release

words = st.sampled_from(["ship", "sea", "wheat", "law", "school", "organ", "tide", "plough"])
texts = st.lists(words, min_size=1, max_size=12).map(" ".join)
seeds = st.integers(0, 2**32 - 1)
EVERY_VARIANT = pytest.mark.parametrize("variant", list(VARIANTS))


def test_a_search_is_told_how_much_memory_it_may_take() -> None:
    documents = drawn_texts(3, 80)
    wide = Bm25(1.2, 0.5, "bm25plus", 0.7)
    narrow = within_memory(wide, 4096)
    assert isinstance(wide, Bounded)
    assert (narrow.memory_bytes, wide.memory_bytes) == (4096, 512 << 20)
    queries = documents[::3]
    assert same_hits(narrow.score(queries, documents, k=7), wide.score(queries, documents, k=7))
    of_each = [model.index(documents)._memory_bytes for model in (narrow, wide)]
    assert of_each[1] / of_each[0] == (512 << 20) / 4096


def test_a_model_that_cannot_be_told_is_left_as_it_is() -> None:
    model = object()
    assert within_memory(model, 4096) is model


def okapi_idf(df: NDArray[np.float64], n_documents: int) -> NDArray[np.float64]:
    """rank-bm25's constants: a negative idf becomes a quarter of the mean idf."""
    idf = np.log(n_documents - df + 0.5) - np.log(df + 0.5)
    return np.where(idf < 0, 0.25 * idf.mean(), idf)


OKAPI = Variant(okapi_idf, saturated)


def drawn_texts(seed: int, n: int, most_words: int = 60) -> list[str]:
    """Texts with frequent, rare and negative terms, twins, and empty ones."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        numbers = random.zipf(1.2, random.integers(0, most_words)) % 500
        made.append(" ".join(f"w{number}" for number in numbers))
    return made + made[: n // 5]


def defined_scores(model: Bm25, queries: list[str], documents: list[str]) -> NDArray[np.float64]:
    """Every score in float64, word by word in the order of the words."""
    vocabulary, counts = counted(documents)
    present, everywhere = model._weights(counts)
    table = present.toarray()
    scores = np.zeros((len(queries), len(documents)))
    for row, query in enumerate(queries):
        n_times = Counter(word for word in tokens(query) if word in vocabulary)
        base = 0.0
        for word in sorted(n_times):
            scores[row] += n_times[word] * table[:, vocabulary[word]]
            base += n_times[word] * everywhere[vocabulary[word]]
        scores[row] += base
    return significant(scores, 9)


def full_sort(scores: NDArray[np.float64], k: int, tie_rank: NDArray[np.int64]) -> Hits:
    order = np.array([np.lexsort((tie_rank, -row)) for row in scores])[:, :k]
    return Hits(order, np.take_along_axis(scores, order, axis=1))


def same_hits(first: Hits, second: Hits) -> bool:
    return np.array_equal(first.position, second.position) and np.array_equal(
        first.score, second.score
    )


@given(st.lists(texts, min_size=2, max_size=12), texts)
@settings(max_examples=60, deadline=None)
def test_scores_are_those_of_rank_bm25(documents: list[str], query: str) -> None:
    theirs = BM25Okapi([tokens(d) for d in documents], k1=1.5, b=0.75).get_scores(tokens(query))
    hits = Bm25(variant=OKAPI).score([query], documents, k=len(documents))
    ours = np.empty(len(documents))
    ours[hits.position[0]] = hits.score[0]
    np.testing.assert_allclose(ours, theirs, atol=1e-8)


def test_rankings_of_two_thousand_documents_are_those_of_rank_bm25() -> None:
    release = Release.open(shipped_release())
    shipped = [
        text
        for split in ("train", "validation", "test")
        for text in release.documents("all", split).column("text")
    ]
    # The first half of one and the second half of another, each pair once.
    halves = [(t[: len(t) // 2], t[len(t) // 2 :]) for t in shipped]
    n = len(halves)
    mixed = (
        f"{halves[i][0]} {halves[(i + step) % n][1]}" for step in range(1, n) for i in range(n)
    )
    documents = [text for text, _ in zip(mixed, range(2000), strict=False)]
    assert len(set(documents)) == 2000
    queries = shipped[:6]
    theirs = BM25Okapi([tokens(d) for d in documents], k1=1.5, b=0.75)
    hits = Bm25(variant=OKAPI).score(queries, documents, k=100)
    for query, position, score in zip(queries, *hits, strict=True):
        expected = significant(theirs.get_scores(tokens(query)), 9)
        order = np.lexsort((np.arange(2000), -expected))[:100]
        assert position.tolist() == order.tolist()
        np.testing.assert_allclose(score, expected[order], rtol=1e-8)


@pytest.mark.parametrize(
    ("variant", "theirs"),
    [
        ("lucene", "lucene"),
        ("robertson", "robertson"),
        ("atire", "atire"),
        ("bm25l", "bm25l"),
        ("bm25plus", "bm25+"),
    ],
)
def test_variants_are_those_of_bm25s(variant: str, theirs: str) -> None:
    bm25s = pytest.importorskip("bm25s", reason="bm25s is not installed")
    documents, queries = drawn_texts(3, 150), [t for t in drawn_texts(4, 20) if t]
    vocabulary = counted(documents).vocabulary
    retriever = bm25s.BM25(k1=1.2, b=0.6, delta=0.7, method=theirs, dtype="float64")
    retriever.index([tokens(d) for d in documents], show_progress=False)
    hits = Bm25(1.2, 0.6, variant, 0.7).score(queries, documents, k=len(documents))
    # bm25s leaves out Lucene's constant factor.
    factor = 2.2 if variant == "lucene" else 1.0
    for query, position, score in zip(queries, *hits, strict=True):
        known = [word for word in tokens(query) if word in vocabulary]
        ours = np.empty(len(documents))
        ours[position] = score
        np.testing.assert_allclose(ours, factor * retriever.get_scores(known), rtol=1e-8, atol=1e-9)


@EVERY_VARIANT
@given(seed=seeds, k=st.integers(1, 40), memory=st.sampled_from([1, 100_000, 1 << 28]))
@settings(max_examples=12, deadline=None)
def test_rankings_are_those_of_float64_throughout(
    variant: str, seed: int, k: int, memory: int
) -> None:
    documents, queries = drawn_texts(seed, 60), drawn_texts(seed + 1, 6)
    model = Bm25(variant=variant, memory_bytes=memory)
    tie_rank = np.random.default_rng(seed).permutation(len(documents))
    hits = model.index(documents).score(queries, k, tie_rank)
    assert same_hits(hits, full_sort(defined_scores(model, queries, documents), k, tie_rank))


@EVERY_VARIANT
def test_heavy_ties_and_near_ties_are_ordered_as_in_float64(variant: str) -> None:
    # Hundreds of equal documents, and long ones whose scores differ by less than float32 tells.
    base = drawn_texts(7, 40, most_words=900)
    documents = [*base * 5, *[f"{text} w{n % 500}" for n, text in enumerate(base * 5)], *[""] * 90]
    queries = [*base[:5], " ".join(base[:20]), "unknown words", ""]
    model = Bm25(variant=variant)
    hits = model.score(queries, documents, k=100)
    expected = full_sort(defined_scores(model, queries, documents), 100, np.arange(len(documents)))
    assert same_hits(hits, expected)


@EVERY_VARIANT
def test_float32_sums_err_less_than_the_bound(variant: str) -> None:
    documents, queries = drawn_texts(9, 200, 300), drawn_texts(10, 30, 300)
    model = Bm25(variant=variant)
    searched = model.index(documents)
    known = counts_of_known(queries, counted(documents).vocabulary)
    weights = model._weights(counted(documents).counts).present
    exact = (known @ weights.T).toarray()
    sizes = (known @ abs(weights).T).toarray()
    error = float32_error(np.diff(known.indptr))[:, None]
    assert (np.abs(searched._approximate(known.astype(np.float32)) - exact) <= error * sizes).all()
    assert (sizes <= exact + 2 * (known @ searched._most_negative)[:, None] + 1e-9).all()


def test_blocks_threads_and_memory_do_not_change_a_bit() -> None:
    documents, queries = drawn_texts(1, 400), drawn_texts(2, 150)
    reference = Bm25().index(documents).score(queries, 50, threads=1)
    for threads, memory in ((2, 1 << 28), (3, 1 << 18), (2, 1)):
        index = Bm25(memory_bytes=memory).index(documents)
        assert same_hits(index.score(queries, 50, threads=threads), reference)


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_the_order_of_documents_and_queries_decides_nothing(seed: int) -> None:
    random = np.random.default_rng(seed)
    documents, queries = drawn_texts(seed, 50), drawn_texts(seed + 1, 8)
    tie_rank = random.permutation(len(documents))
    reference = Bm25().index(documents).score(queries, 20, tie_rank)
    of_documents = random.permutation(len(documents))
    of_queries = random.permutation(len(queries))
    hits = (
        Bm25()
        .index([documents[i] for i in of_documents])
        .score([queries[i] for i in of_queries], 20, tie_rank[of_documents])
    )
    moved = Hits(of_documents[hits.position], hits.score)
    assert same_hits(moved, Hits(*(part[of_queries] for part in reference)))


def test_lucene_idf_is_never_negative_and_the_published_one_is() -> None:
    documents = ["common rare", "common", "common"]
    assert Bm25().score(["common"], documents, k=3).score.min() > 0
    assert Bm25(variant="published").score(["common"], documents, k=3).score.max() < 0


@EVERY_VARIANT
def test_pair_scores_are_the_mean_of_both_directions_over_the_pairs_texts(variant: str) -> None:
    model = Bm25(variant=variant)
    first, second = ["ship sea tide", "wheat plough"], ["sea sea ship", "law school wheat"]
    together = sorted({*first, *second})
    hits = model.score(together, together, k=len(together))
    score = np.empty((len(together), len(together)))
    for query, (position, value) in enumerate(zip(hits.position, hits.score, strict=True)):
        score[query, position] = value
    expected = [
        (score[together.index(a), together.index(b)] + score[together.index(b), together.index(a)])
        / 2
        for a, b in zip(first, second, strict=True)
    ]
    np.testing.assert_allclose(model.score_pairs(first, second), expected, rtol=1e-8)
    np.testing.assert_array_equal(
        model.score_pairs(second, first), model.score_pairs(first, second)
    )


def test_a_text_without_words_scores_nothing() -> None:
    assert Bm25().score(["..."], ["sea", "ship"], k=2).score.tolist() == [[0.0, 0.0]]
    assert Bm25().score_pairs(["..."], ["sea"]) == pytest.approx([0.0])
    assert Bm25().score([], ["sea"], k=2).position.shape == (0, 1)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.text("aÉ_9 ’ß٣\u0301İ"))
@settings(max_examples=400)
def test_words_are_runs_of_letters_and_digits_without_marks(text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text.lower())
    runs, run = [], ""
    for character in (c for c in decomposed + " " if not unicodedata.combining(c)):
        if character.isalnum() or character == "_":
            run += character
        elif run:
            runs.append(run)
            run = ""
    assert tokens(text) == runs


@given(st.lists(st.text("ab é", max_size=12), max_size=8))
def test_counts_are_those_of_the_words(given_texts: list[str]) -> None:
    vocabulary, counts = counted(given_texts)
    assert list(vocabulary) == sorted({word for text in given_texts for word in tokens(text)})
    assert list(vocabulary.values()) == list(range(len(vocabulary)))
    expected = [[tokens(text).count(word) for word in vocabulary] for text in given_texts]
    assert counts.toarray().tolist() == expected


@pytest.mark.parametrize(
    "constants",
    [{"k1": -1.0}, {"b": 1.5}, {"k1": math.nan}, {"delta": math.inf}, {"k1": 0.0, "delta": 0.0}],
)
def test_constants_out_of_range_are_refused(constants: dict[str, float]) -> None:
    with pytest.raises(ShelfError, match="BM25"):
        Bm25(**constants)


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(ShelfError, match="bm25plus"):
        Bm25(variant="bm26")
