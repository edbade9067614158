"""Classes that are too thin, and works, whatever the order of the records."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.corpora.catalogue.classes import class_sizes
from builders.corpora.catalogue.config import build_catalogue
from builders.corpora.catalogue.request import CatalogueRequest, Choice
from builders.corpora.catalogue.tally import OTHERS, Tally
from builders.splits import Member, grouped_splits
from builders.works import WorkKeys
from evaluate_shelf.records.record import CatalogueRecord, Unread

MEMBERS = st.lists(
    st.builds(
        Member,
        group=st.sampled_from([f"w{number}" for number in range(12)]),
        label=st.sampled_from("ABCD"),
        stratum=st.just(""),
    ),
    max_size=40,
)


@given(members=MEMBERS, minimum=st.integers(2, 6), seed=st.integers(0, 9))
def test_what_is_not_thin_stands_in_train_and_test(
    members: list[Member], minimum: int, seed: int
) -> None:
    sizes = class_sizes(members, minimum)
    used = {size.code for size in sizes if not size.thin}
    left = [member for member in members if member.label in used]
    splits = grouped_splits(left, seed=seed)
    for code in used:
        own = Counter(s for s, m in zip(splits, left, strict=True) if m.label == code)
        assert own["train"]
        assert own["test"]
        assert own.total() >= minimum
    assert {size.code: size.records for size in sizes} == Counter(m.label for m in members)
    for size in sizes:
        groups = {member.group for member in members if member.label == size.code}
        assert size.works == len(groups)
        if not size.thin:
            assert size.works >= 2


def test_a_class_whose_works_all_count_for_another_is_thin() -> None:
    """Every work of B has a record of A too, so nothing would keep B in train and test."""
    members = [Member(f"w{number}", label, "") for number in range(8) for label in "AB"]
    thin = {size.code: bool(size.thin) for size in class_sizes(members, 2)}
    assert thin == {"A": False, "B": True}


def record(number: int, **changes: Any) -> CatalogueRecord:
    own = CatalogueRecord(
        id=f"r{number}",
        title=f"Title {number}",
        text=f"Title {number}\n\nText {number}",
        language="eng",
        author=f"Author {number}",
        year="",
        lcc_numbers=("QA1",),
        lcc_code="QHP"[number % 3],
        lcc_subclass="QHP"[number % 3],
        lcsh=(),
        genres=(),
        file="a.mrc",
        position=number + 1,
    )
    return replace(own, **changes)


def test_languages_of_a_garbled_table_stay_few() -> None:
    tally = Tally("eng")
    records = [record(n, language=f"language {n} " + "x" * 500) for n in range(1500)]
    unread = [Unread("a.csv", 1, "wrong value: x")]
    assert len(list(tally.counting([*records, *unread, record(0)]))) == 1502
    assert len(tally.languages) == 1001
    assert tally.languages[OTHERS] == 501
    assert max(map(len, tally.languages)) <= 40
    assert tally.classes == {"Q": 1}


TITLES = st.sampled_from(["", "bees", "Bees!", "ants", "wasps"])
NAMES = st.sampled_from(["", "Fabre", "fabre,", "Lubbock"])


@given(st.lists(st.tuples(TITLES, NAMES), max_size=12), st.data())
def test_works_do_not_depend_on_the_order(
    records: list[tuple[str, str]], data: st.DataObject
) -> None:
    def groups(order: list[int]) -> dict[int, str]:
        keys = WorkKeys()
        for number in order:
            title, name = records[number]
            keys.add(title, name, f"text {number}")
        return dict(zip(order, keys.group_ids(), strict=True))

    order = list(range(len(records)))
    assert groups(data.draw(st.permutations(order))) == groups(order)


def peak_of_building(records: int, folder: Path) -> int:
    """Bytes of Python objects, at most, while so many records become a config."""
    folder.mkdir()

    def read() -> Iterator[CatalogueRecord]:
        return (record(n, text=f"Text {n} " + "word " * 400) for n in range(records))

    request = CatalogueRequest((Path("a.mrc"),), read, {}, Choice())
    tracemalloc.start()
    try:
        build_catalogue(request, seed=42, staging=folder)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_memory_grows_by_keys_and_not_by_texts(tmp_path: Path) -> None:
    peak_of_building(100, tmp_path / "warm")  # imports and caches
    few, more = 2_000, 8_000
    growth = peak_of_building(more, tmp_path / "more") - peak_of_building(few, tmp_path / "few")
    # A text has 2,000 characters; below 2,147 bytes a record, a million fit in 2 GiB.
    assert growth / (more - few) < 600
