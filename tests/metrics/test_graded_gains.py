"""Graded relevance is what a look at every pair of documents finds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations.gains import TIERS, graded

# Blank ones, and ones that differ in case and space alone.
labels = st.sampled_from([None, "", "QE", "qe ", "QA", "G", "GB", "maps", "Maps"])
documents = st.fixed_dictionaries(
    {
        "lcc_subclass": labels,
        "lcc_code": labels,
        "lcgft_form": labels,
        "lcgft_category": labels,
        "topics": st.none() | st.lists(labels, max_size=3),
    }
)
SCHEMA = pa.schema(
    [(name, pa.string()) for name in ("lcc_subclass", "lcc_code", "lcgft_form", "lcgft_category")]
    + [("topics", pa.list_(pa.string()))]
)


def folded(given) -> set[str]:
    values = given if isinstance(given, list) else [given]
    return {value.strip().casefold() for value in values if value and value.strip()}


def shares(first, second, column: str) -> bool:
    return column in first and bool(folded(first[column]) & folded(second[column]))


def gain(facet: str, first, second) -> int:
    """The definition."""
    if facet == "subject":
        if shares(first, second, "lcc_subclass"):
            return 3
        if shares(first, second, "lcc_code"):
            return 2
        return 1 if shares(first, second, "topics") else 0
    if shares(first, second, "lcgft_form"):
        return 3
    if shares(first, second, "lcgft_category"):
        return 1 if facet == "form" else 2
    return 0


@given(
    st.sampled_from(sorted(TIERS)),
    st.lists(documents, min_size=1, max_size=8),
    st.lists(documents, min_size=1, max_size=20),
    st.sets(st.sampled_from(["lcc_subclass", "lcgft_category", "topics"])),
)
@settings(max_examples=200, deadline=None)
def test_gains_and_their_counts_are_those_of_every_pair(facet, queries, corpus, absent) -> None:
    tables = [
        pa.Table.from_pylist(side, SCHEMA).drop_columns(list(absent)) for side in (queries, corpus)
    ]
    for document in [*queries, *corpus]:
        for column in absent:
            document.pop(column, None)
    expected = np.array([[gain(facet, q, d) for d in corpus] for q in queries])
    gains = graded(facet, *tables)
    everywhere = np.tile(np.arange(len(corpus)), (len(queries), 1))
    found = gains.at(everywhere)
    assert found.dtype == np.int8
    assert found.tolist() == expected.tolist()
    counts = gains.counts()
    for level in range(counts.shape[1]):
        assert counts[:, level].tolist() == (expected == level + 1).sum(axis=1).tolist()
    assert expected.max() <= counts.shape[1]
    some = np.arange(len(queries))[::-2]
    assert gains.of(some).at(everywhere[some]).tolist() == expected[some].tolist()
    assert gains.of(some).counts().tolist() == counts[some].tolist()


def test_a_facet_without_grades_and_a_config_without_its_columns_are_refused() -> None:
    table = pa.table({"lcc_code": ["Q"]})
    with pytest.raises(UnsupportedError, match="register"):
        graded("register", table, table)
    with pytest.raises(UnsupportedError, match="form"):
        graded("form", table, table)
