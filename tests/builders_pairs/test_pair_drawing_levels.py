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

from builders.task_configs.drawing.overlap import OVERLAP_SHARES, topic_overlap_pairs
from builders.task_configs.drawing.sides import sides_of
from builders.task_configs.drawing.stratified import (
    BALANCED,
    BALANCED_WITH_SUBCLASSES,
    stratified_pairs,
)

ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "group": st.sampled_from("uvwxyz"),
            "lcc": st.sampled_from(["A", "B", "C", None]),
            "form": st.sampled_from(["F", "G", "H", None]),
            "category": st.sampled_from(["K", "L", None]),
            "subclass": st.sampled_from(["A1", "A2", "B1", None]),
            "topics": st.lists(st.sampled_from("abcdef"), max_size=4),
        }
    ),
    min_size=1,
    max_size=60,
)


def stratum_by_hand(one, other):
    """The ladder, read off its definition."""

    def same(*names):
        return all(one[name] and one[name] == other[name] for name in names)

    topics, others = set(one["topics"]), set(other["topics"])
    if same("lcc", "subclass", "form") and topics and topics == others:
        return 0
    if same("lcc", "subclass"):
        return 1
    for stratum, name in ((2, "lcc"), (3, "form"), (4, "category")):
        if same(name):
            return stratum
    return 5 if topics & others else 6


def columns_of(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


def rows_by_document(columns):
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(0, 40), st.integers(0, 5))
def test_whatever_the_labels_strata_are_right_and_documents_used_once(rows, wanted, seed):
    sides = sides_of(**columns_of(rows))
    drawn = stratified_pairs(
        sides, wanted=wanted, shares=BALANCED_WITH_SUBCLASSES, seed=seed, key="x"
    )
    assert_sound(sides, drawn)
    assert drawn.most_uses <= 1
    assert sum(level.wanted for level in drawn.levels) == wanted
    for first, second, stratum in rows_of(drawn):
        assert rows[first]["lcc"]
        assert rows[second]["lcc"]
        assert stratum == stratum_by_hand(rows[first], rows[second])


@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(0, 40), st.one_of(st.none(), st.integers(1, 4)), st.integers(0, 5))
def test_whatever_the_topics_overlaps_are_right_and_documents_used_once(rows, wanted, fewest, seed):
    sides = sides_of(**columns_of(rows))
    drawn = topic_overlap_pairs(sides, wanted=wanted, fewest_topics=fewest, seed=seed, key="x")
    assert_sound(sides, drawn)
    assert drawn.most_uses <= 1
    assert sum(level.wanted for level in drawn.levels) == wanted
    for first, second, level in rows_of(drawn):
        one, other = set(rows[first]["topics"]), set(rows[second]["topics"])
        assert min(len(one), len(other)) >= (fewest or 1)
        assert level == min(len(one & other), 3)


@pytest.mark.parametrize("group_size", [1, 4])
def test_all_overlaps_are_filled_where_documents_suffice(group_size):
    sides = made_sides(3000, group_size=group_size, topics=30)
    drawn = topic_overlap_pairs(sides, wanted=1000, seed=42, key="x")
    assert_sound(sides, drawn)
    assert {level.level: level.drawn for level in drawn.levels} == {0: 400, 1: 300, 2: 200, 3: 100}
    assert drawn.documents == 2000


def test_overlaps_are_cut_alike_where_documents_do_not_suffice():
    sides = made_sides(1001, topics=30)
    drawn = topic_overlap_pairs(sides, wanted=1000, seed=42, key="x")
    assert_sound(sides, drawn)
    assert [level.drawn for level in drawn.levels] == [200, 150, 100, 50]
    assert all("1001 documents" in level.reason for level in drawn.levels)


def test_an_overlap_that_cannot_be_filled_takes_nothing_from_the_others():
    """Ten documents have three topics in common with others; no others can make level 3."""
    lists = [["a", "b", "c"]] * 10 + [[f"t{n // 4}", f"s{n % 50}"] for n in range(990)]
    columns = {name: [None] * 1000 for name in ("group", "lcc", "form", "category")}
    drawn = topic_overlap_pairs(sides_of(**columns, topics=lists), wanted=300, seed=1, key="x")
    assert [(level.wanted, level.drawn) for level in drawn.levels] == [
        (120, 120),
        (90, 90),
        (60, 0),
        (30, 5),
    ]
    assert "just 2" in drawn.levels[2].reason
    assert "3 or more" in drawn.levels[3].reason


def test_every_pair_of_a_rare_overlap_is_found():
    """Documents that share a triple with few others, among many that share none."""
    sizes = [2, 3, 4, 5, 6, 7] * 4
    lists = [
        [f"{part}-{clique}" for part in "abc"] + [f"own{clique}-{member}"]
        for clique, size in enumerate(sizes)
        for member in range(size)
    ]
    lists += [[f"{part}-{n % 40}-{n}" for part in "xyz"] for n in range(1000)]
    columns = {name: [None] * len(lists) for name in ("group", "lcc", "form", "category")}
    drawn = topic_overlap_pairs(
        sides_of(**columns, topics=lists), wanted=500, shares={3: 1, 0: 1}, seed=1, key="x"
    )
    assert drawn.levels[1].drawn == sum(size // 2 for size in sizes)
    assert drawn.levels[0].drawn == 250


def test_documents_with_few_topics_are_left_out_where_others_suffice():
    sides = made_sides(4000, most_topics=4)
    counts = sides.topics.counts
    for wanted, fewest in ((900, 3), (1400, 2), (1900, 1)):
        drawn = topic_overlap_pairs(sides, wanted=wanted, seed=1, key="x")
        used = np.concatenate([drawn.first, drawn.second])
        assert counts[used].min() == fewest
        assert len(drawn.notes) == (fewest > 1)


@pytest.mark.parametrize("group_size", [1, 4])
def test_all_strata_are_filled_where_documents_suffice(group_size):
    wishes = {"subclasses": 3, "forms": 8, "categories": 4, "topics": 6, "most_topics": 2}
    sides = made_sides(4000, group_size=group_size, **wishes)
    drawn = stratified_pairs(sides, wanted=1000, seed=42, key="x")
    assert_sound(sides, drawn)
    assert [level.drawn for level in drawn.levels] == [0, 0, 500, 125, 125, 125, 125]
    shares = {**BALANCED_WITH_SUBCLASSES, 0: 1}
    drawn = stratified_pairs(sides, wanted=1050, shares=shares, seed=42, key="x")
    assert_sound(sides, drawn)
    assert [level.drawn for level in drawn.levels] == [50, 200, 200, 150, 150, 150, 150]


def test_strata_are_cut_alike_where_documents_do_not_suffice():
    sides = made_sides(2000)
    drawn = stratified_pairs(sides, wanted=2000, seed=42, key="x")
    assert_sound(sides, drawn)
    numbers = [level.drawn for level in drawn.levels]
    # Each class has whole pairs, as many places in pairs of one class as of two.
    assert 1000 - 2 * 21 <= sum(numbers) <= 1000
    assert abs(2 * numbers[2] - sum(numbers)) <= 1
    assert max(numbers[3:]) - min(numbers[3:]) <= 1


@pytest.mark.parametrize(
    ("missing", "short"),
    [("form", {3}), ("category", {4}), ("topics", {5}), ("subclass", {0, 1})],
)
def test_a_stratum_whose_label_no_document_has_stays_short_alone(missing, short):
    columns = made_columns(3000, subclasses=3, forms=8, categories=4, topics=30)
    columns[missing] = [None] * 3000
    sides = sides_of(**columns)
    shares = {0: 1, 1: 2, 2: 3, 3: 2, 4: 2, 5: 2, 6: 2}
    drawn = stratified_pairs(sides, wanted=280, shares=shares, seed=1, key="x")
    assert_sound(sides, drawn)
    # S0 needs form and topics too.
    short = short | ({0} if missing in ("form", "topics") else set())
    assert {level.level for level in drawn.shortfalls} == short
    for level in drawn.shortfalls:
        assert level.drawn == 0
        assert f"no document has a {missing.rstrip('s') if missing == 'topics' else missing}" in (
            level.reason
        )


@pytest.mark.parametrize(
    "wishes",
    [
        {"n": 4000},
        {"n": 2100, "group_size": 4},
        {"n": 3000, "classes": 4, "subclasses": 5},
        {"n": 3000, "null": 0.2},
    ],
)
def test_a_class_is_as_frequent_in_pairs_of_one_class_as_in_pairs_of_two(wishes):
    sides = made_sides(**wishes)
    drawn = stratified_pairs(sides, wanted=1000, seed=7, key="x")
    assert_sound(sides, drawn)
    classes = sides.lcc.max() + 1
    places = [
        np.bincount(
            sides.lcc[np.concatenate([drawn.first[own], drawn.second[own]])], minlength=classes
        )
        for own in (drawn.level <= 2, drawn.level > 2)
    ]
    assert abs(places[0] - places[1]).max() <= 2


def test_classes_have_equal_numbers_of_pairs_as_far_as_they_have_documents():
    sizes = {"A": 900, "B": 900, "C": 900, "D": 41}
    lcc = [name for name, size in sizes.items() for _ in range(size)]
    random.Random(1).shuffle(lcc)
    n = len(lcc)
    sides = sides_of(
        group=[None] * n,
        lcc=lcc,
        form=[f"f{k % 40}" for k in range(n)],
        category=[f"c{k % 7}" for k in range(n)],
        topics=[[f"t{k % 30}", f"t{(k * k) % 31}"] for k in range(n)],
    )
    drawn = stratified_pairs(sides, wanted=400, seed=1, key="x")
    assert_sound(sides, drawn)
    assert drawn.shortfalls == ()
    # A quarter of D's documents makes pairs inside D, as many places are in other pairs.
    assert sorted(drawn.levels[2].pairs_by_class) == [10, 63, 63, 64]


def test_the_same_seed_gives_the_same_pairs_and_another_one_others():
    sides = made_sides(1500)
    for draw in (topic_overlap_pairs, stratified_pairs):
        assert_drawn_by_seed_and_key(draw, sides)


def test_neither_levels_nor_documents_stand_in_any_order():
    sides = made_sides(4000)
    for draw, levels in ((topic_overlap_pairs, 2), (stratified_pairs, 3)):
        drawn = draw(sides, wanted=1600, seed=3, key="x")
        half = len(drawn.level) // 2
        low = [int((part < levels).sum()) for part in (drawn.level[:half], drawn.level[half:])]
        assert abs(low[0] - low[1]) < 4 * half**0.5
        turned = int((drawn.first < drawn.second).sum())
        assert abs(turned - half) < 2 * half**0.5


def test_shares_of_the_presets_are_those_of_the_plan():
    assert dict(OVERLAP_SHARES) == {0: 40, 1: 30, 2: 20, 3: 10}
    for preset in (BALANCED, BALANCED_WITH_SUBCLASSES):
        assert sum(preset[stratum] for stratum in (0, 1, 2)) * 2 == sum(preset.values())
        assert len({preset[stratum] for stratum in (3, 4, 5, 6)}) == 1
    assert BALANCED[0] == BALANCED[1] == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"lcc": [None] * 60}, "0 documents have a class"),
        ({"lcc": ["A"] * 60}, "all documents are of one class"),
        ({"group": ["x", "y"] * 30, "lcc": ["A", "B"] * 30}, "two groups"),
    ],
)
def test_labels_that_allow_no_pairs_give_an_empty_draw_and_its_reason(change, reason):
    columns = made_columns(60)
    drawn = stratified_pairs(sides_of(**{**columns, **change}), wanted=16, seed=1, key="x")
    assert not len(drawn.first)
    assert [level.short for level in drawn.levels] == [0, 0, 8, 2, 2, 2, 2]
    assert all(reason in level.reason for level in drawn.shortfalls)


@pytest.mark.parametrize("lists", [[[]] * 20, [None] * 20, []])
def test_no_topics_give_an_empty_draw_and_its_reason(lists):
    columns = {name: [None] * len(lists) for name in ("group", "lcc", "form", "category")}
    drawn = topic_overlap_pairs(sides_of(**columns, topics=lists), wanted=10, seed=1, key="x")
    assert not len(drawn.first)
    assert [level.short for level in drawn.levels] == [4, 3, 2, 1]
    assert all(level.reason.startswith("0 documents") for level in drawn.levels)


def test_documents_of_one_group_make_no_pairs():
    columns = {**made_columns(50), "group": ["x"] * 50}
    drawn = topic_overlap_pairs(sides_of(**columns), wanted=10, seed=1, key="x")
    assert not len(drawn.first)
    assert all("different groups" in level.reason for level in drawn.levels)


def test_senseless_numbers_are_refused():
    sides = made_sides(20)
    for wrong in ({"wanted": -1}, {"wanted": 5, "fewest_topics": 0}):
        with pytest.raises(ValueError, match="must"):
            topic_overlap_pairs(sides, **wrong, seed=1, key="x")
    for wrong in ({"wanted": -1}, {"wanted": 5, "shares": {7: 1}}):
        with pytest.raises(ValueError, match="strata are 0 to 6"):
            stratified_pairs(sides, **wrong, seed=1, key="x")


def test_every_place_of_a_level_is_counted_by_class():
    sides = made_sides(2000, null=0.1)
    drawn = stratified_pairs(sides, wanted=400, seed=1, key="x")
    for level in drawn.levels:
        expected = Counter()
        for first, second, own in rows_of(drawn):
            if own == level.level:
                expected.update({int(sides.lcc[first]), int(sides.lcc[second])})
        assert level.pairs_by_class == tuple(expected[name] for name in range(21))
    assert max(uses_of(drawn).values()) == 1
