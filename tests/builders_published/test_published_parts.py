"""The parts of an import: types, card tables, works, groups, the pool's filter."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.published.card_text import Counts, counts_in_tables
from builders.published.conversion import UnfitError, converted
from builders.published.straddling import straddlers
from builders.published.works import Passage, works_of

WHOLE = st.none() | st.integers(-(2**62), 2**62)


def values_in(given_as: str, values: list[int | None]) -> pa.Array:
    """Whole numbers as they may be published."""
    if given_as == "string":
        return pa.array([None if v is None else str(v) for v in values], pa.string())
    if given_as == "decimal string":
        return pa.array([None if v is None else f" {v}.0 " for v in values], pa.large_string())
    return pa.array(values, pa.int64())


@given(st.lists(WHOLE, max_size=20), st.sampled_from(["int64", "string", "decimal string"]))
def test_whole_numbers_are_the_same_in_any_type(values: list[int | None], given_as: str) -> None:
    assert converted(values_in(given_as, values), pa.int64()).to_pylist() == values


@given(
    st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False, width=32), max_size=20)
)
def test_a_number_of_single_precision_is_the_one_that_it_is_written_as(
    values: list[float | None],
) -> None:
    """The shortest decimal that single precision tells from all others."""
    found = converted(pa.array(values, pa.float32()), pa.float64()).to_pylist()
    for before, after in zip(values, found, strict=True):
        if before is None:
            assert after is None
        else:
            assert struct.unpack("f", struct.pack("f", after))[0] == before
            assert after == float(str(np.float32(before)))


@given(
    st.lists(st.none() | st.lists(st.none() | st.integers(0, 2**31 - 1), max_size=3), max_size=9)
)
def test_lists_lose_items_without_a_value_and_are_never_null(
    values: list[list[int | None] | None],
) -> None:
    texts = [v if v is None else [i if i is None else str(i) for i in v] for v in values]
    for kind, own in ((pa.list_(pa.string()), texts), (pa.large_list(pa.int64()), values)):
        found = converted(pa.array(own, kind), pa.list_(pa.int32()))
        assert found.type == pa.list_(pa.int32())
        assert found.to_pylist() == [[i for i in v or [] if i is not None] for v in values]


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.int64(), pa.int32(), pa.float64(), pa.bool_(), pa.list_(pa.string())]
)
@pytest.mark.parametrize("given_as", [pa.null(), pa.string(), pa.int64(), pa.float64()])
def test_a_column_without_values_fits_any_type(kind: pa.DataType, given_as: pa.DataType) -> None:
    found = converted(pa.nulls(3, given_as), kind)
    assert found.type == kind
    assert found.to_pylist() == ([[], [], []] if pa.types.is_list(kind) else [None] * 3)


def test_nan_is_no_value() -> None:
    nan = float("nan")
    for kind in (pa.float32(), pa.float64()):
        assert converted(pa.array([1.5, nan], kind), pa.float64()).to_pylist() == [1.5, None]
    assert converted(pa.array([3.0, nan]), pa.int64()).to_pylist() == [3, None]
    assert converted(pa.array([nan, nan]), pa.string()).to_pylist() == [None, None]


@pytest.mark.parametrize(
    ("values", "kind", "wanted"),
    [
        (pa.array(["a", "b", None]).dictionary_encode(), pa.string(), ["a", "b", None]),
        (pa.array([7, None]), pa.string(), ["7", None]),
        (pa.array(["TRUE", "false", ""]), pa.bool_(), [True, False, None]),
        (pa.array([1, 0, None]), pa.bool_(), [True, False, None]),
        (pa.array(["0.25", "1e2", " "]), pa.float64(), [0.25, 100.0, None]),
        (pa.array([{"b": 1, "a": "x"}]), pa.string(), ['{"a": "x", "b": 1}']),
    ],
)
def test_values_in_other_types(values: pa.Array, kind: pa.DataType, wanted: list[Any]) -> None:
    assert converted(values, kind).to_pylist() == wanted


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (pa.array(["1", "one"]), pa.int64()),
        (pa.array(["1", "1.5"]), pa.int64()),
        (pa.array([1.0, 1.5]), pa.int64()),
        (pa.array([1.0, float("inf")]), pa.float64()),
        (pa.array([1, 2**31]), pa.int32()),
        (pa.array(["1", "9" * 19]), pa.int64()),
        (pa.array([True, True]), pa.int64()),
        (pa.array([1, 2]), pa.bool_()),
        (pa.array(["x", "y"]), pa.list_(pa.string())),
        (pa.array([["1"], ["a"]]), pa.list_(pa.int32())),
        (pa.array([b"x", b"y"]), pa.string()),
    ],
)
def test_a_value_that_says_something_else_is_refused(values: pa.Array, kind: pa.DataType) -> None:
    with pytest.raises(UnfitError):
        converted(values, kind)


PROVENANCE = pa.struct([("gutenberg_id", pa.int64()), ("lcc_subclasses", pa.list_(pa.string()))])


@pytest.mark.parametrize(
    ("given_as", "wanted"),
    [
        (pa.array([7]), {"gutenberg_id": 7, "lcc_subclasses": []}),
        (pa.array(["7"]), {"gutenberg_id": 7, "lcc_subclasses": []}),
        (pa.array([json.dumps({"gutenberg_id": 7, "lcc_subclasses": ["QL"], "x": {}})]),
         {"gutenberg_id": 7, "lcc_subclasses": ["QL"]}),
        (pa.array([{"lcc_subclasses": ["QL"], "gutenberg_id": "7"}]),
         {"gutenberg_id": 7, "lcc_subclasses": ["QL"]}),
        (pa.array([" "]), None),
        (pa.nulls(1), None),
    ],
)  # fmt: skip
def test_provenance_as_it_may_be_published(given_as: pa.Array, wanted: Any) -> None:
    assert converted(given_as, PROVENANCE).to_pylist() == [wanted]


@pytest.mark.parametrize("text", ["[1]", '"x"', "{", "[" * 100_000, '{"gutenberg_id": "x"}'])
def test_provenance_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UnfitError):
        converted(pa.array([text]), PROVENANCE)


# Tables of the card


CARD = """
| Config | Description | Train | Val | Test |
|--------|-------------|-------|-----|------|
| `default` | Documents | 12,000 | 4,000 | 4,000 |
| `odd` | Documents | many | | |

| | documents |
|---|---|
| `v0_4_core` | 18,345 |
| `default` (v0.3.1) | 42,532 |
| **`all`** | **62,899** |

| Config | Documents | What it is |
|---|---|---|
| `v0_4_core` | 18,345 | Balanced |
| `transfer_gutenberg` | 3,016 | Passages |

| Field | Type |
|---|---|
| `id` | string |
"""


def test_tables_give_counts_unless_they_contradict_each_other() -> None:
    assert counts_in_tables(CARD) == {
        "v0_4_core": Counts(total=18345),
        "all": Counts(total=62899),
        "transfer_gutenberg": Counts(total=3016),
    }
    assert counts_in_tables(CARD.split("\n\n")[0])["default"] == Counts(
        {"train": 12000, "validation": 4000, "test": 4000}
    )


# Groups


@given(st.lists(st.tuples(st.none() | st.sampled_from("abcd"), st.integers(0, 2)), max_size=30))
def test_what_is_left_lies_in_one_split_a_group_and_test_stays_whole(
    rows: list[tuple[str | None, int]],
) -> None:
    groups = pa.array([group for group, _ in rows], pa.string())
    splits = np.array([split for _, split in rows], np.int8)
    late = straddlers(groups, splits)
    left: dict[str, set[int]] = {}
    for (group, split), dropped in zip(rows, late.tolist(), strict=True):
        if dropped:
            assert any(own == group and other > split for own, other in rows)
        elif group is not None:
            left.setdefault(group, set()).add(split)
        if split == 2 or group is None:
            assert not dropped
    assert all(len(own) == 1 for own in left.values())
    assert left.keys() == {group for group, _ in rows if group is not None}


def passage(identity: str, number: int | None, author: str = "", title: str = "") -> Passage:
    return Passage(identity, number, author, title)


def grouped(passages: list[Passage]) -> list[int]:
    """The groups as numbers in the order in which they come up."""
    groups = works_of(passages).group_ids
    order = list(dict.fromkeys(groups))
    return [order.index(group) for group in groups]


def test_books_are_told_by_number_then_id_then_author_and_title() -> None:
    numbered = [passage("x", 7, "A", "T"), passage("y", 7, "A", "T"), passage("z", 9, "B", "U")]
    assert works_of(numbered).work_ids == ["7", "7", "9"]
    by_id = [passage("pg-7-0001", None), passage("pg-7-0002", 7), passage("pg-9-0001", 9)]
    assert works_of(by_id).work_ids == ["7", "7", "9"]
    neither = [passage("x", None, "A", "T"), passage("y1", 1, "a", "t!"), passage("z", 2, "B", "T")]
    assert len({*works_of(neither).work_ids}) == 2
    assert len({works_of(own).told_by for own in (numbered, by_id, neither)}) == 3


def test_numbers_of_passages_or_of_the_corpus_are_not_taken_for_books() -> None:
    """The published column is a number, and nothing says of what."""
    rows = [("pg-7-0001", "A", "T"), ("pg-7-0002", "A", "T"), ("pg-9-0001", "B", "U")]
    for numbers in ((1, 2, 3), (5, 5, 5)):
        own = [passage(i, n, a, t) for n, (i, a, t) in zip(numbers, rows, strict=True)]
        assert works_of(own).work_ids == ["7", "7", "9"]


def test_books_of_a_writer_are_one_group_and_nobody_is_nobody() -> None:
    assert grouped(
        [
            passage("a", 1, "Fabre, Jean-Henri, 1823-1915", "Bees"),
            passage("a2", 1, "Fabre, Jean-Henri, 1823-1915", "Bees"),
            passage("b", 2, "FABRE, Jean-Henri", "Wasps"),
            passage("c", 3, "Various", "Songs"),
            passage("d", 4, "Various", "Tales"),
            passage("e", 5, "", "Psalms"),
            passage("f", 6, "", "Psalms"),
            passage("g", 7, "", ""),
            passage("h", 8, "", ""),
        ]
    ) == [0, 0, 0, 1, 2, 3, 3, 4, 5]
