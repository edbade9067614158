"""Search by BM25: texts as queries, scores that are exact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.models.bm25.words import counts_of_known
from evaluate_shelf.models.ordering import significant
from evaluate_shelf.models.protocol import Hits
from evaluate_shelf.models.selection import Slack
from evaluate_shelf.models.sparse_search import SparseSearch, Weights

DIGITS = 9
"""Scores have so many significant digits: sums of some thousand float64 agree to far more."""


class Bm25Index(SparseSearch):
    """Documents that queries are scored against.

    Parameters
    ----------
    vocabulary : mapping of str to int
        Numbers of the terms.
    weights : Weights
        Of the documents.
    memory_bytes : int
        As for `SparseSearch`.
    """

    def __init__(self, vocabulary: Mapping[str, int], weights: Weights, memory_bytes: int) -> None:
        super().__init__(weights, memory_bytes)
        self._vocabulary = vocabulary
        self._most_negative = _most_negative(weights.present)

    def score(
        self,
        queries: Sequence[str],
        k: int,
        tie_rank: NDArray[np.integer] | None = None,
        *,
        threads: int | None = None,
    ) -> Hits:
        """Rank the documents for each query.

        Parameters
        ----------
        queries : sequence of str
            Texts.
        k, tie_rank, threads
            As for `score_counts`.

        Returns
        -------
        Hits
            Positions and scores, rounded to nine significant digits.
        """
        counts = counts_of_known(queries, self._vocabulary)
        return self.score_counts(counts, k, tie_rank, threads=threads)

    def _slack(self, counts: Any, error: NDArray[np.float64]) -> tuple[Slack, Slack]:
        # Sums of terms of both signs err by more than a share of what they come to.
        step = 2 * 10.0 ** (1 - DIGITS)
        everywhere = counts @ self._weights.everywhere
        return 4 * error * (counts @ self._most_negative) + step * everywhere, 2 * error + step

    def _rounded(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return significant(scores, DIGITS)


def sums_of_products(first: Any, second: Any) -> NDArray[np.float64]:
    """Product of each row of a sparse matrix with that of another, in the order of the columns.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> sums_of_products(csr_matrix([[1.0, 2.0]]), csr_matrix([[3.0, 4.0]]))
    array([11.])
    """
    return np.asarray(first.multiply(second).sum(axis=1), np.float64).ravel()


def _most_negative(weights: Any) -> NDArray[np.float64]:
    """Size of each term's lowest weight, 0 where none is negative; shape (n_terms,)."""
    lowest = np.zeros(weights.shape[1])
    negative = weights.data < 0
    np.minimum.at(lowest, weights.indices[negative], weights.data[negative])
    return -lowest
