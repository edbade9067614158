"""Near duplicates: found, verified, bounded, and what is left out is said."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_corpora import corpus, count_by_splits, naive_jaccard, naive_pairs, near_copy, words

from builders.draws import Draws
from builders.quality.candidates import BUCKET, candidate_pairs
from builders.quality.fingerprints import fingerprints_of
from builders.quality.near_duplicates import NearDuplicates, near_duplicates
from builders.quality.signatures import BANDS, band_keys, probability_missed
from builders.quality.stream import Batches, batches_of
from evaluate_shelf.errors import ShelfError


def found_in(table: pa.Table, *, seed: int = 42, **options: float) -> NearDuplicates:
    batches = batches_of(table)
    return near_duplicates(fingerprints_of("corpus", batches, seed=seed), batches, **options)


def planted(pairs: int, seed: int, changes: tuple[int, int]) -> list[str]:
    """Texts of 8 to 1,500 words, each followed by a copy with a share of its words changed."""
    texts = []
    for number in range(pairs):
        draws = Draws(seed, "planted", number)
        length = draws.choice([8, 15, 40, 120, 300, 640, 1500])
        original = words(draws, length)
        low, high = (round(length * share / 1000) for share in changes)
        texts.append(" ".join(original))
        texts.append(" ".join(near_copy(draws, original, draws.between(low, max(low, high)))))
    return texts


def test_every_planted_pair_of_nine_tenths_is_found_and_no_other_pair_is() -> None:
    texts = planted(400, 1, (0, 8))
    truth = {
        (a, a + 1): value
        for a in range(0, len(texts), 2)
        if 1 > (value := naive_jaccard(texts[a], texts[a + 1])) >= 0.8
    }
    sure = {pair for pair, value in truth.items() if value >= 0.9}
    assert len(sure) >= 200
    table = corpus(texts)
    splits = table["split"].to_pylist()
    found = found_in(table, threshold=0.9)
    within, across = count_by_splits(sure, splits)
    assert found.pairs.within == within
    assert found.pairs.across == across
    assert found.documents == 2 * len(sure)
    for pair in found.named:
        ends = int(pair.first[1:]), int(pair.second[1:])
        assert pair.jaccard == round(truth[ends], 4)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.lists(st.lists(st.sampled_from("abcdef"), min_size=0, max_size=16), min_size=1, max_size=4),
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 16), st.sampled_from(["x", "y", "A  b", ""])),
        max_size=12,
    ),
    st.sampled_from([0.7, 0.8, 0.9, 1.0]),
)
def test_small_corpora_agree_with_brute_force(
    originals: list[list[str]], edits: list[tuple[int, int, str]], threshold: float
) -> None:
    texts = [" ".join(own) for own in originals]
    for which, place, word in edits:
        own = list(originals[which % len(originals)])
        own.insert(place % (len(own) + 1), word)
        texts.append(" ".join(own))
    table = corpus(texts)
    truth = naive_pairs(texts, threshold)
    found = found_in(table, threshold=threshold)
    within, across = count_by_splits(truth, table["split"].to_pylist())
    assert (found.pairs.within, found.pairs.across) == (within, across)
    named = {(int(p.first[1:]), int(p.second[1:])): p.jaccard for p in found.named}
    assert named == {pair: round(value, 4) for pair, value in truth.items()}


def test_pairs_become_candidates_as_often_as_the_curve_says() -> None:
    texts = planted(700, 2, (70, 110))
    kept = fingerprints_of("corpus", batches_of(corpus(texts)), seed=7)
    proposed = {tuple(pair) for pair in candidate_pairs(kept, 0.3).pairs.tolist()}
    values = [naive_jaccard(texts[a], texts[a + 1]) for a in range(0, len(texts), 2)]
    expected = np.array([1 - probability_missed(value) for value in values])
    hits = np.array([(a, a + 1) in proposed for a in range(0, len(texts), 2)])
    uncertain = (expected > 0.05) & (expected < 0.95)
    assert uncertain.sum() > 300
    deviation = (hits - expected)[uncertain].sum()
    assert abs(deviation) < 4 * np.sqrt((expected * (1 - expected))[uncertain].sum())


def test_another_order_of_the_corpus_gives_the_same_pairs() -> None:
    texts = planted(60, 3, (0, 25))
    table = corpus(texts)
    shuffled = table.take(Draws(5, "order").shuffled(range(len(texts))))
    straight, other = found_in(table), found_in(shuffled)
    assert straight.pairs == other.pairs
    assert sorted(p.jaccard for p in straight.named) == sorted(p.jaccard for p in other.named)


def test_copies_of_a_text_are_no_near_duplicates() -> None:
    original = words(Draws(1, "copies"), 100)
    near = near_copy(Draws(2, "copies"), original, 1)
    texts = [" ".join(original), " ".join(original).upper(), "  ".join(original), " ".join(near)]
    found = found_in(corpus(texts))
    assert found.pairs.total == 1
    assert (found.named[0].first, found.named[0].second) == ("d0", "d3")


def boilerplate(count: int) -> list[str]:
    common = words(Draws(3, "boilerplate"), 300)
    return [" ".join([*common, f"number{number}"]) for number in range(count)]


def test_a_large_bucket_does_not_go_quadratic_and_says_what_it_left_out() -> None:
    count = 400
    found = found_in(corpus(boilerplate(count)))
    assert found.large_buckets > 0
    assert found.pairs_left_out > 0
    assert found.documents == count
    assert found.candidates < 2 * count * (BUCKET + 1)


def test_no_pair_is_left_out_of_buckets_that_are_small() -> None:
    count = BUCKET + 2
    found = found_in(corpus(boilerplate(count)))
    assert (found.large_buckets, found.pairs_left_out) == (0, 0)
    assert found.pairs.total == count * (count - 1) // 2


@pytest.mark.parametrize("size", [17, 18, 19, 25, 60])
def test_left_out_pairs_are_counted_exactly(size: int) -> None:
    kept = fingerprints_of("corpus", batches_of(corpus(boilerplate(size))), seed=42)
    left_out = large = 0
    compared = set()
    for band in range(BANDS):
        buckets = defaultdict(list)
        for document, key in enumerate(band_keys(kept.signatures, band).tolist()):
            buckets[key].append(document)
        for members in buckets.values():
            omitted = 0
            for later, earlier in itertools.combinations(reversed(range(len(members))), 2):
                if later - earlier > BUCKET and earlier > 0:
                    omitted += 1
                else:
                    compared.add((members[earlier], members[later]))
            left_out += omitted
            large += omitted > 0
    found = candidate_pairs(kept, 0.8)
    assert (found.left_out, found.large_buckets) == (left_out, large)
    assert {tuple(pair) for pair in found.pairs.tolist()} == compared
    assert (left_out > 0) == (size > BUCKET + 2)


def test_a_large_bucket_is_compared_in_a_window_and_with_its_first_document() -> None:
    # Different texts of the same one shingle, so that all bands agree.
    size = 40
    kept = fingerprints_of(
        "corpus", batches_of(corpus(["a " * (6 + number) for number in range(size)])), seed=42
    )
    expected = {
        (earlier, later)
        for earlier, later in itertools.combinations(range(size), 2)
        if later - earlier <= BUCKET or earlier == 0
    }
    found = candidate_pairs(kept, 0.8)
    assert {tuple(pair) for pair in found.pairs.tolist()} == expected
    assert found.left_out == BANDS * (size * (size - 1) // 2 - len(expected))


def test_pairs_across_splits_are_kept_first_and_the_rest_is_counted() -> None:
    table = corpus(boilerplate(16), splits=["train"] * 15 + ["test"])
    found = found_in(table, most_pairs=15)
    assert found.pairs.across["train-test"] == 15
    assert found.pairs.within["train"] == 0
    assert found.candidates == 15
    assert found.pairs_left_out > 15 * 14 // 2


def test_what_there_was_no_room_for_is_counted() -> None:
    texts = boilerplate(10)
    found = found_in(corpus(texts), text_room=3 * len(texts[0].encode()))
    assert found.candidates == 45
    assert found.pairs.total + found.not_verified == 45
    assert 0 < found.pairs.total < 45


def test_room_is_free_again_behind_the_last_pair_of_a_text() -> None:
    texts = [
        " ".join([*words(Draws(number, "room"), 50), end])
        for number in range(20)
        for end in ("a", "b")
    ]
    found = found_in(corpus(texts), text_room=max(len(text) for text in texts))
    assert (found.pairs.total, found.not_verified) == (20, 0)


def test_a_pair_at_the_threshold_is_a_pair() -> None:
    first = list("abcdefghijklm")
    assert found_in(corpus([" ".join(first), " ".join([*first[:-1], "z"])])).pairs.total == 1


def test_texts_without_words_and_books_in_full_are_not_compared() -> None:
    long = "word " * 300_000
    found = found_in(corpus(["", " \n", long, long + "more"]))
    assert found.too_long == 2
    assert found.candidates == 0


def test_a_corpus_without_documents_has_no_pairs() -> None:
    empty = pa.table({name: pa.array([], pa.string()) for name in ("id", "text", "split")})
    assert found_in(empty).pairs.total == 0


def test_no_text_is_read_again_where_nothing_is_alike() -> None:
    table = corpus([" ".join(words(Draws(number, "own"), 50)) for number in range(20)])
    opened = 0

    def counting(columns: Sequence[str], /) -> Iterator[pa.Table]:
        nonlocal opened
        opened += 1
        return batches_of(table)(columns)

    found = near_duplicates(fingerprints_of("corpus", counting, seed=1), counting)
    assert (found.candidates, opened) == (0, 1)


def _changing(first: pa.Table, second: pa.Table) -> Batches:
    tables = iter((first, second))

    def batches(columns: Sequence[str], /) -> Iterator[pa.Table]:
        return batches_of(next(tables))(columns)

    return batches


def test_a_stream_that_changes_between_readings_is_refused() -> None:
    texts = boilerplate(4)
    table = corpus(texts)
    for other in (
        corpus([texts[0], texts[1], "else", texts[3]]),
        table.slice(0, 3),
        corpus([*texts, "more"]),
    ):
        batches = _changing(table, other)
        kept = fingerprints_of("corpus", batches, seed=1)
        with pytest.raises(ShelfError, match="corpus, row"):
            near_duplicates(kept, batches)


@pytest.mark.parametrize("threshold", [0.0, 0.69, 1.01, float("nan")])
def test_a_threshold_that_the_bands_would_miss_is_refused(threshold: float) -> None:
    with pytest.raises(ShelfError, match="threshold"):
        found_in(corpus(["a"]), threshold=threshold)
