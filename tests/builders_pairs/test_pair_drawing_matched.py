from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_sides import (
    assert_drawn_by_seed_and_key,
    assert_sound,
    made_columns,
    made_sides,
    rows_of,
    uses_of,
)

from builders.task_configs.drawing.matched import matched_pairs
from builders.task_configs.drawing.matched_topics import matched_topic_pairs
from builders.task_configs.drawing.sides import sides_of

LABELLED = st.lists(
    st.tuples(st.sampled_from(["A", "B", "C", None]), st.sampled_from("uvwxyz")),
    min_size=1,
    max_size=60,
)


def labelled(rows):
    """Sides of (label, group) rows."""
    label = [row[0] for row in rows]
    nothing = [None] * len(rows)
    return sides_of(
        group=[row[1] for row in rows],
        lcc=label,
        form=nothing,
        category=nothing,
        topics=nothing,
        label=label,
    )


def with_topics(lists, group=None):
    nothing = [None] * len(lists)
    return sides_of(
        group=group or nothing, lcc=nothing, form=nothing, category=nothing, topics=lists
    )


def assert_regular(drawn):
    """Every document stands in as many positive as negative pairs as every other one."""
    positive, negative = uses_of(drawn, 1), uses_of(drawn, 0)
    assert positive == negative
    assert len(set(positive.values())) <= 1
    assert 2 * max(positive.values(), default=0) == drawn.most_uses == drawn.fewest_uses


@settings(max_examples=60, deadline=None)
@given(LABELLED, st.integers(0, 60), st.integers(2, 8), st.integers(0, 5))
def test_whatever_the_labels_the_pairs_are_sound_and_regular(rows, wanted, cap, seed):
    sides = labelled(rows)
    drawn = matched_pairs(sides, wanted=wanted, cap=cap, seed=seed, key="x")
    assert_sound(sides, drawn)
    assert_regular(drawn)
    assert sum(level.wanted for level in drawn.levels) == wanted
    for first, second, level in rows_of(drawn):
        assert rows[first][0] is not None
        assert rows[second][0] is not None
        assert level == int(rows[first][0] == rows[second][0])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from("abcdefghij"), max_size=3), st.sampled_from("uvwxyz")),
        min_size=1,
        max_size=60,
    ),
    st.integers(0, 60),
    st.integers(0, 5),
)
def test_whatever_the_topics_the_pairs_are_sound_and_regular(rows, wanted, seed):
    sides = with_topics([row[0] for row in rows], [row[1] for row in rows])
    drawn = matched_topic_pairs(sides, wanted=wanted, seed=seed, key="x")
    assert_sound(sides, drawn)
    assert_regular(drawn)
    for first, second, level in rows_of(drawn):
        assert rows[first][0]
        assert rows[second][0]
        assert level == int(bool(set(rows[first][0]) & set(rows[second][0])))


@pytest.mark.parametrize("field", ["lcc", "form", "category"])
def test_the_wanted_pairs_are_drawn_where_documents_suffice(field):
    sides = made_sides(3000, label=field, group_size=2, null=0.1)
    drawn = matched_pairs(sides, wanted=2000, seed=42, key=field)
    assert_sound(sides, drawn)
    assert_regular(drawn)
    assert [level.drawn for level in drawn.levels] == [1000, 1000]
    assert drawn.most_uses == 2
    assert len(drawn.notes) == 1


def test_topic_pairs_are_drawn_where_documents_suffice():
    sides = made_sides(3000, group_size=2)
    drawn = matched_topic_pairs(sides, wanted=2000, seed=42, key="x")
    assert_sound(sides, drawn)
    assert_regular(drawn)
    assert [level.drawn for level in drawn.levels] == [1000, 1000]
    # No topic has much more than its share of the positive pairs.
    assert max(drawn.levels[1].pairs_by_class) <= 2 * 1000 / 112


def test_each_document_is_used_no_more_often_than_the_wanted_number_needs():
    sides = labelled([(label, f"{label}{n}") for label in "ABCDE" for n in range(40)])
    for wanted, uses in ((100, 1), (200, 1), (240, 2), (400, 2), (600, 3), (800, 4)):
        drawn = matched_pairs(sides, wanted=wanted, cap=8, seed=1, key="x")
        assert drawn.shortfalls == ()
        assert drawn.most_uses == 2 * uses, wanted


@pytest.mark.parametrize("cap", [2, 3, 4, 5, 8])
def test_the_cap_on_uses_holds_and_explains_a_shortfall(cap):
    sides = made_sides(200, classes=4)
    drawn = matched_pairs(sides, wanted=100_000, cap=cap, seed=1, key="x")
    assert_sound(sides, drawn)
    assert drawn.most_uses == cap // 2 * 2
    assert drawn.levels[1].drawn >= 0.9 * 200 * (cap // 2) / 2
    assert all(f"at most {cap // 2} pairs" in level.reason for level in drawn.shortfalls)


@pytest.mark.parametrize(("wanted", "uses"), [(400, 1), (1200, 2), (1700, 4)])
def test_classes_have_equal_quotas_of_positive_pairs(wanted, uses):
    rows = [(label, f"{label}{n}") for label in "ABCDE" for n in range(200)]
    random.Random(1).shuffle(rows)
    if uses == 4:
        rows = [row for row in rows if int(row[1][1:]) < 90]
    drawn = matched_pairs(labelled(rows), wanted=wanted, seed=1, key="x")
    assert drawn.most_uses == 2 * uses
    positive = drawn.levels[1].pairs_by_class
    # A class takes part with whole pairs of documents, each of `uses` pairs.
    assert max(positive) - min(positive) <= uses
    assert drawn.levels[0].pairs_by_class == tuple(2 * count for count in positive)


def test_what_a_small_class_cannot_take_is_spread_over_the_others():
    sizes = {"A": 300, "B": 300, "C": 20, "D": 7}
    rows = [(label, f"{label}{n}") for label, size in sizes.items() for n in range(size)]
    drawn = matched_pairs(labelled(rows), wanted=400, seed=1, key="x")
    assert sorted(drawn.levels[1].pairs_by_class) == [3, 10, 93, 94]


def test_a_class_has_no_more_documents_than_all_others_together():
    sizes = {"A": 1000, "B": 20, "C": 10}
    rows = [(label, f"{label}{n}") for label, size in sizes.items() for n in range(size)]
    drawn = matched_pairs(labelled(rows), wanted=40, cap=2, seed=1, key="x")
    assert_regular(drawn)
    assert drawn.levels[1].drawn == 20
    drawn = matched_pairs(labelled(rows), wanted=400, cap=2, seed=1, key="x")
    assert drawn.levels[1].pairs_by_class == (15, 10, 5)


def test_a_group_has_no_more_documents_of_a_class_than_its_other_groups():
    rows = [("A", "big")] * 100 + [("A", f"a{n}") for n in range(30)]
    rows += [("B", f"b{n}") for n in range(100)]
    drawn = matched_pairs(labelled(rows), wanted=1000, cap=2, seed=1, key="x")
    assert_sound(labelled(rows), drawn)
    assert drawn.levels[1].pairs_by_class == (30, 30)
    assert sum(rows[document][1] == "big" for document in uses_of(drawn)) == 30


def test_few_groups_with_many_documents_and_small_classes():
    """The shape of books: passages in works, works of one writer in a group."""
    columns = made_columns(1000, classes=21, group_size=5, seed=3)
    sides = sides_of(**{**columns, "subclass": None}, label=columns["lcc"])
    groups = Counter(columns["group"])
    assert max(groups.values()) == 9
    drawn = matched_pairs(sides, wanted=2000, seed=42, key="books")
    assert_sound(sides, drawn)
    assert_regular(drawn)
    assert drawn.most_uses >= 4
    assert drawn.levels[1].short <= 40
    topics = matched_topic_pairs(sides, wanted=2000, seed=42, key="books")
    assert_sound(sides, topics)
    assert_regular(topics)
    assert topics.levels[1].short <= 40


def test_the_same_seed_gives_the_same_pairs_and_another_one_others():
    sides = made_sides(500)
    for draw in (matched_pairs, matched_topic_pairs):
        assert_drawn_by_seed_and_key(draw, sides)


def test_only_the_order_of_ids_counts_and_not_that_of_the_rows():
    columns = made_columns(400)
    ids = [f"{(7 * n) % 400:04d}" for n in range(400)]

    def pairs(order):
        rows = sorted(order, key=lambda row: ids[row])
        own = {name: [values[row] for row in rows] for name, values in columns.items()}
        drawn = matched_pairs(
            sides_of(**{**own, "subclass": None}, label=own["lcc"]), wanted=200, seed=1, key="x"
        )
        return [(ids[rows[one]], ids[rows[two]], level) for one, two, level in rows_of(drawn)]

    assert pairs(range(400)) == pairs(random.Random(2).sample(range(400), 400))


def test_negative_pairs_are_spread_over_pairs_of_classes_as_by_chance():
    """Over pairs of classes of one size, a random matching is even, but for its own spread."""
    rows = [(label, f"{label}{n}") for label in "ABCDEFGH" for n in range(100)]
    sides = labelled(rows)
    counts = Counter()
    for seed in range(20):
        drawn = matched_pairs(sides, wanted=800, seed=seed, key="x")
        counts.update(
            frozenset((rows[first][0], rows[second][0]))
            for first, second, level in rows_of(drawn)
            if level == 0
        )
    assert len(counts) == 28
    expected = 20 * 400 / 28
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    # 20 degrees of freedom: 28 counts, the sum over each of 8 classes being fixed.
    assert 5.9 < chi_square < 45.3


def test_negative_pairs_of_unequal_classes_are_as_by_a_shuffle_without_equal_neighbours():
    """Rejection is the oracle: shuffle, pair, keep the draws in which no pair is of one class."""
    rows = [(label, f"{label}{n}") for label, size in zip("ABCD", (6, 4, 2, 2), strict=True)
            for n in range(size)]  # fmt: skip
    shuffler = random.Random(5)
    expected = Counter()
    kept = 0
    while kept < 800:
        labels = [row[0] for row in rows]
        shuffler.shuffle(labels)
        pairs = list(zip(labels[0::2], labels[1::2], strict=True))
        if all(one != other for one, other in pairs):
            kept += 1
            expected.update(map(frozenset, pairs))
    counts = Counter()
    for seed in range(800):
        drawn = matched_pairs(labelled(rows), wanted=14, cap=2, seed=seed, key="x")
        assert drawn.levels[0].drawn == 7
        counts.update(
            frozenset((rows[first][0], rows[second][0]))
            for first, second, level in rows_of(drawn)
            if level == 0
        )
    for pair, count in expected.items():
        assert abs(counts[pair] - count) < 5 * (2 * count) ** 0.5, pair


def test_a_topic_of_nearly_all_documents_does_not_stop_the_draw():
    draws = random.Random(1)
    lists = [
        [f"t{draws.randrange(100)}"] + ["common"] * (draws.random() < 0.8) for _ in range(2000)
    ]
    drawn = matched_topic_pairs(with_topics(lists), wanted=1000, seed=1, key="x")
    assert_sound(with_topics(lists), drawn)
    assert_regular(drawn)
    assert drawn.levels[1].drawn == 500
    assert "over half" in drawn.notes[-1]


def test_sides_without_a_label_and_senseless_numbers_are_refused():
    columns = made_columns(20)
    sides = sides_of(**columns)
    with pytest.raises(ValueError, match="label"):
        matched_pairs(sides, wanted=10, seed=1, key="x")
    for wrong in ({"wanted": -1}, {"wanted": 10, "cap": 1}):
        with pytest.raises(ValueError, match="must"):
            matched_topic_pairs(sides, **wrong, seed=1, key="x")


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "no document has a label"),
        ([(None, "x"), (None, "y")], "no document has a label"),
        ([("A", f"g{n}") for n in range(20)], "same label"),
        ([("A", "x")] * 9 + [("B", "y")] * 9, "two groups"),
        ([("A", f"g{n}") for n in range(20)] + [("B", "y")] * 9, "two groups"),
    ],
)
def test_labels_that_allow_no_pairs_give_an_empty_draw_and_its_reason(rows, reason):
    drawn = matched_pairs(labelled(rows), wanted=10, seed=1, key="x")
    assert len(drawn.first) == len(drawn.second) == len(drawn.level) == 0
    assert [(level.wanted, level.short) for level in drawn.levels] == [(5, 5), (5, 5)]
    assert all(reason in level.reason for level in drawn.levels)


@pytest.mark.parametrize(
    ("lists", "reason"),
    [
        ([[], None, []], "no document has a topic"),
        ([["sea"]] * 10, "no document has a topic that can be used"),
        ([[f"t{n}"] for n in range(10)], "two groups"),
    ],
)
def test_topics_that_allow_no_pairs_give_an_empty_draw_and_its_reason(lists, reason):
    drawn = matched_topic_pairs(with_topics(lists), wanted=10, seed=1, key="x")
    assert not len(drawn.first)
    assert all(reason in level.reason for level in drawn.levels)


def test_no_wanted_pairs_are_no_shortfall():
    drawn = matched_pairs(made_sides(50), wanted=0, seed=1, key="x")
    assert not len(drawn.first)
    assert drawn.shortfalls == ()


def test_the_number_of_a_documents_topics_does_not_matter_to_its_places():
    sides = made_sides(3000)
    drawn = matched_topic_pairs(sides, wanted=2000, seed=42, key="x")
    counts = sides.topics.counts
    by_level = [
        np.bincount(counts[np.concatenate([drawn.first, drawn.second])[np.tile(own, 2)]])
        for own in (drawn.level == 0, drawn.level == 1)
    ]
    assert by_level[0].tolist() == by_level[1].tolist()
