"""How relevant a document is to a query, in grades, from labels alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations.labels import Sets
from evaluate_shelf.formulations.relevance import (
    Codes,
    count_same_but,
    facet_of,
    same,
)

TIERS: dict[str, tuple[tuple[int, str], ...]] = {
    "subject": ((3, "lcc_subclass"), (2, "lcc_code"), (1, "topics")),
    "form": ((3, "lcgft_form"), (1, "lcgft_category")),
    "category": ((3, "lcgft_form"), (2, "lcgft_category")),
}
"""For each facet, what a document gains that shares a label of a column with the query."""


class Tier(NamedTuple):
    """A facet, and what a document gains that shares a label in it."""

    gain: int
    facet: Codes | Sets

    def of(self, queries: NDArray[np.int64]) -> Tier:
        """The same for some of the queries, named by their positions."""
        return Tier(self.gain, self.facet._replace(queries=self.facet.queries[queries]))


class Gains(NamedTuple):
    """Graded relevance: a document gains what the first tier gives that it meets.

    Attributes
    ----------
    tiers : tuple of Tier
        Highest gain first.
    """

    tiers: tuple[Tier, ...]

    def of(self, queries: NDArray[np.int64]) -> Gains:
        """The same for some of the queries, named by their positions."""
        return Gains(tuple(tier.of(queries) for tier in self.tiers))

    def at(self, position: NDArray[np.int64]) -> NDArray[np.int8]:
        """Gain of the document at each rank.

        Parameters
        ----------
        position : ndarray of int64, shape (n_queries, depth)
            Positions in the corpus.

        Returns
        -------
        ndarray of int8, shape (n_queries, depth)
            0 where nothing is shared.
        """
        gains = np.zeros(position.shape, np.int8)
        for tier in reversed(self.tiers):
            gains[same(tier.facet, position)] = tier.gain
        return gains

    def counts(self) -> NDArray[np.int64]:
        """Number of corpus documents of each gain.

        Returns
        -------
        ndarray of int64, shape (n_queries, highest gain)
            Column g - 1 holds the documents of gain g.
        """
        highest = self.tiers[0].gain
        counts = np.zeros((self.tiers[0].facet.queries.shape[0], highest), np.int64)
        for number, tier in enumerate(self.tiers):
            better = [
                other.facet for other in self.tiers[:number] if isinstance(other.facet, Codes)
            ]
            counts[:, tier.gain - 1] = count_same_but(tier.facet, better)
        return counts


def graded(task_facet: str, queries: pa.Table, corpus: pa.Table) -> Gains:
    """Graded relevance of a retrieval task.

    Subject: 3 for the same subclass, 2 for the same class, 1 for another class with a shared
    topic. Form: 3 for the same form, 1 for the same category. Category: 3 for the same form, 2
    for the same category. A column that queries or corpus lack gives no tier; with one tier left,
    graded nDCG is the binary one.

    Parameters
    ----------
    task_facet : str
        subject, form or category.
    queries, corpus : pyarrow.Table
        Documents with label columns.

    Returns
    -------
    Gains
        Queries and documents in the order of the tables.

    Raises
    ------
    UnsupportedError
        If the facet has no grades, or none of their columns is there.

    Examples
    --------
    >>> queries = pa.table({"lcc_code": ["Q"], "topics": [["Ice"]]})
    >>> corpus = pa.table({"lcc_code": ["Q", "G", "G"], "topics": [[], ["ice"], ["Maps"]]})
    >>> gains = graded("subject", queries, corpus)
    >>> gains.at(np.array([[0, 1, 2]])), gains.counts()
    (array([[2, 1, 0]], dtype=int8), array([[1, 1]]))
    """
    if task_facet not in TIERS:
        raise UnsupportedError(f"the facet {task_facet!r} has no graded relevance")
    tiers = tuple(
        Tier(gain, facet_of(field, queries, corpus))
        for gain, field in TIERS[task_facet]
        if field in queries.column_names and field in corpus.column_names
    )
    if not tiers:
        raise UnsupportedError(f"the config has no column of the facet {task_facet!r}")
    return Gains(tiers)
