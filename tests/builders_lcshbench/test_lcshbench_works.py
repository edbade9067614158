"""Which records are of one work, and how the works of the dev file are parted."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.corpora.lcshbench.dev_split import dev_splits
from builders.corpora.lcshbench.records import Record
from builders.corpora.lcshbench.works import plain, work_groups


def of(title: str, *authors: str, toc: str | None = None) -> Record:
    """A record whose text no other one has, unless `toc` is given."""
    of.made += 1  # type: ignore[attr-defined]
    content = f"Contents {of.made}" if toc is None else toc  # type: ignore[attr-defined]
    return Record(1, "id", title, "", content, "", authors, "English", "Q", 2, ())


of.made = 0  # type: ignore[attr-defined]


def one_work(*records: Record) -> bool:
    return len(set(work_groups(records))) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (of("The bees :", "Fabre, J.-H.,"), of("The Bees /", "Fabre, J. H.")),
        (of("Années", "Jókai, Mór"), of("Anne\u0301es", "Jo\u0301kai, Mo\u0301r")),
        (of("Années", "Jókai, Mór"), of("Annees", "Jokai, Mor")),
        (of("Bees", "Fabre", "Sutro [Translator]"), of("Bees", "Fabre", "Miall, Bernard")),
        (of("Bees", "", "Fabre"), of("Bees", "Fabre")),
        (of("Bees"), of("bees.")),
        (of("Bees"), of("Bees", "Fabre")),
        (of("Bees", "Fabre", toc="Hives -- Honey"), of("Bees", "Lubbock", toc="hives; honey")),
        (of("", toc="A common text."), of("", toc="A common text")),
    ],
)
def test_records_of_one_work(first: Record, second: Record) -> None:
    assert one_work(first, second)
    assert work_groups([first, second]) == work_groups([second, first])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (of("Bees", "Fabre"), of("Bees", "Lubbock")),
        (of("Bees", "Fabre"), of("Ants", "Fabre")),
        (of(""), of("")),
        (of("", "Fabre"), of("", "Fabre")),
        (of("..."), of("...")),
        (of("", toc="???"), of("", toc="!!!")),
        (of("蜜蜂"), of("蚂蚁")),
    ],
)
def test_records_of_two_works(first: Record, second: Record) -> None:
    assert not one_work(first, second)


def test_a_record_without_author_joins_those_of_its_title() -> None:
    fabre, lubbock, nobody = of("Bees", "Fabre"), of("Bees", "Lubbock"), of("Bees")
    assert not one_work(fabre, lubbock)
    assert one_work(fabre, nobody, lubbock)


WORDS = st.sampled_from(["", "bees", "Bees!", "ants", "wasps", "the moth"])
RECORDS = st.lists(st.tuples(WORDS, st.lists(WORDS, max_size=2), WORDS), max_size=12)


@given(fields=RECORDS, data=st.data())
def test_works_are_those_of_the_links_in_any_order(
    fields: list[tuple[str, list[str], str]], data: st.DataObject
) -> None:
    records = [
        Record(n, str(n), title, "", toc or f"toc {n}", "", tuple(authors), "English", "Q", 2, ())
        for n, (title, authors, toc) in enumerate(fields)
    ]
    groups = work_groups(records)
    assert _partition(groups) == _partition(_by_search(records))
    order = data.draw(st.permutations(range(len(records))))
    assert work_groups([records[n] for n in order]) == [groups[n] for n in order]


def _partition(groups: list[str]) -> set[frozenset[int]]:
    members: dict[str, set[int]] = {}
    for place, group in enumerate(groups):
        members.setdefault(group, set()).add(place)
    return {frozenset(places) for places in members.values()}


def _by_search(records: list[Record]) -> list[str]:
    """Components of the graph of linked records, by walking it."""
    reached: dict[int, str] = {}
    for start in range(len(records)):
        todo = [start]
        while todo:
            here = todo.pop()
            if here not in reached:
                reached[here] = str(start)
                todo.extend(n for n in range(len(records)) if _linked(records[here], records[n]))
    return [reached[n] for n in range(len(records))]


def _linked(one: Record, other: Record) -> bool:
    authors = [[name for name in map(plain, r.authors) if name][:1] for r in (one, other)]
    same_title = plain(one.title) == plain(other.title) != ""
    same_author = authors[0] == authors[1] or not authors[0] or not authors[1]
    return (same_title and same_author) or plain(one.text) == plain(other.text)


LABELS = st.sampled_from("ABC")


@given(rows=st.lists(st.tuples(st.integers(0, 8), LABELS), max_size=60), seed=st.integers(0, 99))
def test_every_record_of_the_dev_file_has_a_split(rows: list[tuple[int, str]], seed: int) -> None:
    groups = [f"w{group}" for group, _ in rows]
    labels = [label for _, label in rows]
    splits = dev_splits(groups, labels, seed=seed)
    assert len(splits) == len(rows)
    assert set(splits) <= {"train", "validation"}
    for group in set(groups):
        assert len({split for own, split in zip(groups, splits, strict=True) if own == group}) == 1
    for label in set(labels):
        own = Counter(s for s, of_it in zip(splits, labels, strict=True) if of_it == label)
        assert own["train"] >= 1
        # A quarter, rounded: 4 * validation is at most 2 above the number of all.
        assert 4 * own["validation"] <= own.total() + 2


@given(sizes=st.lists(st.integers(1, 40), min_size=1, max_size=5), seed=st.integers(0, 99))
def test_single_records_are_parted_three_to_one_and_none_is_lost(
    sizes: list[int], seed: int
) -> None:
    labels = [str(label) for label, size in enumerate(sizes) for _ in range(size)]
    groups = [f"w{place}" for place in range(len(labels))]
    splits = dev_splits(groups, labels, seed=seed)
    for label, size in enumerate(sizes):
        own = Counter(s for s, of_it in zip(splits, labels, strict=True) if of_it == str(label))
        assert own.total() == size
        assert abs(own["validation"] - size / 4) <= 0.5


def test_the_split_follows_the_seed_and_not_the_order() -> None:
    groups = [f"w{place}" for place in range(40)]
    labels = ["A", "B"] * 20
    first = dict(zip(groups, dev_splits(groups, labels, seed=1), strict=True))
    again = dict(zip(groups[::-1], dev_splits(groups[::-1], labels[::-1], seed=1), strict=True))
    assert first == again
    assert first != dict(zip(groups, dev_splits(groups, labels, seed=2), strict=True))
