"""Search of all documents by float32 products, and exact scores of those that may be the best."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.models.ordering import COSINE_DIGITS, blocks_within, float32_error
from evaluate_shelf.models.protocol import Hits
from evaluate_shelf.models.selection import Candidates, Slack, near_best, ordered, stacked
from evaluate_shelf.parallel import in_order

# Above this share of documents a matrix product is cheaper than walking through a term's list.
_FREQUENT = 0.08
_DOCUMENTS_AT_ONCE = 2048
# Of a query and a document: a score in float32.
_BYTES_A_CELL = 4
_MEMORY_BYTES = 512 << 20


class Weights(NamedTuple):
    """What the terms of documents add to the score of a query.

    Attributes
    ----------
    present : scipy.sparse.csr_matrix of float64, shape (n_documents, n_terms)
        What a term adds that stands once in the query, beyond what it adds to every document.
    everywhere : ndarray of float64, shape (n_terms,)
        What it adds to every document, whether it stands there or not.
    """

    present: Any
    everywhere: NDArray[np.float64]


class SparseSearch(ABC):
    """Documents with sparse weights, which sparse queries are scored against.

    A query's scores of all documents are a product in float32: dense for frequent terms, sparse
    for the others. Every document whose score may be among the best, given the largest error
    that such sums can have, is scored again in float64, term by term in the order of the terms.
    So the result is that of float64 throughout, whatever is frequent, and for any block or number
    of threads.

    Parameters
    ----------
    weights : Weights
        Of the documents.
    memory_bytes : int
        A half is for the frequent terms, a half for the blocks of scores.
    """

    def __init__(self, weights: Weights, memory_bytes: int) -> None:
        present = weights.present
        self._weights = weights
        self._n_documents = present.shape[0]
        self._memory_bytes = memory_bytes // 2
        df = np.bincount(present.indices, minlength=present.shape[1])
        frequent = _frequent(df, self._n_documents, self._memory_bytes)
        # Terms as rows, for products with queries.
        postings = present.astype(np.float32).T.tocsr()
        self._frequent, self._rare = np.flatnonzero(frequent), np.flatnonzero(~frequent)
        self._dense = postings[self._frequent].toarray()
        self._sparse = postings[self._rare]

    @abstractmethod
    def _slack(self, counts: Any, error: NDArray[np.float64]) -> tuple[Slack, Slack]:
        """How far below a score another may lie that is not lower after all.

        Parameters
        ----------
        counts : scipy.sparse.csr_matrix of float64, shape (n_queries, n_terms)
            The queries.
        error : ndarray of float64, shape (n_queries,)
            Bound on the error of their float32 sums, relative to the sum of the terms' sizes.

        Returns
        -------
        absolute, relative
            For `near_best`; twice the error, and what rounding can move two scores.
        """

    @abstractmethod
    def _rounded(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores rounded, so that what has to tie does."""

    def score_counts(
        self,
        counts: Any,
        k: int,
        tie_rank: NDArray[np.integer] | None = None,
        *,
        threads: int | None = None,
    ) -> Hits:
        """Rank the documents for each query.

        Parameters
        ----------
        counts : scipy.sparse.csr_matrix of float64, shape (n_queries, n_terms)
            How much each term counts in each query; columns are sorted.
        k : int
            Depth of the ranking; all documents where there are fewer.
        tie_rank : ndarray of int, shape (n_documents,), optional
            Who goes first among equal scores; the earlier document without it.
        threads : int, default=None
            Blocks of queries at a time; all usable cores without it. No score depends on it.

        Returns
        -------
        Hits
            Positions and rounded scores.
        """
        k = min(k, self._n_documents)
        n_queries = counts.shape[0]
        bytes_a_query = _BYTES_A_CELL * self._n_documents
        block, threads = blocks_within(self._memory_bytes, bytes_a_query, threads)

        def ranked(first: int) -> Hits:
            return self._ranked(counts[first : first + block], k, tie_rank)

        return stacked(list(in_order(ranked, range(0, n_queries, block), threads)), k)

    def _ranked(self, counts: Any, k: int, tie_rank: NDArray[np.integer] | None) -> Hits:
        everywhere = counts @ self._weights.everywhere
        absolute, relative = self._slack(counts, float32_error(np.diff(counts.indptr)))
        parts = []
        for found in near_best(
            self._approximate(counts.astype(np.float32)), k, absolute=absolute, relative=relative
        ):
            exact = self._exact(counts, found) + everywhere[found.row]
            parts.append(ordered(found, self._rounded(exact), k, tie_rank))
        return stacked(parts, k)

    def _approximate(self, counts: Any) -> NDArray[np.float32]:
        scores: NDArray[np.float32] = counts[:, self._frequent].toarray() @ self._dense
        rare = counts[:, self._rare]
        for row, (terms, n_times) in enumerate(_rows(rare)):
            scores[row] += self._sparse[terms].T @ n_times
        return scores

    def _exact(self, counts: Any, pairs: Candidates) -> NDArray[np.float64]:
        scores = np.empty(len(pairs.row), np.float64)
        query = np.zeros(counts.shape[1])
        first_of_row = np.searchsorted(pairs.row, np.arange(counts.shape[0] + 1))
        for row, (terms, n_times) in enumerate(_rows(counts)):
            query[terms] = n_times
            for start in range(first_of_row[row], first_of_row[row + 1], _DOCUMENTS_AT_ONCE):
                part = slice(start, min(start + _DOCUMENTS_AT_ONCE, first_of_row[row + 1]))
                # A sum runs over the document's terms; those that the query lacks add 0.
                scores[part] = self._weights.present[pairs.column[part]] @ query
            query[terms] = 0
        return scores


class CosineSearch(SparseSearch):
    """Documents with sparse vectors, ranked by cosine.

    Parameters
    ----------
    documents : scipy.sparse.csr_matrix of float32, shape (n_documents, n_terms)
        Of any length.
    memory_bytes : int, default=536870912
        As for `SparseSearch`.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> documents = csr_matrix(np.array([[1, 0], [0, 1], [2, 0]], dtype=np.float32))
    >>> CosineSearch(documents).nearest(documents[:1], 2).position
    array([[0, 2]])
    """

    def __init__(self, documents: Any, memory_bytes: int = _MEMORY_BYTES) -> None:
        nowhere = np.zeros(documents.shape[1])
        super().__init__(Weights(_of_length_one(documents), nowhere), memory_bytes)

    def nearest(
        self,
        queries: Any,
        k: int,
        tie_rank: NDArray[np.integer] | None = None,
        *,
        threads: int | None = None,
    ) -> Hits:
        """Rank the documents by their cosine with each query, rounded to 1e-6.

        Parameters
        ----------
        queries : scipy.sparse.csr_matrix of float32, shape (n_queries, n_terms)
            Of any length.
        k, tie_rank, threads
            As for `score_counts`.

        Returns
        -------
        Hits
            Positions and rounded cosines; a vector of zeros has cosine 0 with everything.
        """
        return self.score_counts(_of_length_one(queries), k, tie_rank, threads=threads)

    def _slack(self, counts: Any, error: NDArray[np.float64]) -> tuple[Slack, Slack]:
        # The sizes of the terms of two vectors of length 1 come to 1 at most.
        return 2 * error + 2 * 10.0**-COSINE_DIGITS, 0.0

    def _rounded(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        # -0.0 would be another value than 0.0.
        return np.round(scores, COSINE_DIGITS) + 0.0


def _of_length_one(vectors: Any) -> Any:
    """Rows of length 1 in float64, with sorted columns; one of zeros stays as it is."""
    from scipy.sparse import csr_matrix

    unit = csr_matrix(vectors, dtype=np.float64, copy=True)
    unit.sum_duplicates()
    length = np.sqrt(np.asarray(unit.multiply(unit).sum(axis=1)).ravel())
    length[length == 0] = 1
    unit.data /= np.repeat(length, np.diff(unit.indptr))
    return unit


def _rows(matrix: Any) -> Iterator[tuple[NDArray[np.int32], NDArray[np.floating]]]:
    """Columns and values of each row of a sparse matrix."""
    for first, last in itertools.pairwise(matrix.indptr.tolist()):
        yield matrix.indices[first:last], matrix.data[first:last]


def _frequent(df: NDArray[np.int64], n_documents: int, memory_bytes: int) -> NDArray[np.bool_]:
    """Which terms are kept dense: those above the share, the most frequent ones if too many."""
    frequent = df > _FREQUENT * n_documents
    room = memory_bytes // (4 * max(1, n_documents))
    beyond = np.argsort(-df, kind="stable")[room:]
    frequent[beyond] = False
    return frequent
