"""Groups on several sides of a split, ids that stand twice, relevance that points nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from builders.quality.fingerprints import Fingerprints
from builders.quality.parts import MOST_NAMED, Part, by_split, shown
from builders.quality.rows import Rows
from builders.quality.tally import SplitTally
from evaluate_shelf.errors import ShelfError

# Arrow looks up a table's values in an index that it makes anew each time.
_LOOKED_UP = 1 << 20
_ENDS = ("query-id", "corpus-id")


class SplitGroup(Part):
    """A group with documents in several splits."""

    group: str
    documents: dict[str, int]


class Groups(Part):
    """Groups of documents that belong together: specifications, books.

    Attributes
    ----------
    column : str
        The column that names a document's group.
    groups : int
        Different ones.
    without : int
        Documents without a group; each is one by itself.
    across_splits : int
        Groups with documents in more than one split.
    named : list of SplitGroup
        The first 50 of these by name.
    """

    column: str
    groups: int
    without: int
    across_splits: int
    named: list[SplitGroup]


class RepeatedId(Part):
    """An id that stands more than once, and in how many rows."""

    id: str
    rows: int


class RepeatedIds(Part):
    """Ids that stand more than once: how many, and the first 50 by name."""

    ids: int
    named: list[RepeatedId]


class Relevance(Part):
    """Relevance rows that point nowhere.

    Attributes
    ----------
    name : str
        Of the config that has the rows.
    rows : int
        All of them.
    unknown_queries, unknown_documents : int
        Rows whose query or document is in no table, or is null.
    named : list of tuple of str
        Query and document of the first 50 such rows.
    """

    name: str
    rows: int
    unknown_queries: int
    unknown_documents: int
    named: list[tuple[str, str]]


class GroupCounter:
    """Counts the documents of each group by split.

    Parameters
    ----------
    column : str
        The column that names a document's group.
    """

    def __init__(self, column: str) -> None:
        self._column = column
        self._tally = SplitTally()
        self._without = 0

    def add(self, rows: Rows) -> None:
        """Take the next rows of the corpus."""
        groups = rows.labels(self._column)
        grouped = np.array([bool(group) for group in groups], dtype=bool)
        self._tally.add([group[0] for group in groups if group], rows.splits[grouped])
        self._without += int((~grouped).sum())

    def groups(self) -> Groups:
        """What was counted."""
        names, counts = self._tally.counts()
        across = np.flatnonzero((counts > 0).sum(axis=1) > 1)
        first = across[:MOST_NAMED]
        return Groups(
            column=self._column,
            groups=len(names),
            without=self._without,
            across_splits=len(across),
            named=[
                SplitGroup(group=shown(name), documents=by_split(row))
                for name, row in zip(names.take(first).to_pylist(), counts[first], strict=True)
            ],
        )


def repeated_ids(kept: Fingerprints) -> RepeatedIds:
    """Find the ids that stand more than once in a corpus.

    Parameters
    ----------
    kept : Fingerprints
        Of the corpus.

    Returns
    -------
    RepeatedIds
        Whatever the splits they stand in.
    """
    ids = pa.table({"id": kept.ids})
    counted = ids.group_by("id", use_threads=False).aggregate([("id", "count")])
    repeated = counted.filter(pc.greater(counted["id_count"], 1)).sort_by("id")
    return RepeatedIds(
        ids=repeated.num_rows,
        named=[
            RepeatedId(id=shown(row["id"]), rows=row["id_count"])
            for row in repeated.slice(0, MOST_NAMED).to_pylist()
        ],
    )


def relevance_of(
    name: str, rows: Iterable[pa.Table], query_ids: pa.Array, corpus_ids: pa.Array
) -> Relevance:
    """Find the relevance rows whose query or document is not there.

    Parameters
    ----------
    name : str
        Of the config, for the report.
    rows : iterable of pyarrow.Table
        With the columns `query-id` and `corpus-id`.
    query_ids, corpus_ids : pyarrow.Array or pyarrow.ChunkedArray
        Those that are there.

    Returns
    -------
    Relevance
        With counts of all and the first 50.

    Raises
    ------
    ShelfError
        If a column is missing.

    Examples
    --------
    >>> rows = pa.table({"query-id": ["q", "q"], "corpus-id": ["d", "e"]})
    >>> relevance_of("lcc", [rows], pa.array(["q"]), pa.array(["d"])).named
    [('q', 'e')]
    """
    # A null among those that are there would make a null that points nowhere right.
    queries, documents = (_text(ids).drop_null() for ids in (query_ids, corpus_ids))
    total = unknown_queries = unknown_documents = 0
    named: list[tuple[str, str]] = []
    for table in _in_bulk(name, rows):
        no_query = pc.invert(pc.is_in(table["query-id"], value_set=queries))
        no_document = pc.invert(pc.is_in(table["corpus-id"], value_set=documents))
        total += table.num_rows
        unknown_queries += pc.sum(no_query).as_py() or 0
        unknown_documents += pc.sum(no_document).as_py() or 0
        faults = table.filter(pc.or_(no_query, no_document)).slice(0, MOST_NAMED - len(named))
        pairs = zip(*(faults[column].to_pylist() for column in _ENDS), strict=True)
        named.extend((shown(query or ""), shown(document or "")) for query, document in pairs)
    return Relevance(
        name=name,
        rows=total,
        unknown_queries=unknown_queries,
        unknown_documents=unknown_documents,
        named=named,
    )


def _in_bulk(name: str, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The two columns, a million rows at a time."""
    waiting: list[pa.Table] = []
    for table in tables:
        for column in _ENDS:
            if column not in table.column_names:
                raise ShelfError(f"{name}: the relevance rows have no column {column!r}")
        waiting.append(pa.table({column: _text(table[column]) for column in _ENDS}))
        if sum(part.num_rows for part in waiting) >= _LOOKED_UP:
            yield pa.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting)


def _text(ids: pa.Array) -> pa.Array:
    return ids.cast(pa.large_string())
