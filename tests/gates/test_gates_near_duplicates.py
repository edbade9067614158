"""G6 over a corpus: what it finds, and that it does not depend on how the corpus is read."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.draws import Draws
from builders.gates.near_duplicate import LEAST_SIMILARITY, NONE, nearest_earlier, table_of
from builders.quality.stream import batches_of

WORDS = [f"word{number}" for number in range(400)]


def text_of(number: int, words: int = 120) -> list[str]:
    draws = Draws(3, number)
    return [draws.choice(WORDS) for _ in range(words)]


def shingles(text: str) -> set[tuple[str, ...]]:
    words = text.lower().split()
    return {tuple(words[start : start + 5]) for start in range(max(len(words) - 4, 1))}


def naive(first: str, second: str) -> float:
    a, b = shingles(first), shingles(second)
    return len(a & b) / len(a | b) if first.split() and second.split() else 0.0


def expected(ids: list[str], texts: list[str]) -> list[float]:
    """The definition, word by word."""
    values = []
    for own, text in zip(ids, texts, strict=True):
        earlier = [naive(text, other) for o, other in zip(ids, texts, strict=True) if o < own]
        best = max(earlier, default=0.0)
        values.append(round(best, 4) if best >= LEAST_SIMILARITY else 0.0)
    return values


def corpus() -> tuple[list[str], list[str]]:
    """Texts, some with copies that differ in nothing, a word, several words or all of them."""
    texts: list[str] = []
    for number in range(30):
        words = text_of(number)
        texts.append(" ".join(words))
        for changed in (0, 1, 2, 3, 8)[: number % 6]:
            copy = list(words)
            for place in range(changed):
                copy[(7 + 29 * place) % len(copy)] = "another"
            texts.append(" ".join(copy).upper() if changed == 0 else " ".join(copy))
    ids = [f"{Draws(9, number).integer(10**9):09d}" for number in range(len(texts))]
    return ids, texts


def run(ids: list[str], texts: list[str]):
    return nearest_earlier("corpus", batches_of(table_of(ids, texts), rows=17))


def test_it_gives_the_greatest_similarity_to_an_earlier_document():
    ids, texts = corpus()
    nearest = run(ids, texts)
    assert nearest.similarity.tolist() == expected(ids, texts)
    assert (nearest.estimated, nearest.left_out, nearest.too_long) == (0, 0, 0)
    for place, (value, earlier) in enumerate(zip(nearest.similarity, nearest.earlier, strict=True)):
        assert (earlier == NONE) == (value == 0)
        if earlier != NONE:
            assert ids[earlier] < ids[place]
            assert round(naive(texts[earlier], texts[place]), 4) == value


@settings(max_examples=10)
@given(st.permutations(range(60)))
def test_it_does_not_depend_on_the_order_in_which_the_corpus_is_read(order):
    ids, texts = corpus()
    whole = dict(zip(ids[:60], run(ids[:60], texts[:60]).similarity, strict=True))
    nearest = run([ids[own] for own in order], [texts[own] for own in order])
    assert dict(zip([ids[own] for own in order], nearest.similarity, strict=True)) == whole


def test_documents_without_words_are_no_copies_of_each_other():
    nearest = run(["a", "b", "c", "d"], ["", " \n", "One word.", "one  WORD."])
    assert nearest.similarity.tolist() == [0, 0, 0, 1]
    assert nearest.earlier.tolist() == [NONE, NONE, NONE, 2]


def test_the_first_of_many_copies_alone_is_like_none():
    texts = [" ".join(text_of(1))] * 300
    ids = [f"{number:03d}" for number in range(300)]
    nearest = run(ids[::-1], texts)
    assert nearest.similarity.tolist() == [1.0] * 299 + [0.0]
    assert set(nearest.earlier[:299].tolist()) == {299}


def test_of_no_documents_nothing_is_found():
    nearest = run([], [])
    assert len(nearest.similarity) == len(nearest.earlier) == 0


def test_a_text_of_more_than_a_mebibyte_is_compared_with_equal_ones():
    long = " ".join(f"w{number}" for number in range(200_000))
    nearest = run(["a", "b", "c"], [long, long, f"{long} more"])
    assert nearest.similarity.tolist() == [0, 1, 0]
    assert nearest.too_long == 3
    assert np.array_equal(nearest.earlier, [NONE, 0, NONE])
