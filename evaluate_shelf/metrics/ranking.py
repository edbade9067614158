"""Metrics of one ranking, all read off the relevance of its documents in order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def ndcg_at(
    k: int, relevance: NDArray[np.bool_], n_relevant: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Normalised discounted cumulative gain with binary gains, for each query.

    DCG@k is the sum over ranks i = 1..k of rel_i / log2(i + 1); it is divided by the DCG of
    min(n_relevant, k) relevant documents on top.

    Parameters
    ----------
    k : int
        Cutoff.
    relevance : ndarray of bool, shape (n_queries, depth)
        Whether the document at each rank is relevant; depth >= k or the whole corpus.
    n_relevant : ndarray of int64, shape (n_queries,)
        Number of relevant documents in the corpus.

    Returns
    -------
    ndarray of float64, shape (n_queries,)
        NaN for a query without a relevant document: it has no nDCG, and the caller has to say
        how it counts.

    References
    ----------
    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20
    (2002), 422-446.

    Examples
    --------
    >>> ndcg_at(2, np.array([[True, False], [False, True]]), np.array([1, 1])).round(4)
    array([1.    , 0.6309])
    """
    discounts = 1.0 / np.log2(np.arange(2, k + 2))
    hits = relevance[:, :k]
    gained = hits @ discounts[: hits.shape[1]]
    ideal = np.concatenate([[0.0], np.cumsum(discounts)])[np.minimum(n_relevant, k)]
    value = np.full(len(hits), np.nan)
    # The same sum in another order may be larger by its last bit.
    np.divide(np.minimum(gained, ideal), ideal, out=value, where=ideal > 0)
    return value


def graded_ndcg_at(
    k: int, gains: NDArray[np.integer], counts_by_gain: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Normalised discounted cumulative gain with graded, linear gains, for each query.

    DCG@k is the sum over ranks i = 1..k of gain_i / log2(i + 1); it is divided by the DCG of all
    documents of the corpus, highest gain first.

    Parameters
    ----------
    k : int
        Cutoff.
    gains : ndarray of int, shape (n_queries, depth)
        Gain of the document at each rank; depth >= k or the whole corpus.
    counts_by_gain : ndarray of int64, shape (n_queries, highest gain)
        Number of documents in the corpus with gain 1, 2 and so on.

    Returns
    -------
    ndarray of float64, shape (n_queries,)
        NaN for a query to which no document gains anything.

    Examples
    --------
    >>> graded_ndcg_at(2, np.array([[1, 2], [2, 1]]), np.array([[1, 1], [1, 1]])).round(4)
    array([0.8597, 1.    ])
    """
    discounts = 1.0 / np.log2(np.arange(2, k + 2))
    top = gains[:, :k]
    gained = top @ discounts[: top.shape[1]]
    discounts_of_first = np.concatenate([[0.0], np.cumsum(discounts)])
    ideal, filled = np.zeros(len(top)), np.zeros(len(top), np.int64)
    for gain in range(counts_by_gain.shape[1], 0, -1):
        until = np.minimum(filled + counts_by_gain[:, gain - 1], k)
        ideal += gain * (discounts_of_first[until] - discounts_of_first[filled])
        filled = until
    value = np.full(len(top), np.nan)
    # The same sum in another order may be larger by its last bit.
    np.divide(np.minimum(gained, ideal), ideal, out=value, where=ideal > 0)
    return value


def reciprocal_rank(
    relevance: NDArray[np.bool_], n_relevant: NDArray[np.int64]
) -> NDArray[np.float64]:
    """One over the rank of the first relevant document; 0 where none was returned.

    NaN for a query without a relevant document in the corpus.

    Examples
    --------
    >>> reciprocal_rank(np.array([[False, True], [False, False]]), np.array([1, 1]))
    array([0.5, 0. ])
    """
    first = relevance.argmax(axis=1)
    value = np.where(relevance.any(axis=1), 1.0 / (first + 1), 0.0)
    return np.where(n_relevant > 0, value, np.nan)


def recall_at(
    k: int, relevance: NDArray[np.bool_], n_relevant: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Share of all relevant documents among the first `k`.

    NaN for a query without a relevant document in the corpus.

    Examples
    --------
    >>> recall_at(1, np.array([[True, True]]), np.array([4]))
    array([0.25])
    """
    found = relevance[:, :k].sum(axis=1).astype(np.float64)
    value = np.full(len(found), np.nan)
    np.divide(found, n_relevant, out=value, where=n_relevant > 0)
    return value


def precision_at(
    k: int, relevance: NDArray[np.bool_], n_relevant: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Share of relevant documents among the first `k`, or among all where there are fewer.

    NaN for a query without a relevant document in the corpus.

    Examples
    --------
    >>> precision_at(2, np.array([[True, False, True]]), np.array([4]))
    array([0.5])
    """
    return np.where(n_relevant > 0, relevance[:, :k].mean(axis=1), np.nan)


def average_precision_at(
    k: int, relevance: NDArray[np.bool_], n_relevant: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Sum of the precision at each relevant document among the first `k`, over all relevant ones.

    The divisor is the number of relevant documents in the corpus, also where it exceeds `k`.
    NaN for a query without any.

    Examples
    --------
    >>> average_precision_at(3, np.array([[True, False, True]]), np.array([2])).round(4)
    array([0.8333])
    """
    hits = relevance[:, :k]
    precision = np.cumsum(hits, axis=1) / np.arange(1, hits.shape[1] + 1)
    value = np.full(len(hits), np.nan)
    np.divide((precision * hits).sum(axis=1), n_relevant, out=value, where=n_relevant > 0)
    return value
