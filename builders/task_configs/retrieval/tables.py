"""Rows of corpus, queries and instructions, in the columns that mteb reads."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

_STRING = pa.string()

CORPUS = pa.schema([("id", _STRING), ("title", _STRING), ("text", _STRING)])
QUERIES = pa.schema([("id", _STRING), ("text", _STRING)])
INSTRUCTION = pa.schema([("query-id", _STRING), ("instruction", _STRING)])


def corpus_rows(documents: pa.Table) -> pa.Table:
    """The searched side of documents, in their order.

    Parameters
    ----------
    documents : pyarrow.Table
        With id, title and text.

    Returns
    -------
    pyarrow.Table
        As `CORPUS`; a title that is not there is empty, since mteb asks for its length.

    Examples
    --------
    >>> rows = corpus_rows(pa.table({"id": ["d"], "title": [None], "text": ["Of maps."]}))
    >>> rows.to_pylist()
    [{'id': 'd', 'title': '', 'text': 'Of maps.'}]
    """
    title = pc.fill_null(documents["title"].cast(_STRING), "")
    return pa.table([documents["id"], title, documents["text"]], schema=CORPUS)


def query_rows(documents: pa.Table) -> pa.Table:
    """The asking side of documents, as `QUERIES`, in their order."""
    return documents.select(QUERIES.names).cast(QUERIES)


def instruction_rows(query_ids: pa.Array | pa.ChunkedArray, instruction: str) -> pa.Table:
    """The same instruction for every query, as `INSTRUCTION`.

    Examples
    --------
    >>> instruction_rows(pa.array(["q"]), "Find maps.").to_pylist()
    [{'query-id': 'q', 'instruction': 'Find maps.'}]
    """
    return pa.table([query_ids, [instruction] * len(query_ids)], schema=INSTRUCTION)
