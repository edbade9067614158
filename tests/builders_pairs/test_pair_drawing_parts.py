from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.task_configs.drawing.hashed import HashStream, mixed
from builders.task_configs.drawing.quotas import (
    in_proportion,
    shared_out,
    water_filled,
    within_half,
)
from builders.task_configs.drawing.regular import regular_pairs
from builders.task_configs.drawing.runs import occurrences, ranges
from builders.task_configs.drawing.selection import chosen, matchable
from builders.task_configs.drawing.sides import sides_of
from builders.task_configs.drawing.strata import strata_of
from builders.task_configs.drawing.topics import topics_of

TOPIC_LISTS = st.lists(
    st.one_of(st.none(), st.lists(st.sampled_from("abcdefg"), max_size=6)), max_size=12
)


def splitmix64(state):
    """The generator as published, in Python's integers."""
    mask = 2**64 - 1
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield z ^ (z >> 31)


def test_the_finalizer_is_that_of_splitmix64():
    published = splitmix64(0)
    expected = [next(published) for _ in range(5)]
    assert expected[0] == 0xE220A8397B1DCDAF
    states = np.arange(1, 6, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    assert mixed(states).tolist() == expected


def test_a_stream_is_splitmix64_from_the_key_s_digest():
    import hashlib

    digest = hashlib.sha256(b"42\x1fsame_lcc_pairs\x1ftest").digest()
    published = splitmix64(int.from_bytes(digest[:8], "big"))
    stream = HashStream(42, "same_lcc_pairs", "test")
    numbers = [*stream.hashes(3).tolist(), *stream.hashes(4).tolist()]
    assert numbers == [next(published) for _ in range(7)]


def test_streams_of_other_keys_are_other_streams():
    keys = [(42, "ab", "c"), (42, "a", "bc"), (43, "ab", "c")]
    assert len({HashStream(*key).hashes(1).tolist()[0] for key in keys}) == 3


def test_random_order_and_bounded_numbers_are_even():
    stream = HashStream(1, "even")
    orders = Counter(tuple(stream.order(3).tolist()) for _ in range(6000))
    assert len(orders) == 6
    assert all(850 < count < 1150 for count in orders.values())
    numbers = np.bincount(stream.below(np.full(7000, 7)), minlength=7)
    assert len(numbers) == 7
    assert numbers.min() > 850
    assert 4700 < stream.coins(10_000).sum() < 5300


@given(st.lists(st.integers(-3, 3), max_size=30))
def test_occurrences_count_what_came_before(values):
    expected = [values[:place].count(value) for place, value in enumerate(values)]
    assert occurrences(np.array(values, dtype=np.int64)).tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=9))
def test_ranges_are_one_after_another(parts):
    starts, lengths = (np.array([part[n] for part in parts], dtype=np.int64) for n in (0, 1))
    expected = [start + step for start, length in parts for step in range(length)]
    assert ranges(starts, lengths).tolist() == expected


@given(st.lists(st.integers(0, 20), max_size=8), st.integers(0, 100))
def test_water_filling_is_as_even_as_capacities_allow(capacity, total):
    quotas = water_filled(np.array(capacity, dtype=np.int64), total, HashStream(1)).tolist()
    assert sum(quotas) == min(total, sum(capacity))
    pairs = list(zip(quotas, capacity, strict=True))
    assert all(quota <= most for quota, most in pairs)
    # Whoever has less than another by more than one is full.
    assert all(quota >= max(quotas, default=0) - 1 for quota, most in pairs if quota < most)


@given(st.lists(st.integers(0, 30), max_size=6))
def test_no_capacity_is_more_than_half_after_the_cut(capacity):
    cut = within_half(np.array(capacity, dtype=np.int64))
    assert all(2 * own <= cut.sum() for own in cut.tolist())
    changed = [one - other for one, other in zip(capacity, cut.tolist(), strict=True)]
    assert sum(step > 0 for step in changed) <= 1


@given(st.integers(0, 10_000), st.lists(st.integers(0, 40), min_size=1, max_size=7))
def test_shares_are_within_one_and_sum_to_the_total(total, shares):
    if not sum(shares):
        shares[0] = 1
    parts = shared_out(total, dict(enumerate(shares)))
    assert sum(parts.values()) == total
    for level, share in enumerate(shares):
        assert abs(parts[level] * sum(shares) - total * share) < sum(shares)
    sizes = np.array(shares, dtype=np.int64)
    assert in_proportion(sizes, total).tolist() == list(parts.values())


@given(TOPIC_LISTS)
def test_shared_topics_are_those_of_the_sets(lists):
    topics = topics_of(lists)
    sets = [{name for name in names or () if name} for names in lists]
    assert topics.counts.tolist() == [len(own) for own in sets]
    places = list(combinations(range(len(lists)), 2))
    first, second = (np.array([pair[n] for pair in places], dtype=np.int64) for n in (0, 1))
    expected = [len(sets[one] & sets[other]) for one, other in places]
    assert topics.shared(first, second).tolist() == expected
    hashes = topics.set_hashes().tolist()
    for one, other in places:
        assert (hashes[one] == hashes[other]) == (sets[one] == sets[other])


@given(TOPIC_LISTS, st.integers(1, 3))
def test_documents_share_a_key_for_every_subset_that_both_have(lists, size):
    topics = topics_of(lists)
    keys, documents = topics.subsets(size, np.arange(len(lists)))
    entries = list(zip(keys.tolist(), documents.tolist(), strict=True))
    assert len(set(entries)) == len(entries)
    sets = [{name for name in names or () if name} for names in lists]
    expected = Counter(
        len(list(combinations(one & other, size))) for one, other in combinations(sets, 2)
    )
    of = {
        document: {key for key, own in entries if own == document} for document in range(len(sets))
    }
    found = Counter(len(of[one] & of[other]) for one, other in combinations(range(len(sets)), 2))
    assert found == expected


def test_of_many_topics_the_same_ones_are_looked_at_everywhere():
    many = [f"t{number:02d}" for number in range(40)]
    topics = topics_of([many, list(reversed(many)), many[:9], [*many[:9], "other"]])
    keys, documents = topics.subsets(3, np.arange(4))
    of = [set(keys[documents == document].tolist()) for document in range(4)]
    assert of[0] == of[1]
    assert len(of[0]) == 56
    assert of[2] & of[3]


def largest_matching(sizes):
    """Documents that can be paired across groups: the two largest groups give one each, always."""
    sizes = sorted(sizes)
    paired = 0
    while len(sizes) > 1 and sizes[-2]:
        sizes[-1] -= 1
        sizes[-2] -= 1
        paired += 2
        sizes.sort()
    return paired


@given(st.lists(st.lists(st.integers(1, 7), max_size=5), min_size=1, max_size=4), st.integers(1, 3))
def test_as_many_documents_are_matchable_as_pair_up(shape, uses):
    rows = [
        (name, 10 * name + group)
        for name, sizes in enumerate(shape)
        for group, size in enumerate(sizes)
        for _ in range(size)
    ]
    classes, groups = (np.array([row[n] for row in rows], dtype=np.int64) for n in (0, 1))
    eligible = np.ones(len(rows), dtype=np.bool_)
    most = matchable(classes, groups, eligible, uses)
    for name, size in enumerate(most.tolist()):
        assert size % 2 == 0
        if uses == 1:
            assert size == largest_matching(shape[name])
        assert size <= largest_matching(shape[name])
    documents = chosen(classes, groups, eligible, most, uses, HashStream(1).hashes(len(rows)))
    assert len(set(documents.tolist())) == len(documents)
    for name in range(len(most)):
        own = documents[classes[documents] == name]
        assert len(own) == most[name]
        largest = np.bincount(groups[own]).max(initial=0)
        assert not len(own) or len(own) - largest >= max(uses, largest)


@given(st.lists(st.integers(2, 12), min_size=1, max_size=5), st.integers(1, 3), st.integers(0, 99))
def test_in_regular_pairs_every_document_stands_equally_often(sizes, uses, seed):
    blocks = np.repeat(np.arange(len(sizes)), [2 * size for size in sizes])
    documents = np.arange(len(blocks)) + 100
    pairs, wrong = regular_pairs(
        documents, blocks, uses, lambda first, second: first == second, HashStream(seed)
    )
    assert np.bincount(pairs.documents, minlength=100)[100:].tolist() == [uses] * len(blocks)
    assert (blocks[pairs.first - 100] == blocks[pairs.second - 100]).all()
    keys = Counter(map(frozenset, zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)))
    # Which pairs are wrong is said truly: loops, and all but one of each repeated pair.
    loops = int((pairs.first == pairs.second).sum())
    repeats = sum(count - 1 for key, count in keys.items() if len(key) == 2)
    assert int(wrong.sum()) == loops + repeats
    # A complete graph of 2k documents falls into 2k - 1 perfect matchings.
    assert not wrong.any()


def test_every_matching_that_may_be_is_as_likely():
    """Six documents of classes A A B B C C have eight matchings without a pair of one class."""
    classes = np.array([0, 0, 1, 1, 2, 2])

    def conflict(first, second):
        return classes[first] == classes[second]

    seen = Counter()
    for seed in range(2000):
        pairs, wrong = regular_pairs(
            np.arange(6), np.zeros(6, dtype=np.int64), 1, conflict, HashStream(seed)
        )
        assert not wrong.any()
        rows = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
        seen[frozenset(map(frozenset, rows))] += 1
    assert len(seen) == 8
    chi_square = sum((count - 250) ** 2 / 250 for count in seen.values())
    assert chi_square < 24.3  # 0.1 % of draws from 7 degrees of freedom are above


def test_a_tight_pairing_is_found():
    """Two groups of equal size leave each document partners in the other group alone."""
    groups = np.repeat([0, 1], 100)
    for uses in (1, 2, 4):
        pairs, wrong = regular_pairs(
            np.arange(200),
            np.zeros(200, dtype=np.int64),
            uses,
            lambda first, second: groups[first] == groups[second],
            HashStream(3, uses),
        )
        assert not wrong.any()
        assert len(pairs) == 100 * uses


def test_the_first_relation_that_holds_is_the_stratum():
    def stratum(**other):
        own = {"lcc": "P", "subclass": "PS", "form": "Essays", "category": "Prose", "topics": "ab"}
        columns = {name: [value, other.get(name, value)] for name, value in own.items()}
        return strata_of(sides_of(group=["x", "y"], **columns), np.array([0]), np.array([1]))[0]

    assert stratum() == 0
    assert stratum(topics="a") == 1
    assert stratum(topics="") == 1
    assert stratum(form="Maps", category="Maps") == 1
    assert stratum(subclass="PR") == 2
    assert stratum(subclass=None) == 2
    # A subclass of another class is another subclass.
    assert stratum(lcc="Q", form="Essays") == 3
    assert stratum(lcc="Q", form="Novels") == 4
    assert stratum(lcc="Q", form="Maps", category="Maps", topics="bc") == 5
    assert stratum(lcc="Q", form="Maps", category="Maps", topics="cd") == 6
    assert stratum(lcc=None, form=None, category=None, topics=None) == 6


def test_what_two_documents_lack_is_not_the_same():
    sides = sides_of(
        group=[None, None],
        lcc=["A", "B"],
        form=[None, ""],
        category=["", None],
        topics=[None, []],
        subclass=[None, None],
    )
    assert strata_of(sides, np.array([0]), np.array([1])).tolist() == [6]


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="lengths"):
        sides_of(group=["a"], lcc=["A", "B"], form=["f"], category=["c"], topics=[[]])
