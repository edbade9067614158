"""The relation ladder: how near two documents are by their labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.formulations.labels import Sets
from evaluate_shelf.formulations.relevance import Codes, codes_of, facet_of, same

RELATIONS = (
    "S0 same subclass, form and topics",
    "S1 same subclass",
    "S2 same class",
    "S3 same form",
    "S4 same category",
    "S5 a shared topic",
    "S6 none",
)
"""Two documents are in the first that holds."""

FIELDS = ("lcc_subclass", "lcc_code", "lcgft_form", "lcgft_category", "topics")
"""The columns that decide."""

Flags = NDArray[np.bool_]
Numbers = NDArray[np.integer]


class Ladder:
    """The relation of documents of one table to those of another.

    Labels are compared without regard to case. A label that a document lacks is the same as no
    other's; two documents without topics do not have the same topics. A subclass is one of its
    class.

    Parameters
    ----------
    queries, corpus : pyarrow.Table
        Documents; a column of `FIELDS` that either lacks decides nothing.

    Examples
    --------
    >>> queries = pa.table({"lcc_code": ["B"], "lcgft_form": ["Essays"], "topics": [["Law"]]})
    >>> corpus = pa.table({"lcc_code": ["B", "C", "C"], "lcgft_form": ["Maps", "Essays", None],
    ...                    "topics": [[], [], ["law"]]})
    >>> Ladder(queries, corpus).of(np.array([[0, 1, 2]])).tolist()
    [[2, 3, 5]]
    """

    def __init__(self, queries: pa.Table, corpus: pa.Table) -> None:
        both = set(queries.column_names) & set(corpus.column_names)
        self.absent = tuple(field for field in FIELDS if field not in both)
        self._facets = {
            field: facet_of(field, queries, corpus) for field in FIELDS if field in both
        }
        if "topics" in both:
            sides = (_all_topics(table["topics"]) for table in (queries, corpus))
            self._facets["all topics"] = codes_of(*sides)

    def of(self, position: Numbers, rows: Numbers | None = None) -> NDArray[np.int8]:
        """The relation of each query to the documents at its ranks.

        Parameters
        ----------
        position : ndarray of int, shape (n_rows, depth)
            Positions in the corpus.
        rows : ndarray of int, shape (n_rows,), default=None
            Positions of the queries; all of them without it.

        Returns
        -------
        ndarray of int8, shape (n_rows, depth)
            Places in `RELATIONS`.
        """
        in_class = self._same("lcc_code", position, rows)
        subclass = in_class & self._same("lcc_subclass", position, rows)
        form = self._same("lcgft_form", position, rows)
        holds = [
            subclass & form & self._same("all topics", position, rows),
            subclass,
            in_class,
            form,
            self._same("lcgft_category", position, rows),
            self._same("topics", position, rows),
        ]
        return np.select(holds, list(range(len(holds))), default=len(holds)).astype(np.int8)

    def _same(self, name: str, position: Numbers, rows: Numbers | None) -> Flags:
        facet: Codes | Sets | None = self._facets.get(name)
        if facet is None:
            return np.zeros(position.shape, dtype=np.bool_)
        if rows is not None:
            facet = facet._replace(queries=facet.queries[rows])
        return same(facet, position.astype(np.int64))


def missing_note(absent: Sequence[str]) -> tuple[str, ...]:
    """What to know where columns of the ladder are missing.

    Examples
    --------
    >>> missing_note(["lcc_subclass"])
    ('no column lcc_subclass: relations that need it do not occur',)
    >>> missing_note([])
    ()
    """
    names = ", ".join(absent)
    return (f"no column {names}: relations that need it do not occur",) if absent else ()


def _all_topics(column: pa.ChunkedArray) -> list[str | None]:
    """All topics of each document as one label, None where it has none."""
    return [
        "\x1f".join(sorted({topic.strip().casefold() for topic in topics if topic}))
        if topics
        else None
        for topics in column.to_pylist()
    ]
