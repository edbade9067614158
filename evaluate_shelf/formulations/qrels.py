"""Relevance by label, written out as the pairs of ids that retrieval benchmarks read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from evaluate_shelf.formulations.relevance import Relevance, relevance_of, relevant_pairs
from evaluate_shelf.registry.tasks import Task

QRELS = pa.schema([("query-id", pa.string()), ("corpus-id", pa.string()), ("score", pa.int32())])
"""Columns of qrels, as mteb names them."""


class Judged(NamedTuple):
    """The queries and documents that qrels speak of.

    Attributes
    ----------
    query_ids, corpus_ids : pyarrow.Array of string
        In the order of the relevance's queries and documents.
    relevance : Relevance
        What their labels say.
    """

    query_ids: pa.Array
    corpus_ids: pa.Array
    relevance: Relevance


def judged(task: Task, queries: pa.Table, corpus: pa.Table) -> Judged:
    """Queries and documents of a task, judged by its label columns.

    Parameters
    ----------
    task : Task
        A retrieval or instruction retrieval.
    queries, corpus : pyarrow.Table
        Documents with id and the task's label columns, in the order of the qrels.

    Returns
    -------
    Judged
        Ready for `qrels`.

    Raises
    ------
    UnsupportedError
        As `relevance_of`.
    """
    query_ids, corpus_ids = (table["id"].combine_chunks() for table in (queries, corpus))
    return Judged(query_ids, corpus_ids, relevance_of(task, queries, corpus))


def qrels(judged: Judged, longest: int = 1_000_000) -> Iterator[pa.Table]:
    """Every query with every relevant document, block by block.

    Parameters
    ----------
    judged : Judged
        Queries and documents.
    longest : int, default=1000000
        Rows a table at most.

    Yields
    ------
    pyarrow.Table
        Rows in the order of the queries, and for each in the order of the corpus; the score is 1.

    Examples
    --------
    >>> from evaluate_shelf.formulations.relevance import codes_of
    >>> relevance = Relevance(codes_of(["A"], ["A", "B", "a"]))
    >>> [table] = qrels(Judged(pa.array(["q"]), pa.array(["x", "y", "z"]), relevance))
    >>> table["corpus-id"].to_pylist()
    ['x', 'z']
    """
    for pairs in relevant_pairs(judged.relevance, longest):
        for start in range(0, len(pairs.query), longest):
            query, corpus = (pa.array(side[start : start + longest]) for side in pairs)
            scores = np.ones(len(query), np.int32)
            columns = [judged.query_ids.take(query), judged.corpus_ids.take(corpus), scores]
            yield pa.table(columns, schema=QRELS)
