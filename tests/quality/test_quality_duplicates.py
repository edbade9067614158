"""Exact duplicates against a dictionary of texts."""

from __future__ import annotations

import itertools
from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st
from planted_corpora import SPLITS, corpus, count_by_splits, normal

from builders.quality.duplicates import ExactDuplicates, exact_duplicates
from builders.quality.fingerprints import fingerprints_of
from builders.quality.stream import batches_of

DOCUMENTS = st.lists(
    st.tuples(st.text(alphabet="aAéÉ \n", max_size=3), st.sampled_from(SPLITS)), max_size=25
)


def found_in(texts: list[str], splits: list[str]) -> ExactDuplicates:
    stream = batches_of(corpus(texts, splits), rows=7)
    return exact_duplicates(fingerprints_of("corpus", stream, seed=0))


@settings(max_examples=150, deadline=None)
@given(DOCUMENTS)
def test_duplicates_agree_with_a_dictionary(documents: list[tuple[str, str]]) -> None:
    texts, splits = [text for text, _ in documents], [split for _, split in documents]
    places = defaultdict(list)
    for place, text in enumerate(texts):
        places[normal(text)].append(place)
    groups = [own for own in places.values() if len(own) > 1]
    pairs = [pair for own in groups for pair in itertools.combinations(own, 2)]
    across = [own for own in groups if len({splits[place] for place in own}) > 1]
    found = found_in(texts, splits or None)
    assert (found.pairs.within, found.pairs.across) == count_by_splits(pairs, splits)
    assert (found.texts, found.across_splits) == (len(groups), len(across))
    assert found.surplus == sum(len(own) - 1 for own in groups)
    named = [tuple(text.ids) for text in found.named]
    inside = [own for own in groups if own not in across]
    assert named == [tuple(f"d{p}" for p in own[:10]) for own in (*across, *inside)]
    for text, own in zip(found.named, (*across, *inside), strict=True):
        assert sum(text.documents.values()) == len(own)


def test_a_text_that_stands_often_costs_nothing_and_is_named_once() -> None:
    found = found_in(["Same."] * 3000 + ["Other."], ["train"] * 2000 + ["test"] * 1001)
    assert found.pairs.within["train"] == 2000 * 1999 // 2
    assert found.pairs.across["train-test"] == 2000 * 1000
    assert found.surplus == 2999
    assert [len(text.ids) for text in found.named] == [10]


def test_no_more_than_fifty_texts_are_named() -> None:
    texts = [f"text {number % 80}" for number in range(160)]
    splits = ["train"] * 80 + ["train"] * 60 + ["test"] * 20
    found = found_in(texts, splits)
    assert (found.texts, found.across_splits, len(found.named)) == (80, 20, 50)
    assert all(text.documents["test"] == 1 for text in found.named[:20])
    assert all(text.documents["train"] == 2 for text in found.named[20:])
