"""The formulas that go by the name BM25."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Idf = Callable[[Array, int], Array]
Gain = Callable[[Array, Array, float, float], Array]


class Variant(NamedTuple):
    """A weighting: a document scores the sum over the query's words of idf times gain.

    Attributes
    ----------
    idf : callable
        From document frequencies and the number of documents to the words' weights.
    gain : callable
        From the frequencies of words in documents, the documents' norms
        1 - b + b length / mean length, k1 and delta to what each word adds. Its value at
        frequency 0 may depend on k1 and delta alone.
    """

    idf: Idf
    gain: Gain


def lucene_idf(df: Array, n_documents: int) -> Array:
    """Inverse document frequency ln(1 + (N - df + 0.5) / (df + 0.5)), never negative.

    Examples
    --------
    >>> lucene_idf(np.array([1.0, 3.0]), 3).round(4)
    array([0.9808, 0.1335])
    """
    return np.log1p((n_documents - df + 0.5) / (df + 0.5))


def published_idf(df: Array, n_documents: int) -> Array:
    """Inverse document frequency ln((N - df + 0.5) / (df + 0.5)).

    Negative for a term in more than half of the documents, as the published scores have it.

    Examples
    --------
    >>> published_idf(np.array([1.0, 3.0]), 3).round(4)
    array([ 0.5108, -1.9459])
    """
    return np.log((n_documents - df + 0.5) / (df + 0.5))


def robertson_idf(df: Array, n_documents: int) -> Array:
    """The same, with 0 for a term in more than half of the documents.

    Examples
    --------
    >>> robertson_idf(np.array([1.0, 3.0]), 3).round(4)
    array([0.5108, 0.    ])
    """
    return np.maximum(published_idf(df, n_documents), 0.0)


def atire_idf(df: Array, n_documents: int) -> Array:
    """Inverse document frequency ln(N / df).

    Examples
    --------
    >>> atire_idf(np.array([1.0, 3.0]), 3).round(4)
    array([1.0986, 0.    ])
    """
    return np.log(n_documents / df)


def bm25l_idf(df: Array, n_documents: int) -> Array:
    """Inverse document frequency ln((N + 1) / (df + 0.5)).

    Examples
    --------
    >>> bm25l_idf(np.array([1.0, 3.0]), 3).round(4)
    array([0.9808, 0.1335])
    """
    return np.log((n_documents + 1) / (df + 0.5))


def bm25plus_idf(df: Array, n_documents: int) -> Array:
    """Inverse document frequency ln((N + 1) / df).

    Examples
    --------
    >>> bm25plus_idf(np.array([1.0, 3.0]), 3).round(4)
    array([1.3863, 0.2877])
    """
    return np.log((n_documents + 1) / df)


def saturated(tf: Array, norm: Array, k1: float, delta: float) -> Array:
    """Gain tf (k1 + 1) / (tf + k1 norm)."""
    return tf * (k1 + 1) / (tf + k1 * norm)


def saturated_below_one(tf: Array, norm: Array, k1: float, delta: float) -> Array:
    """Gain tf / (tf + k1 norm)."""
    return tf / (tf + k1 * norm)


def saturated_after_shift(tf: Array, norm: Array, k1: float, delta: float) -> Array:
    """Gain (k1 + 1) (c + delta) / (k1 + c + delta) with c = tf / norm: BM25L."""
    shifted = tf / norm + delta
    return (k1 + 1) * shifted / (k1 + shifted)


def saturated_and_shifted(tf: Array, norm: Array, k1: float, delta: float) -> Array:
    """Gain delta + tf (k1 + 1) / (tf + k1 norm): BM25+."""
    return saturated(tf, norm, k1, delta) + delta


VARIANTS: dict[str, Variant] = {
    "lucene": Variant(lucene_idf, saturated),
    "published": Variant(published_idf, saturated),
    "robertson": Variant(robertson_idf, saturated_below_one),
    "atire": Variant(atire_idf, saturated),
    "bm25l": Variant(bm25l_idf, saturated_after_shift),
    "bm25plus": Variant(bm25plus_idf, saturated_and_shifted),
}
"""Weightings by name; robertson, atire, bm25l and bm25plus are those of bm25s."""

IDF: dict[str, Idf] = {name: variant.idf for name, variant in VARIANTS.items()}
"""Inverse document frequency of each variant."""
