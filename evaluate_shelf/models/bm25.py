"""BM25, exact, in float64, over a sparse matrix of term weights."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.models.ordering import top_k
from evaluate_shelf.models.protocol import Hits

_WORD = re.compile(r"\b\w+\b")

# Sums of a few hundred float64 products agree to far more than nine digits.
_RELATIVE_TOLERANCE = 1e-9

Idf = Callable[[NDArray[np.float64], int], NDArray[np.float64]]


def lucene_idf(df: NDArray[np.float64], n_documents: int) -> NDArray[np.float64]:
    """Inverse document frequency ln(1 + (N - df + 0.5) / (df + 0.5)), never negative.

    References
    ----------
    Kamphuis, de Vries, Boytsov and Lin, "Which BM25 do you mean?", ECIR 2020, the Lucene
    variants.

    Examples
    --------
    >>> lucene_idf(np.array([1.0, 3.0]), 3).round(4)
    array([0.9808, 0.1335])
    """
    return np.log1p((n_documents - df + 0.5) / (df + 0.5))


def published_idf(df: NDArray[np.float64], n_documents: int) -> NDArray[np.float64]:
    """Inverse document frequency ln((N - df + 0.5) / (df + 0.5)).

    Negative for a term in more than half of the documents, as the published scores have it.

    Examples
    --------
    >>> published_idf(np.array([1.0, 3.0]), 3).round(4)
    array([ 0.5108, -1.9459])
    """
    return np.log((n_documents - df + 0.5) / (df + 0.5))


IDF: dict[str, Idf] = {"lucene": lucene_idf, "published": published_idf}


class Bm25:
    """BM25 with the weighting tf (k1 + 1) / (tf + k1 (1 - b + b length / mean length)).

    A term that stands n times in the query counts n times. Text is lower-cased, accents are
    dropped, and a token is a run of word characters; there are no stop words and no stemming.

    Parameters
    ----------
    k1 : float, default=1.5
        Saturation of the term's frequency.
    b : float, default=0.75
        Strength of the length normalisation.
    idf : callable, default=lucene_idf
        Takes document frequencies and the number of documents.

    References
    ----------
    Robertson and Zaragoza, "The probabilistic relevance framework: BM25 and beyond", Foundations
    and Trends in Information Retrieval 3 (2009), 333-389.

    Examples
    --------
    >>> hits = Bm25().score(["ships"], ["ships at sea", "wheat", "ships and ships"], k=2)
    >>> hits.position
    array([[2, 0]])
    """

    def __init__(self, k1: float = 1.5, b: float = 0.75, idf: Idf = lucene_idf) -> None:
        self.k1 = k1
        self.b = b
        self.idf = idf

    def score(
        self, queries: Sequence[str], documents: Sequence[str], *, k: int, block: int = 64
    ) -> Hits:
        """Rank `documents` for each query.

        Parameters
        ----------
        queries, documents : sequence of str
            Texts.
        k : int
            Depth of the ranking.
        block : int, default=64
            Queries scored at a time; memory is 8 bytes times block times n_documents.

        Returns
        -------
        Hits
            Positions and scores, rounded to nine significant digits.
        """
        vocabulary, weights = self._index(documents)
        counts = _term_counts((tokens(query) for query in queries), vocabulary)
        parts = [
            top_k(
                (counts[start : start + block] @ weights.T).toarray(),
                k,
                tolerance=_RELATIVE_TOLERANCE,
                relative=True,
            )
            for start in range(0, len(queries), block)
        ]
        return Hits(
            np.concatenate([part.position for part in parts]),
            np.concatenate([part.score for part in parts]),
        )

    def score_pairs(self, first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
        """Mean of each text's score as a query against the other, over their common index.

        Parameters
        ----------
        first, second : sequence of str, length n_pairs
            The pairs' texts; the index is that of the distinct ones.

        Returns
        -------
        ndarray of float64, shape (n_pairs,)
            Scores, rounded to nine significant digits.
        """
        texts = sorted({*first, *second})
        position = {text: number for number, text in enumerate(texts)}
        vocabulary, weights = self._index(texts)
        counts = _term_counts((tokens(text) for text in texts), vocabulary)
        a = np.array([position[text] for text in first])
        b = np.array([position[text] for text in second])
        forth = np.asarray(counts[a].multiply(weights[b]).sum(axis=1)).ravel()
        back = np.asarray(counts[b].multiply(weights[a]).sum(axis=1)).ravel()
        mean = (forth + back) / 2
        return np.array([float(f"{value:.9g}") for value in mean])

    def _index(self, documents: Sequence[str]) -> tuple[dict[str, int], Any]:
        tokenised = [tokens(document) for document in documents]
        vocabulary = {
            term: number
            for number, term in enumerate(sorted({t for doc in tokenised for t in doc}))
        }
        counts = _term_counts(tokenised, vocabulary)
        length = np.array([len(doc) for doc in tokenised], dtype=np.float64)
        mean_length = length.mean() if length.any() else 1.0
        saturation = self.k1 * (1 - self.b + self.b * length / mean_length)
        df = np.bincount(counts.indices, minlength=len(vocabulary)).astype(np.float64)
        row = np.repeat(np.arange(len(documents)), np.diff(counts.indptr))
        tf = counts.data
        weights = counts.copy()
        weights.data = (
            self.idf(df, len(documents))[counts.indices]
            * tf
            * (self.k1 + 1)
            / (tf + saturation[row])
        )
        return vocabulary, weights


def tokens(text: str) -> list[str]:
    """Lower-case words without accents.

    Examples
    --------
    >>> tokens("São Paulo's 2 ports")
    ['sao', 'paulo', 's', '2', 'ports']
    """
    decomposed = unicodedata.normalize("NFD", text.lower())
    return _WORD.findall("".join(c for c in decomposed if not unicodedata.combining(c)))


def _term_counts(tokenised: Iterable[list[str]], vocabulary: dict[str, int]) -> Any:
    from scipy.sparse import csr_matrix

    data: list[int] = []
    indices: list[int] = []
    indptr = [0]
    for words in tokenised:
        # Sorted columns, so that sums run in one order everywhere.
        known = sorted(Counter(vocabulary[w] for w in words if w in vocabulary).items())
        indices.extend(term for term, _ in known)
        data.extend(count for _, count in known)
        indptr.append(len(indices))
    return csr_matrix(
        (np.array(data, dtype=np.float64), np.array(indices), np.array(indptr)),
        shape=(len(indptr) - 1, len(vocabulary)),
    )
