from __future__ import annotations

import math
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_sides import assert_sound, made_sides, rows_of, same_pairs, uses_of

from builders.draws import Draws
from builders.task_configs.drawing.hard import NearNegatives, hard_negative_pairs
from builders.task_configs.drawing.hashed import HashStream
from builders.task_configs.drawing.lexical import Overlaps
from builders.task_configs.drawing.record import Pairs
from builders.task_configs.drawing.sides import sides_of

WORDS = [f"word{number}" for number in range(400)]


def made_texts(n, *, length=40, seed=0):
    """Texts of words of unequal frequency."""
    texts = []
    for number in range(n):
        draws = Draws(seed, "text", number)
        texts.append(" ".join(WORDS[int(400 * draws.uniform() ** 2)] for _ in range(length)))
    return texts


def reader(texts):
    return lambda positions: [texts[position] for position in positions.tolist()]


def overlap_by_hand(texts, one, other):
    """The definition, in sets and floats; a weight is never within 1e-9 of a whole number."""
    sets = [set(re.findall(r"[a-z0-9]+", text.lower())) for text in texts]
    having = Counter(word for own in sets for word in own)
    limit = max(len(texts) // 10, min(50, len(texts)))

    def weight(words):
        return sum(
            math.floor(16 * math.log2(len(texts) / having[word]) + 1e-9)
            for word in words
            if having[word] <= limit
        )

    union = weight(sets[one] | sets[other])
    return 10**6 * weight(sets[one] & sets[other]) // union if union else 0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(alphabet="abAB ,9", max_size=12), min_size=2, max_size=10))
def test_the_overlap_is_that_of_the_definition(texts):
    places = [(one, other) for one in range(len(texts)) for other in range(len(texts))]
    pairs = Pairs(*(np.array(column, dtype=np.int64) for column in zip(*places, strict=True)))
    overlaps = Overlaps(reader(texts), np.arange(len(texts)))
    assert overlaps.of(pairs).tolist() == [overlap_by_hand(texts, *place) for place in places]


def test_the_overlap_of_many_texts_leaves_frequent_words_out():
    texts = made_texts(700)
    overlaps = Overlaps(reader(texts), np.arange(700))
    pairs = Pairs(np.arange(0, 700, 7), np.arange(1, 701, 7))
    expected = [overlap_by_hand(texts, 7 * n, 7 * n + 1) for n in range(100)]
    assert overlaps.of(pairs).tolist() == expected
    assert max(expected) > 0


def test_words_know_no_case_and_all_scripts():
    texts = ["Das Buch", "das BUCH!", "книга", "Книга, 2", "x_y", "y x"]
    overlaps = Overlaps(reader(texts), np.arange(6))
    pairs = Pairs(np.array([0, 2, 4]), np.array([1, 3, 5]))
    assert overlaps.of(pairs)[[0, 2]].tolist() == [10**6, 10**6]
    assert overlaps.of(pairs)[1] > 0


def test_weights_are_exact():
    """A word that a quarter of the texts have weighs 32, one that half of them have 16."""
    texts = ["rare often", "rare often", "often other", "often other", *["none"] * 4]
    overlaps = Overlaps(reader(texts), np.arange(8))
    # rare and other weigh 32, often 16.
    assert overlaps.of(Pairs(np.array([0]), np.array([2]))).tolist() == [16 * 10**6 // 80]


def brute_nearest(overlaps, rows, k, allowed):
    pairs = {}
    for one in rows:
        others = np.array([other for other in rows if other != one and allowed(one, other)])
        values = overlaps.of(Pairs(np.full(len(others), one), others))
        best = np.sort(values)[::-1][:k]
        pairs[one] = [value for value in best.tolist() if value]
    return pairs


def test_the_nearest_are_those_with_the_greatest_overlap():
    texts = made_texts(90)
    overlaps = Overlaps(reader(texts), np.arange(90))
    rows = np.arange(0, 90, 2)

    def conflict(first, second):
        return first % 3 == second % 3

    pairs, values = overlaps.nearest(rows, 4, conflict, HashStream(1))
    assert (np.diff(values) <= 0).all()
    assert values.tolist() == overlaps.of(pairs).tolist()
    keys = list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    assert all(one < other and not (one % 2 or other % 2) for one, other in keys)
    assert len(set(keys)) == len(keys)
    expected = brute_nearest(overlaps, rows.tolist(), 4, lambda one, two: one % 3 != two % 3)
    for row, best in expected.items():
        own = [v for key, v in zip(keys, values.tolist(), strict=True) if row in key]
        # Rows that count this one among their nearest add pairs, the best four stay the best.
        assert own[: len(best)] == best


@pytest.mark.parametrize(("n", "group_size", "wanted", "most"), [
    (900, 1, 400, 5000),
    (600, 4, 800, 5000),
    (900, 2, 800, 250),
])  # fmt: skip
def test_hard_pairs_are_sound_and_regular(n, group_size, wanted, most):
    sides = made_sides(n, group_size=group_size, null=0.1)
    texts = made_texts(n)
    drawn = hard_negative_pairs(
        sides, reader(texts), wanted=wanted, most_documents=most, seed=42, key="x"
    )
    assert_sound(sides, drawn)
    assert uses_of(drawn, 0) == uses_of(drawn, 1)
    assert drawn.fewest_uses == drawn.most_uses
    assert drawn.documents <= most
    assert drawn.levels[1].short <= 10
    for first, second, level in rows_of(drawn):
        assert sides.lcc[first] >= 0
        assert sides.lcc[second] >= 0
        assert level == int(sides.lcc[first] == sides.lcc[second])


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["A", "B", "C", None]),
            st.sampled_from("uvwxyz"),
            st.text(alphabet="abcd ", max_size=12),
        ),
        min_size=1,
        max_size=40,
    ),
    st.integers(0, 60),
    st.integers(2, 40),
)
def test_whatever_labels_and_texts_the_pairs_are_sound_and_their_overlap_right(rows, wanted, most):
    """Small sets in few groups, of which some numbers of uses fail before one succeeds."""
    lcc, group, texts = ([row[n] for row in rows] for n in range(3))
    nothing = [None] * len(rows)
    sides = sides_of(group=group, lcc=lcc, form=nothing, category=nothing, topics=nothing)
    drawn = hard_negative_pairs(
        sides, reader(texts), wanted=wanted, most_documents=most, seed=1, key="x"
    )
    assert_sound(sides, drawn)
    assert uses_of(drawn, 0) == uses_of(drawn, 1)
    assert drawn.fewest_uses == drawn.most_uses
    if len(drawn.first):
        documents = sorted(uses_of(drawn))
        own = [texts[document] for document in documents]
        assert drawn.similarity.tolist() == [
            overlap_by_hand(own, documents.index(first), documents.index(second))
            for first, second, _ in rows_of(drawn)
        ]


def test_the_similarity_of_each_pair_is_recorded():
    sides, texts = made_sides(300), made_texts(300)
    drawn = hard_negative_pairs(sides, reader(texts), wanted=200, seed=42, key="x")
    documents = sorted(uses_of(drawn))
    overlaps = Overlaps(reader(texts), np.array(documents))
    rows = (np.searchsorted(documents, places) for places in (drawn.first, drawn.second))
    assert drawn.similarity.tolist() == overlaps.of(Pairs(*rows)).tolist()


def test_overlaps_are_among_the_documents_that_were_taken_and_not_the_last_compared():
    """As where the last number of uses that was tried gave fewer pairs than one before."""
    sides, texts = made_sides(200), made_texts(200)
    negatives = NearNegatives(sides, reader(texts))
    taken, wrong = negatives(np.arange(100), 1, HashStream(1))
    negatives(np.arange(50, 200), 1, HashStream(2))
    assert not wrong.any()
    expected = Overlaps(reader(texts), np.arange(100)).of(taken)
    assert negatives.overlap_of(taken).tolist() == expected.tolist()
    assert negatives.random_of(Pairs(taken.second[::-1], taken.first[::-1])) < 10


def test_negative_pairs_are_nearer_than_nearly_all_others():
    sides, texts = made_sides(600), made_texts(600)
    drawn = hard_negative_pairs(sides, reader(texts), wanted=800, seed=42, key="x")
    documents = np.array(sorted(uses_of(drawn)))
    overlaps = Overlaps(reader(texts), documents)
    one, other = np.triu_indices(len(documents), 1)
    differ = sides.lcc[documents[one]] != sides.lcc[documents[other]]
    every = overlaps.of(Pairs(one[differ], other[differ]))
    negative = drawn.similarity[drawn.level == 0]
    assert np.median(negative) > np.percentile(every, 97)
    random, of = (int(number) for number in re.findall(r"\d+", drawn.notes[-1])[:2])
    assert of == len(negative)
    assert random <= 0.05 * of


def test_a_greedy_matching_is_found_where_it_is_plain():
    """Each document has one twin in the other class, word for word."""
    texts = [
        f"{a} {b} {c}" for a, b, c in zip(WORDS[:40], WORDS[40:80], WORDS[80:120], strict=True)
    ]
    lcc = ["A"] * 40 + ["B"] * 40
    nothing = [None] * 80
    sides = sides_of(group=nothing, lcc=lcc, form=nothing, category=nothing, topics=nothing)
    drawn = hard_negative_pairs(sides, reader(texts * 2), wanted=80, seed=1, key="x")
    assert drawn.shortfalls == ()
    assert all(
        abs(first - second) == 40 and similarity == 10**6
        for (first, second, level), similarity in zip(
            rows_of(drawn), drawn.similarity.tolist(), strict=True
        )
        if level == 0
    )


@pytest.mark.parametrize("texts", [[""] * 300, ["the same"] * 300])
def test_texts_that_say_nothing_give_random_pairs_and_say_so(texts):
    sides = made_sides(300)
    drawn = hard_negative_pairs(sides, reader(texts), wanted=200, seed=1, key="x")
    assert_sound(sides, drawn)
    assert drawn.levels[0].drawn == 100
    assert drawn.similarity.tolist() == [0] * 200
    assert "100 of 100" in drawn.notes[-1]


def test_only_documents_that_are_used_are_read_and_few_at_a_time():
    sides, texts = made_sides(1500), made_texts(1500, length=5)
    read = []

    def reading(positions):
        assert len(positions) <= 256
        read.extend(positions.tolist())
        return [texts[position] for position in positions.tolist()]

    drawn = hard_negative_pairs(sides, reading, wanted=600, seed=1, key="x")
    assert sorted(read) == sorted(uses_of(drawn))


def test_the_same_seed_gives_the_same_pairs_and_another_one_others():
    sides, texts = made_sides(400), made_texts(400)
    one, again, other = (
        hard_negative_pairs(sides, reader(texts), wanted=200, seed=seed, key="x")
        for seed in (42, 42, 43)
    )
    assert same_pairs(one, again)
    assert one.similarity.tolist() == again.similarity.tolist()
    assert not same_pairs(one, other)


def test_a_corpus_of_one_class_gives_an_empty_draw_and_its_reason():
    sides, texts = made_sides(100, classes=1), made_texts(100)
    drawn = hard_negative_pairs(sides, reader(texts), wanted=20, seed=1, key="x")
    assert not len(drawn.first)
    assert drawn.similarity is None
    assert all("same class" in level.reason for level in drawn.levels)


def test_a_reader_that_gives_too_few_texts_is_refused():
    with pytest.raises(ValueError, match="texts"):
        hard_negative_pairs(made_sides(100), lambda _: ["one"], wanted=20, seed=1, key="x")
