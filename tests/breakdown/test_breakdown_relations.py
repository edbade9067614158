"""The relation ladder, against its definition in words and against the one that pairs come from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_sides import made_columns

from builders.task_configs.drawing.sides import sides_of
from builders.task_configs.drawing.strata import STRATA, strata_of
from evaluate_shelf.diagnostics.breakdown.relations import FIELDS, RELATIONS, Ladder

Document = dict[str, Any]

label = st.sampled_from(["a", "b", None])
document = st.fixed_dictionaries(
    {
        "lcc_code": label,
        "lcc_subclass": label,
        "lcgft_form": label,
        "lcgft_category": label,
        "topics": st.lists(st.sampled_from(["x", "y", "X "]), max_size=3),
    }
)


def table(rows: list[Document]) -> pa.Table:
    types = {field: pa.string() for field in FIELDS} | {"topics": pa.list_(pa.string())}
    return pa.Table.from_pylist(rows, schema=pa.schema(types.items()))


def same(field: str, one: Document, other: Document) -> bool:
    return one[field] is not None and one[field] == other[field]


def by_definition(one: Document, other: Document) -> int:
    """Number of the first relation that holds."""
    topics = [{topic.strip().lower() for topic in own["topics"]} for own in (one, other)]
    subclass = same("lcc_code", one, other) and same("lcc_subclass", one, other)
    holds = [
        subclass and same("lcgft_form", one, other) and topics[0] == topics[1] != set(),
        subclass,
        same("lcc_code", one, other),
        same("lcgft_form", one, other),
        same("lcgft_category", one, other),
        bool(topics[0] & topics[1]),
        True,
    ]
    return holds.index(True)


@given(st.lists(document, min_size=1, max_size=4), st.lists(document, min_size=1, max_size=4))
def test_every_query_with_every_document_is_as_defined(
    queries: list[Document], corpus: list[Document]
) -> None:
    everything = np.tile(np.arange(len(corpus)), (len(queries), 1))
    found = Ladder(table(queries), table(corpus)).of(everything)
    assert found.tolist() == [[by_definition(one, other) for other in corpus] for one in queries]


@given(st.lists(document, min_size=2, max_size=4), st.data())
def test_some_queries_are_those_of_all(rows: list[Document], data: st.DataObject) -> None:
    ladder = Ladder(table(rows), table(rows))
    everything = np.tile(np.arange(len(rows)), (len(rows), 1))
    some = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=3)), dtype=np.int64)
    assert np.array_equal(ladder.of(everything[some], some), ladder.of(everything)[some])


@pytest.mark.parametrize("subclasses", [0, 3])
def test_it_is_the_ladder_that_pairs_are_drawn_by(subclasses: int) -> None:
    columns = made_columns(
        400, classes=4, forms=9, categories=3, topics=12, subclasses=subclasses, null=0.1
    )
    names = {"lcc": "lcc_code", "form": "lcgft_form", "category": "lcgft_category"}
    named = {names.get(name, name): values for name, values in columns.items() if name != "group"}
    named["lcc_subclass"] = named.pop("subclass")
    documents = pa.table({name: pa.array(values) for name, values in named.items()})
    if not subclasses:
        documents = documents.drop_columns(["lcc_subclass"])
        columns["subclass"] = None
    first, second = np.random.default_rng(5).integers(400, size=(2, 3000))
    ladder = Ladder(documents.take(first), documents.take(second))
    found = ladder.of(np.arange(3000)[:, None])[:, 0]
    expected = strata_of(sides_of(**columns), first, second)
    assert np.array_equal(found, expected)
    assert len(np.unique(found)) >= (7 if subclasses else 5)


def test_the_names_are_those_of_the_pairs() -> None:
    assert [name.split(" ", 1) for name in RELATIONS] == [
        [f"S{number}", name] for number, name in enumerate(STRATA)
    ]


def test_a_missing_column_decides_nothing_and_is_named() -> None:
    rows = [
        {
            "lcc_code": "a",
            "lcc_subclass": "a",
            "lcgft_form": "f",
            "lcgft_category": "g",
            "topics": [],
        }
    ]
    short = table(rows).select(["lcc_subclass", "lcgft_category"])
    ladder = Ladder(short, table(rows))
    assert ladder.absent == ("lcc_code", "lcgft_form", "topics")
    assert ladder.of(np.array([[0]])).tolist() == [[4]]
