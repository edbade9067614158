"""Planted leaks are found, counted in full and named within bounds."""

from __future__ import annotations

from collections import Counter, defaultdict

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_corpora import SPLITS, corpus

from builders.quality.fingerprints import fingerprints_of
from builders.quality.labels import LabelCounter
from builders.quality.leaks import GroupCounter, relevance_of, repeated_ids
from builders.quality.rows import read_rows
from builders.quality.stream import batches_of
from builders.quality.tally import SplitTally
from evaluate_shelf.errors import ShelfError

ROWS = st.lists(
    st.tuples(
        st.sampled_from(SPLITS),
        st.sampled_from(["s1", "s2", "s3", "", None]),
        st.one_of(st.none(), st.lists(st.sampled_from(["A", "B", "C", "", None]), max_size=3)),
    ),
    min_size=1,
    max_size=30,
)


def table_of(rows: list[tuple[str, str | None, list[str | None] | None]]) -> pa.Table:
    return corpus(
        ["text"] * len(rows),
        [split for split, _, _ in rows],
        spec_id=pa.array([group for _, group, _ in rows], pa.string()),
        topics=pa.array([labels for _, _, labels in rows], pa.list_(pa.string())),
    )


@settings(max_examples=120, deadline=None)
@given(ROWS, st.integers(1, 9))
def test_groups_agree_with_a_dictionary(rows: list, size: int) -> None:
    counter = GroupCounter("spec_id")
    for part in read_rows("corpus", batches_of(table_of(rows), rows=size), ["spec_id"]):
        counter.add(part)
    groups = counter.groups()
    splits = defaultdict(Counter)
    for split, group, _ in rows:
        if group:
            splits[group][split] += 1
    leaks = sorted(group for group, own in splits.items() if len(own) > 1)
    assert groups.groups == len(splits)
    assert groups.without == sum(not group for _, group, _ in rows)
    assert groups.across_splits == len(leaks)
    assert [entry.group for entry in groups.named] == leaks
    for entry in groups.named:
        assert {s: n for s, n in entry.documents.items() if n} == dict(splits[entry.group])


@settings(max_examples=120, deadline=None)
@given(ROWS, st.integers(1, 9))
def test_labels_and_their_absence_agree_with_a_dictionary(rows: list, size: int) -> None:
    counter = LabelCounter(["topics", "register"])
    for part in read_rows("corpus", batches_of(table_of(rows), rows=size), ["topics"]):
        counter.add(part)
    there, without = defaultdict(Counter), Counter()
    for split, _, labels in rows:
        own = {label for label in labels or () if label}
        without[split] += not own
        for label in own:
            there[label][split] += 1
    counts = counter.counts()
    assert set(counts) == ({"topics"} if there else set())
    if not there:
        return
    topics = counts["topics"]
    assert {entry.label: dict(+Counter(entry.documents)) for entry in topics.named} == {
        label: dict(own) for label, own in there.items()
    }
    assert topics.without == {split: without[split] for split in SPLITS}
    absent = counter.absent(["topics"])["topics"]
    assert set(absent) == {split for split, _, _ in rows}
    for split, found in absent.items():
        assert found.named == sorted(label for label in there if not there[label][split])
        assert found.labels == len(found.named)


def test_many_labels_are_counted_in_full_and_named_in_part() -> None:
    labels = [f"label {number:04}" for number in range(1000)]
    table = corpus(["x"] * 1003, ["train"] * 1003, topics=[*labels, *labels[:3]])
    counter = LabelCounter(["topics"])
    for rows in read_rows("corpus", batches_of(table, rows=100), ["topics"]):
        counter.add(rows)
    topics = counter.counts()["topics"]
    assert topics.labels == 1000
    assert [entry.label for entry in topics.named[:4]] == [*labels[:3], labels[3]]
    assert len(topics.named) == 200
    named = sum(entry.documents["train"] for entry in topics.named)
    assert named + topics.others["train"] == 1003


def test_a_tally_that_is_merged_on_the_way_counts_the_same() -> None:
    tally = SplitTally()
    for start in range(0, 300_000, 10_000):
        tally.add([f"v{n % 200_000}" for n in range(start, start + 10_000)], [start % 3] * 10_000)
    values, counts = tally.counts()
    assert len(values) == 200_000
    assert values.to_pylist() == sorted(values.to_pylist())
    assert counts.sum() == 300_000
    assert sorted(Counter(counts.sum(axis=1).tolist()).items()) == [(1, 100_000), (2, 100_000)]


def test_ids_that_stand_twice_are_found() -> None:
    table = corpus(["x"] * 203)
    ids = [f"d{n}" for n in range(200)] + ["d7", "d7", "d150"]
    table = table.set_column(0, "id", pa.array(ids))
    repeated = repeated_ids(fingerprints_of("corpus", batches_of(table, rows=50), seed=0))
    assert repeated.ids == 2
    assert [(entry.id, entry.rows) for entry in repeated.named] == [("d150", 2), ("d7", 3)]


IDS = st.sampled_from(["a", "b", "c", "d", None])


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.lists(st.tuples(IDS, IDS), max_size=8), max_size=4),
    st.lists(IDS, max_size=4),
    st.lists(IDS, max_size=4),
)
def test_relevance_that_points_nowhere_is_found(
    batches: list[list[tuple[str | None, str | None]]],
    queries: list[str | None],
    documents: list[str | None],
) -> None:
    tables = [
        pa.table(
            {
                "query-id": pa.array([query for query, _ in rows], pa.string()),
                "corpus-id": pa.array([document for _, document in rows], pa.string()),
                "score": [1] * len(rows),
            }
        )
        for rows in batches
    ]
    found = relevance_of(
        "lcc", tables, pa.array(queries, pa.string()), pa.array(documents, pa.string())
    )
    rows = [row for own in batches for row in own]
    no_query = [row[0] is None or row[0] not in queries for row in rows]
    no_document = [row[1] is None or row[1] not in documents for row in rows]
    assert (found.rows, found.unknown_queries) == (len(rows), sum(no_query))
    assert found.unknown_documents == sum(no_document)
    faults = [r for r, q, d in zip(rows, no_query, no_document, strict=True) if q or d]
    assert found.named == [(query or "", document or "") for query, document in faults]


def test_relevance_names_fifty_rows_and_counts_all() -> None:
    rows = pa.table({"query-id": ["q"] * 300, "corpus-id": [f"d{n}" for n in range(300)]})
    known = pa.chunked_array([["d0"], ["d299"]])
    found = relevance_of("lcc", [rows], known, known)
    assert (found.unknown_queries, found.unknown_documents, len(found.named)) == (300, 298, 50)


def test_relevance_without_its_columns_is_refused() -> None:
    with pytest.raises(ShelfError, match="corpus-id"):
        relevance_of("lcc", [pa.table({"query-id": ["q"]})], pa.array(["q"]), pa.array(["d"]))
