"""Qrels are what the labels of queries and documents say, no row more and none less."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.qrels import QRELS, Judged, qrels
from evaluate_shelf.formulations.relevance import answered, relevant
from evaluate_shelf.release.reading import Part


def check_qrels(judged: Judged, parts: Iterable[Part], place: str) -> None:
    """Refuse qrels that are not every query with every relevant document, in order, scored 1.

    Parameters
    ----------
    judged : Judged
        Ids and labels of queries and corpus.
    parts : iterable of Part
        The qrels, in any parts.
    place : str
        What to name where there is no row to name.

    Raises
    ------
    ShelfError
        Names the first wrong row and its field: an id that is none of the queries' or documents',
        a document that is not relevant, a row that is missing, stands twice or out of order,
        a score that is not 1.
    """
    given = _checked(parts)
    expected = (table for table in qrels(judged) if table.num_rows)
    have, want = next(given, None), next(expected, None)
    end = place
    while have is not None and want is not None:
        rows = min(have.table.num_rows, want.num_rows)
        _check_equal(have, want, rows, judged)
        end = f"{have.place}, row {have.first_row + rows}"
        have = _after(have, rows) if rows < have.table.num_rows else next(given, None)
        want = want.slice(rows) if rows < want.num_rows else next(expected, None)
    if have is not None:
        raise ShelfError(_at(have, 0, _fault(_row(have.table, 0), None, judged)))
    if want is not None:
        raise ShelfError(f"{end}{_missing(_row(want, 0))}")


def check_answered(judged: Judged, place: str) -> None:
    """Refuse a query that no document of the corpus is relevant to.

    Raises
    ------
    ShelfError
        Names the first one's row.
    """
    for row in np.flatnonzero(~answered(judged.relevance))[:1].tolist():
        identity = judged.query_ids[row].as_py()
        raise ShelfError(
            f"{place}, row {row}, field 'id': no document is relevant to query {identity!r}"
        )


def _checked(parts: Iterable[Part]) -> Iterator[Part]:
    for part in parts:
        if not part.table.schema.equals(QRELS):
            raise ShelfError(f"{part.place}: its columns are not those of qrels")
        if part.table.num_rows:
            yield part


def _after(part: Part, rows: int) -> Part:
    return part._replace(first_row=part.first_row + rows, table=part.table.slice(rows))


def _check_equal(have: Part, want: pa.Table, rows: int, judged: Judged) -> None:
    equal = np.ones(rows, np.bool_)
    for name in QRELS.names:
        same = pc.equal(have.table[name].slice(0, rows), want[name].slice(0, rows))
        equal &= np.asarray(pc.fill_null(same, False))
    for row in np.flatnonzero(~equal)[:1].tolist():
        fault = _fault(_row(have.table, row), _row(want, row), judged)
        raise ShelfError(_at(have, row, fault))


def _fault(have: dict[str, Any], want: dict[str, Any] | None, judged: Judged) -> str:
    """What is wrong with a row that stands where another one, or none, should."""
    query = _position(judged.query_ids, have["query-id"])
    if query < 0:
        return f", field 'query-id': {have['query-id']!r} is no query"
    document = _position(judged.corpus_ids, have["corpus-id"])
    if document < 0:
        return f", field 'corpus-id': {have['corpus-id']!r} is no document of the corpus"
    of_query = judged.relevance.of(np.array([query]))
    if not relevant(of_query, np.array([[document]])).all():
        return (
            f", field 'corpus-id': by their labels, {have['corpus-id']!r} is not relevant to "
            f"query {have['query-id']!r}"
        )
    if want is not None:
        if {**have, "score": 1} == want:
            return f", field 'score': {have['score']!r}, it should be 1"
        wanted_query = _position(judged.query_ids, want["query-id"])
        wanted_document = _position(judged.corpus_ids, want["corpus-id"])
        if (query, document) > (wanted_query, wanted_document):
            return _missing(want)
    return ", field 'corpus-id': the row stands twice or out of order"


def _missing(row: dict[str, Any]) -> str:
    return (
        f", field 'corpus-id': the row of {row['corpus-id']!r}, which is relevant to query "
        f"{row['query-id']!r}, is missing"
    )


def _position(ids: pa.Array, identity: str | None) -> int:
    """Where an id stands, -1 where it does not."""
    return -1 if identity is None else int(pc.index(ids, identity).as_py())


def _row(table: pa.Table, row: int) -> dict[str, Any]:
    values: dict[str, Any] = table.slice(row, 1).to_pylist()[0]
    return values


def _at(part: Part, row: int, fault: str) -> str:
    return f"{part.place}, row {part.first_row + row}{fault}"
