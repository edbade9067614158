"""Which documents of the corpus are relevant to a query, from labels alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations.labels import (
    ABSENT,
    Labels,
    Sets,
    incidence,
    label_numbers,
    sets_of,
)
from evaluate_shelf.parallel import in_order
from evaluate_shelf.registry.tasks import Task

_PAIRS_AT_ONCE = 1_000_000


class Codes(NamedTuple):
    """A facet's labels of queries and corpus, numbered together; -1 where there is none."""

    queries: NDArray[np.int64]
    corpus: NDArray[np.int64]


class Relevance(NamedTuple):
    """What makes a document relevant: a label in common, and another one not in common.

    Attributes
    ----------
    anchor : Codes or Sets
        The facet in which a relevant document shares a label with the query.
    contrast : Codes or None
        The facet in which it does not; None where the anchor alone decides.
    """

    anchor: Codes | Sets
    contrast: Codes | None = None

    def of(self, queries: NDArray[np.int64]) -> Relevance:
        """The same for some of the queries, named by their positions."""
        anchor = self.anchor._replace(queries=self.anchor.queries[queries])
        if self.contrast is None:
            return Relevance(anchor)
        return Relevance(anchor, self.contrast._replace(queries=self.contrast.queries[queries]))


class Pairs(NamedTuple):
    """Positions of queries and of a document that is relevant to each."""

    query: NDArray[np.int64]
    corpus: NDArray[np.int64]


def codes_of(queries: Labels, corpus: Labels) -> Codes:
    """Number labels after stripping and case-folding them.

    Examples
    --------
    >>> codes_of(["Maps", None], ["maps ", "Atlases"])
    Codes(queries=array([ 1, -1]), corpus=array([1, 0]))
    """
    sides, _ = label_numbers(queries, corpus)
    return Codes(*sides)


def label_fields(task: Task) -> tuple[str, str | None]:
    """The columns that decide a task's relevance: the anchor's and, if any, the contrast's."""
    return task.anchor_field or task.label_field, task.contrast_field


def relevance_of(task: Task, queries: pa.Table, corpus: pa.Table) -> Relevance:
    """A task's relevance, from the label columns of its queries and its corpus.

    Parameters
    ----------
    task : Task
        A retrieval or instruction retrieval.
    queries, corpus : pyarrow.Table
        Documents with the task's label columns.

    Returns
    -------
    Relevance
        Queries and documents in the order of the tables.

    Raises
    ------
    UnsupportedError
        If a column is missing, or the contrast has several labels a document.
    """
    anchor_field, contrast_field = label_fields(task)
    anchor = facet_of(anchor_field, queries, corpus)
    contrast = facet_of(contrast_field, queries, corpus) if contrast_field else None
    if isinstance(contrast, Sets):
        raise UnsupportedError(f"{task.id}: the contrast {contrast_field!r} is a list of labels")
    return Relevance(anchor, contrast)


def facet_of(field: str, queries: pa.Table, corpus: pa.Table) -> Codes | Sets:
    """A column's labels of queries and corpus; several a document where it holds lists.

    Raises
    ------
    UnsupportedError
        If a table lacks the column.
    """
    for table in (queries, corpus):
        if field not in table.column_names:
            raise UnsupportedError(f"the config has no column {field!r}")
    several = pa.types.is_list(corpus.schema.field(field).type)
    return (sets_of if several else codes_of)(queries[field], corpus[field])


def same(facet: Codes | Sets, position: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the document at each rank shares a label with the query; an absent one never does.

    Parameters
    ----------
    facet : Codes or Sets
        The facet.
    position : ndarray of int64, shape (n_queries, depth)
        Positions in the corpus.

    Returns
    -------
    ndarray of bool, shape (n_queries, depth)
    """
    if isinstance(facet, Sets):
        return _same_of_sets(facet, position)
    query = facet.queries[:, None]
    found: NDArray[np.bool_] = (facet.corpus[position] == query) & (query != ABSENT)
    return found


def relevant(relevance: Relevance, position: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the document at each rank is relevant to the query.

    Parameters
    ----------
    relevance : Relevance
        What decides.
    position : ndarray of int64, shape (n_queries, depth)
        Positions in the corpus.

    Returns
    -------
    ndarray of bool, shape (n_queries, depth)

    Examples
    --------
    >>> subject = codes_of(["A"], ["A", "A", "B"])
    >>> form = codes_of(["Maps"], ["Maps", None, None])
    >>> relevant(Relevance(subject, form), np.array([[0, 1, 2]]))
    array([[False,  True, False]])
    """
    found = same(relevance.anchor, position)
    return found if relevance.contrast is None else found & ~same(relevance.contrast, position)


def count_same(codes: Codes) -> NDArray[np.int64]:
    """Number of corpus documents with each query's label, shape (n_queries,)."""
    present = codes.corpus[codes.corpus != ABSENT]
    size = int(max(codes.queries.max(initial=0), present.max(initial=0))) + 1
    counts = np.bincount(present, minlength=size)
    return np.where(codes.queries == ABSENT, 0, counts[codes.queries]).astype(np.int64)


def count_same_in_both(first: Codes, second: Codes) -> NDArray[np.int64]:
    """Number of corpus documents with the query's label in both facets, shape (n_queries,)."""
    return count_same(_codes_within(first, second))


def count_same_but(facet: Codes | Sets, others: Sequence[Codes]) -> NDArray[np.int64]:
    """Number of corpus documents that share a label in one facet and none in some others.

    Parameters
    ----------
    facet : Codes or Sets
        The facet in which a label is shared.
    others : sequence of Codes
        Facets in which the query's label is another one, or absent. The work doubles with each.

    Returns
    -------
    ndarray of int64, shape (n_queries,)

    Examples
    --------
    >>> topics = sets_of([["Ice", "Maps"]], [["Ice"], ["Maps"], ["Law"]])
    >>> count_same_but(topics, []), count_same_but(topics, [codes_of(["Q"], ["Q", "G", "G"])])
    (array([2]), array([1]))
    """
    counts = np.zeros(facet.queries.shape[0], np.int64)
    # Inclusion and exclusion: no pair of query and document is looked at by itself.
    for number in range(len(others) + 1):
        for chosen in combinations(others, number):
            together = reduce(_within, chosen, facet)
            counted = count_same(together) if isinstance(together, Codes) else _shared(together)
            counts += (-1) ** number * counted
    return counts


def count_relevant(relevance: Relevance) -> NDArray[np.int64]:
    """Number of relevant documents of each query, shape (n_queries,)."""
    anchor, contrast = relevance
    return count_same_but(anchor, [] if contrast is None else [contrast])


def answered(relevance: Relevance) -> NDArray[np.bool_]:
    """Whether a query has any relevant document, without looking at every pair.

    Returns
    -------
    ndarray of bool, shape (n_queries,)

    Examples
    --------
    >>> answered(Relevance(codes_of(["A", "B", None], ["A", "C"])))
    array([ True, False, False])
    """
    anchor, contrast = relevance
    if isinstance(anchor, Codes):
        return count_relevant(relevance) > 0
    # A query with several labels has what any of them has: ask for each label on its own.
    (query, of_query), (document, of_document) = (side.nonzero() for side in anchor)
    each = Codes(of_query.astype(np.int64), of_document.astype(np.int64))
    if contrast is not None:
        contrast = Codes(contrast.queries[query], contrast.corpus[document])
    found = np.zeros(anchor.queries.shape[0], np.bool_)
    found[query[count_relevant(Relevance(each, contrast)) > 0]] = True
    return found


def relevant_pairs(relevance: Relevance, longest: int = _PAIRS_AT_ONCE) -> Iterator[Pairs]:
    """Every query with every document that is relevant to it.

    Parameters
    ----------
    relevance : Relevance
        What decides.
    longest : int, default=1000000
        How many pairs come at once, unless one query has more.

    Yields
    ------
    Pairs
        In the order of the queries, and for each in the order of the corpus.

    Examples
    --------
    >>> [pairs] = relevant_pairs(Relevance(codes_of(["B", "A"], ["A", "B", "A"])))
    >>> pairs.query.tolist(), pairs.corpus.tolist()
    ([0, 1, 1], [1, 0, 2])
    """
    of_queries, of_corpus = _incidences(relevance.anchor)
    postings = of_corpus.T.tocsr()
    at_most = of_queries @ np.diff(postings.indptr)
    for first, last in _runs(at_most.tolist(), longest):
        shared = of_queries[first:last] @ postings
        shared.sort_indices()
        query = np.repeat(np.arange(first, last), np.diff(shared.indptr))
        corpus = shared.indices.astype(np.int64)
        if relevance.contrast is not None:
            of_pairs = relevance.contrast._replace(queries=relevance.contrast.queries[query])
            other = ~same(of_pairs, corpus[:, None])[:, 0]
            query, corpus = query[other], corpus[other]
        yield Pairs(query, corpus)


def _same_of_sets(sets: Sets, position: NDArray[np.int64]) -> NDArray[np.bool_]:
    found = np.zeros(position.shape, np.bool_)
    # A rank at a time: all ranks at once would copy the labels of the whole ranking.
    for rank in range(position.shape[1]):
        found[:, rank] = sets.queries.multiply(sets.corpus[position[:, rank]]).sum(axis=1) > 0
    return found


def _shared(sets: Sets) -> NDArray[np.int64]:
    """Number of corpus documents that share any label with each query, shape (n_queries,)."""
    of_queries, of_corpus = (side.astype(np.int32) for side in sets)
    postings = of_corpus.T.tocsr()
    at_most = of_queries @ np.diff(postings.indptr)

    def counted(run: tuple[int, int]) -> NDArray[np.int64]:
        shared = of_queries[run[0] : run[1]] @ postings
        counts: NDArray[np.int64] = np.diff(shared.indptr).astype(np.int64)
        return counts

    runs = _runs(at_most.tolist(), _PAIRS_AT_ONCE)
    return np.concatenate([np.empty(0, np.int64), *in_order(counted, runs)])


def _within(facet: Codes | Sets, codes: Codes) -> Codes | Sets:
    """The facet in which documents share a label that share one in both."""
    return _codes_within(facet, codes) if isinstance(facet, Codes) else _sets_within(facet, codes)


def _codes_within(facet: Codes, codes: Codes) -> Codes:
    width = int(max(side.max(initial=0) for side in codes)) + 1
    return Codes(*(_joined(a, b, width) for a, b in zip(facet, codes, strict=True)))


def _sets_within(facet: Sets, codes: Codes) -> Sets:
    cells = []
    for side, code in zip(facet, codes, strict=True):
        row, label = side.nonzero()
        there = code[row] != ABSENT
        cells.append((row[there], np.stack([label[there], code[row[there]]])))
    # Only the combinations that occur get a number.
    occurring, number = np.unique(
        np.concatenate([both for _, both in cells], axis=1), axis=1, return_inverse=True
    )
    numbers = np.split(number.ravel().astype(np.int64), [len(cells[0][0])])
    return Sets(
        *(
            incidence(row, own, (side.shape[0], occurring.shape[1]))
            for side, (row, _), own in zip(facet, cells, numbers, strict=True)
        )
    )


def _incidences(facet: Codes | Sets) -> Sets:
    if isinstance(facet, Sets):
        return facet
    n_labels = int(max(side.max(initial=ABSENT) for side in facet)) + 1
    return Sets(*(incidence(np.arange(len(c)), c, (len(c), n_labels)) for c in facet))


def _runs(sizes: Sequence[int], longest: int) -> Iterator[tuple[int, int]]:
    """First and last (excluded) of consecutive runs whose sizes add up to at most `longest`."""
    first, total = 0, 0
    for position, size in enumerate(sizes):
        if position > first and total + size > longest:
            yield first, position
            first, total = position, 0
        total += size
    if first < len(sizes):
        yield first, len(sizes)


def _joined(first: NDArray[np.int64], second: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    absent = (first == ABSENT) | (second == ABSENT)
    return np.where(absent, ABSENT, first * width + second)
