from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.splits import Member, grouped_splits, thin_labels
from evaluate_shelf.errors import ShelfError

SPLITS = {"train", "validation", "test"}
seeds = st.integers(0, 10**6)
labels = st.sampled_from("ABCDEFG")
permutations = st.randoms(use_true_random=False)


@st.composite
def corpora(draw, *, least=2, most=20):
    """Rows in random order; all rows of a group have its class and stratum."""
    chance = draw(permutations)
    rows = []
    for label, size in draw(st.dictionaries(labels, st.integers(least, most), min_size=1)).items():
        for number in range(size):
            member = Member(f"{label}{number}", label, chance.choice("xyz"))
            rows += [member] * chance.randint(1, 4)
    chance.shuffle(rows)
    return rows


@st.composite
def mixed_corpora(draw):
    """Rows whose group says nothing of their class, as an author may write on two subjects."""
    names = st.sampled_from([f"g{number}" for number in range(8)])
    rows = st.builds(Member, names, st.sampled_from("ABC"), st.just(""))
    return draw(st.lists(rows, min_size=1, max_size=30))


def splits_by(rows, splits, key):
    found = defaultdict(set)
    for row, split in zip(rows, splits, strict=True):
        found[key(row)].add(split)
    return found


@given(corpora(), seeds)
def test_no_group_lies_in_two_splits(rows, seed):
    splits = grouped_splits(rows, seed=seed)
    assert set(splits) <= SPLITS
    assert all(len(own) == 1 for own in splits_by(rows, splits, lambda r: r.group).values())


@given(mixed_corpora(), seeds)
def test_what_has_no_thin_class_is_split_even_where_groups_hold_several_classes(rows, seed):
    thin = thin_labels(rows)
    rows = [row for row in rows if row.label not in thin]
    splits = grouped_splits(rows, seed=seed)
    assert all(len(own) == 1 for own in splits_by(rows, splits, lambda r: r.group).values())


@given(corpora(least=5), seeds)
def test_a_class_of_five_groups_or_more_stands_in_every_split(rows, seed):
    splits = grouped_splits(rows, seed=seed)
    assert all(own == SPLITS for own in splits_by(rows, splits, lambda r: r.label).values())


@given(corpora(least=2), seeds)
def test_every_class_stands_in_train_and_test(rows, seed):
    splits = grouped_splits(rows, seed=seed)
    for own in splits_by(rows, splits, lambda r: r.label).values():
        assert own >= {"train", "test"}


@given(corpora(), seeds, permutations)
def test_the_order_of_rows_does_not_matter(rows, seed, permutation):
    split_of = dict(zip((r.group for r in rows), grouped_splits(rows, seed=seed), strict=True))
    shuffled = list(rows)
    permutation.shuffle(shuffled)
    again = grouped_splits(shuffled, seed=seed)
    assert dict(zip((r.group for r in shuffled), again, strict=True)) == split_of


@given(mixed_corpora(), seeds, permutations)
def test_the_order_of_rows_does_not_matter_where_groups_hold_several_classes(
    rows, seed, permutation
):
    thin = thin_labels(rows)
    rows = [row for row in rows if row.label not in thin]
    split_of = dict(zip((r.group for r in rows), grouped_splits(rows, seed=seed), strict=True))
    shuffled = list(rows)
    permutation.shuffle(shuffled)
    again = grouped_splits(shuffled, seed=seed)
    assert dict(zip((r.group for r in shuffled), again, strict=True)) == split_of


@given(st.integers(2, 400), seeds)
def test_a_class_alone_is_dealt_60_20_20(groups, seed):
    rows = [Member(f"g{number}", "A", "x") for number in range(groups)]
    counts = Counter(grouped_splits(rows, seed=seed))
    for split, share in (("train", 0.6), ("validation", 0.2), ("test", 0.2)):
        assert abs(counts[split] - share * groups) <= 1


@pytest.mark.parametrize("seed", [0, 1, 42])
def test_a_large_corpus_is_split_60_20_20(seed):
    rows = [
        Member(f"{label}-{number}", label, f"s{number * 7 % 14}")
        for size, label in enumerate("ABCDEFGHJKLMNPQRSTUVZ", start=50)
        for number in range(size)
    ]
    splits = grouped_splits(rows, seed=seed)
    counts = Counter(splits)
    assert counts["train"] / len(rows) == pytest.approx(0.6, abs=0.02)
    assert counts["validation"] / len(rows) == pytest.approx(0.2, abs=0.02)
    assert counts["test"] / len(rows) == pytest.approx(0.2, abs=0.02)


@pytest.mark.parametrize("per_class", [7, 12, 14])
def test_strata_are_spread_over_the_splits(per_class):
    """However few groups a class has, no stratum is kept out of a split over all classes."""
    rows = [
        Member(f"{label}-{stratum}", f"class {label}", f"stratum {stratum:02d}")
        for label in range(60)
        for stratum in range(per_class)
    ]
    splits = grouped_splits(rows, seed=42)
    for stratum in range(per_class):
        own = Counter(
            split
            for row, split in zip(rows, splits, strict=True)
            if row.stratum == f"stratum {stratum:02d}"
        )
        # Sixty groups: 36, 12 and 12 are expected; the bounds are four deviations off.
        assert 21 <= own["train"] <= 51, (stratum, own)
        assert own["validation"], (stratum, own)
        assert own["test"], (stratum, own)


def test_another_seed_deals_otherwise():
    rows = [Member(f"g{number}", "A", "x") for number in range(100)]
    assert grouped_splits(rows, seed=1) == grouped_splits(rows, seed=1)
    assert grouped_splits(rows, seed=1) != grouped_splits(rows, seed=2)


def test_a_class_with_one_group_is_refused_by_name():
    rows = [Member("g1", "A", ""), Member("g2", "A", ""), *[Member("g3", "Naval", "")] * 4]
    with pytest.raises(ShelfError, match="Naval"):
        grouped_splits(rows, seed=42)


def test_classes_with_fewer_than_two_groups_are_named():
    rows = [
        *[Member("g1", "Z", "")] * 3,
        Member("g2", "A", "x"),
        Member("g3", "A", "y"),
        Member("g4", "B", ""),
    ]
    assert thin_labels(rows) == ["B", "Z"]
    assert thin_labels([]) == []
