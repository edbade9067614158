"""Samples and splits: nothing on both sides, every document somewhere, the same each time."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.transfer_matrix import Settings, corpora_named
from evaluate_shelf.transfer_matrix.samples import first_words, samples
from evaluate_shelf.transfer_matrix.splitting import split_by_class, split_by_groups

NAMES = st.sampled_from("abcdefghij")


@given(st.lists(NAMES, min_size=2, max_size=60).filter(lambda own: len(set(own)) > 1))
def test_no_group_is_on_both_sides(groups: list[str]) -> None:
    train, test = split_by_groups(groups, 0.3, 42)
    assert sorted([*train, *test]) == list(range(len(groups)))
    of_train, of_test = ({groups[row] for row in rows} for rows in (train, test))
    assert not of_train & of_test
    assert len(of_test) == math.ceil(0.3 * len(set(groups)))


@given(st.permutations(["a", "a", "b", "c", "c", "c", "d", "e"]))
def test_the_order_of_documents_does_not_change_which_groups_are_tested(groups: list[str]) -> None:
    def tested(own: list[str]) -> set[str]:
        return {own[row] for row in split_by_groups(own, 0.3, 42).test}

    assert tested(groups) == tested(sorted(groups))


@given(st.lists(st.integers(4, 30), min_size=2, max_size=6), st.integers(0, 3))
def test_each_class_is_split_by_itself(sizes: list[int], alone: int) -> None:
    labels = [f"c{number}" for number, size in enumerate(sizes) for _ in range(size)]
    single = [f"s{number}" for number in range(alone)]
    parts = split_by_class([*labels, *single], 0.3, 42)
    assert sorted([*parts.train, *parts.test]) == list(range(len(labels) + alone))
    count = Counter(labels[row] for row in parts.test)
    assert len(parts.test) == math.ceil(0.3 * len(labels))
    for number, size in enumerate(sizes):
        assert abs(count[f"c{number}"] - len(parts.test) * size / len(labels)) < 1
    assert set(range(len(labels), len(labels) + alone)) <= set(parts.train)


def test_without_single_documents_it_is_scikit_learns_split() -> None:
    labels = list("aabbbbccccccccaaabb") * 3
    _, test = train_test_split(
        np.arange(len(labels)), test_size=0.3, random_state=42, stratify=labels
    )
    assert split_by_class(labels, 0.3, 42).test.tolist() == sorted(test.tolist())


def test_what_cannot_be_split_is_refused() -> None:
    with pytest.raises(ShelfError, match="of one group"):
        split_by_groups(["a", "a"], 0.3, 42)
    with pytest.raises(ShelfError, match="too few"):
        split_by_class(["a", "a", "b", "b", "c", "c"], 0.3, 42)
    with pytest.raises(ShelfError, match="too few"):
        split_by_class(["a", "b"], 0.3, 42)


def test_a_sample_has_every_labelled_document_of_all_splits(release, made) -> None:
    rows = made(60, 3, "fish")
    for row in rows[::7]:
        row["lcc_code"] = None
    (sample,) = samples(corpora_named([f"fish={release('fish', rows)}"]), Settings())
    ids = {*sample.ids_of("train"), *sample.ids_of("test")}
    assert ids == {row["id"] for row in rows if row["lcc_code"]}
    assert len(sample.corpus.documents) == 60
    assert sample.labelled == len(ids)
    texts = {row["id"]: row["text"] for row in rows}
    labels = {row["id"]: row["lcc_code"] for row in rows}
    for part in ("train", "test"):
        assert [texts[identity] for identity in sample.ids_of(part)] == sample.texts_of(part)
        assert [labels[identity] for identity in sample.ids_of(part)] == sample.labels_of(part)


def test_equal_size_is_that_of_the_smallest_whatever_a_corpus_is_called(corpora) -> None:
    fish, bird = samples(corpora, Settings(size="equal"))
    assert len(fish.used) == len(bird.used) == 80
    assert bird.is_whole
    assert not fish.is_whole
    assert len(set(fish.used.tolist())) == 80
    folders = [corpus.data.release.folder for corpus in corpora]
    renamed = corpora_named([f"second={folders[1]}", f"first={folders[0]}"])
    _, first = samples(renamed, Settings(size="equal"))
    assert first.used.tolist() == fish.used.tolist()
    whole, _ = samples(corpora, Settings())
    assert len(whole.used) == 120


def test_groups_are_kept_together_only_where_there_are_any(release, made) -> None:
    folder = release("fish", made(120, 3, "fish"))
    named = corpora_named([f"fish={folder}"])
    (grouped,) = samples(named, Settings())
    (single,) = samples(named, Settings(split="documents"))
    sides = [
        {*sample.groups[sample.parts.train]} & {*sample.groups[sample.parts.test]}
        for sample in (grouped, single)
    ]
    assert not sides[0]
    assert sides[1]
    plain = release("plain", made(120, 3, "fish"), group_column=None)
    (ungrouped,) = samples(corpora_named([f"fish={plain}"]), Settings())
    assert ungrouped.grouped_by is None
    assert ungrouped.parts.test.tolist() == single.parts.test.tolist()


@given(st.text(" \n\tab", max_size=30), st.integers(1, 8))
def test_first_words(text: str, words: int) -> None:
    assert first_words([text], words)[0].split() == text.split()[:words]
    assert first_words([text], None) == [text]
