"""Qrels that are not what the labels say are refused, with the first wrong row and its field."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.labels import sets_of
from evaluate_shelf.formulations.qrels import QRELS, Judged, qrels
from evaluate_shelf.formulations.relevance import Relevance, codes_of
from evaluate_shelf.release.reading import Part
from evaluate_shelf.release.verification.relevance import check_answered, check_qrels

QUERIES = ["q0", "q1", "q2"]
CORPUS = ["d0", "d1", "d2", "d3", "d4"]
SUBJECT = (["A", "B", "A"], ["A", "A", "B", "A", "C"])
FORM = (["Maps", "Maps", None], ["Maps", "Atlases", "Ice", "Ice", "Maps"])
ROWS = [("q0", "d1", 1), ("q0", "d3", 1), ("q1", "d2", 1), *(("q2", f"d{n}", 1) for n in (0, 1, 3))]

SAMPLE = Judged(pa.array(QUERIES), pa.array(CORPUS), Relevance(codes_of(*SUBJECT), codes_of(*FORM)))


def table_of(rows) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [[], [], []]
    return pa.table(
        [pa.array(own, kind) for own, kind in zip(columns, QRELS.types, strict=True)], schema=QRELS
    )


def parts_of(rows, sizes=()) -> list[Part]:
    """Rows of one file in parts of these sizes, and what is left of them in a last one."""
    table, parts, start = table_of(rows), [], 0
    for size in (*sizes, len(rows)):
        parts.append(Part("qrels.parquet", "test", start, table.slice(start, size)))
        start = min(start + size, len(rows))
    return parts


def test_the_sample_is_what_the_labels_say() -> None:
    assert pa.concat_tables(qrels(SAMPLE)).equals(table_of(ROWS))


@given(st.lists(st.integers(0, 4), max_size=6))
def test_right_qrels_pass_in_any_parts(sizes) -> None:
    check_qrels(SAMPLE, parts_of(ROWS, sizes), "x-qrels")


def test_qrels_of_many_blocks_pass_and_their_last_row_is_looked_at() -> None:
    n_documents = 40_000
    topics = [[f"t{number % 3}", f"t{number % 5}"] for number in range(n_documents)]
    ids = pa.array([f"d{number}" for number in range(n_documents)])
    relevance = Relevance(sets_of([["t0"], ["t1", "t2"], ["t4"]] * 30, topics))
    judged = Judged(pa.array([f"q{number}" for number in range(90)]), ids, relevance)
    tables = list(qrels(judged))
    assert len(tables) > 1
    starts = np.cumsum([0, *(table.num_rows for table in tables)])
    parts = [
        Part("f", "test", int(start), table) for start, table in zip(starts, tables, strict=False)
    ]
    check_qrels(judged, parts, "x-qrels")
    end = int(starts[-1]) - 1
    cut = parts[-1]._replace(table=parts[-1].table.slice(0, parts[-1].table.num_rows - 1))
    with pytest.raises(ShelfError, match=f"f, row {end}, field 'corpus-id'.*missing"):
        check_qrels(judged, [*parts[:-1], cut], "x-qrels")


FAULTS = {
    "unknown query": ([*ROWS[:2], ("q9", "d2", 1), *ROWS[3:]], 2, "query-id", "'q9'"),
    "no query": ([(None, "d1", 1), *ROWS[1:]], 0, "query-id", "None"),
    "unknown document": ([("q0", "d9", 1), *ROWS[1:]], 0, "corpus-id", "'d9'"),
    "no document": ([("q0", None, 1), *ROWS[1:]], 0, "corpus-id", "None"),
    "other class": ([("q0", "d1", 1), ("q0", "d2", 1), *ROWS[2:]], 1, "corpus-id", "labels"),
    "same form": ([("q0", "d0", 1), *ROWS], 0, "corpus-id", "labels"),
    "score 2": ([*ROWS[:5], ("q2", "d3", 2)], 5, "score", "2"),
    "no score": ([*ROWS[:1], ("q0", "d3", None), *ROWS[2:]], 1, "score", "None"),
    "first missing": (ROWS[1:], 0, "corpus-id", "'d1'"),
    "a query missing": ([*ROWS[:2], *ROWS[3:]], 2, "corpus-id", "'d2'.*'q1'.*missing"),
    "last missing": (ROWS[:5], 5, "corpus-id", "'d3'.*'q2'.*missing"),
    "twice": ([*ROWS[:4], ROWS[3], *ROWS[4:]], 4, "corpus-id", "twice"),
    "last twice": ([*ROWS, ROWS[-1]], 6, "corpus-id", "twice"),
    "foreign at the end": ([*ROWS, ("q2", "d4", 1)], 6, "corpus-id", "labels"),
    "order of queries": ([*ROWS[2:], *ROWS[:2]], 0, "corpus-id", "'d1'.*'q0'.*missing"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("sizes", [(), (1, 1, 1), (2, 3)])
def test_the_first_wrong_row_and_its_field_are_named(fault: str, sizes) -> None:
    rows, row, field, reason = FAULTS[fault]
    with pytest.raises(ShelfError) as refused:
        check_qrels(SAMPLE, parts_of(rows, sizes), "x-qrels")
    assert re.match(rf"qrels\.parquet, row {row}, field '{field}': .*{reason}", str(refused.value))


@given(st.data())
def test_no_other_rows_pass(data) -> None:
    rows = st.tuples(
        st.sampled_from([*QUERIES, "q9", None]),
        st.sampled_from([*CORPUS, "d9", None]),
        st.sampled_from([1, 1, 1, 0, 2, None]),
    )
    changed = list(ROWS)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(changed)))
        changed[place : place + data.draw(st.integers(0, 2))] = data.draw(
            st.lists(rows, max_size=2)
        )
    if changed == ROWS:
        return
    with pytest.raises(ShelfError):
        check_qrels(SAMPLE, parts_of(changed, [data.draw(st.integers(0, 4))]), "x-qrels")


def test_qrels_without_a_row_are_named_by_their_config() -> None:
    with pytest.raises(ShelfError, match=r"x-qrels, field 'corpus-id'.*missing"):
        check_qrels(SAMPLE, [], "x-qrels")


def test_a_row_is_counted_in_its_own_file() -> None:
    first, second = table_of(ROWS[:4]), table_of([*ROWS[4:5], ("q2", "d3", 3)])
    parts = [Part("a.parquet", "test", 0, first), Part("b.parquet", "test", 0, second)]
    with pytest.raises(ShelfError, match=r"b\.parquet, row 1, field 'score'"):
        check_qrels(SAMPLE, parts, "x-qrels")


@pytest.mark.parametrize(
    "table",
    [
        table_of(ROWS).rename_columns(["query_id", "corpus-id", "score"]),
        table_of(ROWS).drop_columns("score"),
        table_of(ROWS).set_column(2, "score", pa.array([1] * len(ROWS), pa.int64())),
    ],
)
def test_other_columns_are_refused(table: pa.Table) -> None:
    with pytest.raises(ShelfError, match="columns"):
        check_qrels(SAMPLE, [Part("qrels.parquet", "test", 0, table)], "x-qrels")


def test_a_query_that_nothing_is_relevant_to_is_named() -> None:
    check_answered(SAMPLE, "queries.parquet")
    unlike = Relevance(codes_of(["A", "Z", "A"], SUBJECT[1]), codes_of(*FORM))
    with pytest.raises(ShelfError, match=r"queries\.parquet, row 1, field 'id': .*'q1'"):
        check_answered(SAMPLE._replace(relevance=unlike), "queries.parquet")
