"""BM25 as a model: texts in, ranked documents or scores of pairs out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.bm25.index import DIGITS, Bm25Index, sums_of_products
from evaluate_shelf.models.bm25.variants import VARIANTS, Variant
from evaluate_shelf.models.bm25.words import counted
from evaluate_shelf.models.ordering import significant
from evaluate_shelf.models.protocol import Hits
from evaluate_shelf.models.sparse_search import Weights


class Bm25:
    """BM25 over lower-case words without accents, stop words or stemming.

    A word that stands n times in the query counts n times.

    Parameters
    ----------
    k1 : float, default=1.5
        Saturation of the word's frequency.
    b : float, default=0.75
        Strength of the length normalisation, 0 to 1.
    variant : str or Variant, default="lucene"
        A name in `VARIANTS`, or formulas of one's own.
    delta : float, default=0.5
        What BM25L and BM25+ grant a word at least; the others do not use it.
    memory_bytes : int, default=536870912
        What a search takes beyond texts and index, unless one query's scores take more.

    Raises
    ------
    ShelfError
        If a constant is out of range or no variant has the name.

    References
    ----------
    Robertson and Zaragoza, "The probabilistic relevance framework: BM25 and beyond", Foundations
    and Trends in Information Retrieval 3 (2009), 333-389. Kamphuis, de Vries, Boytsov and Lin,
    "Which BM25 do you mean?", ECIR 2020. Lv and Zhai, "When documents are very long, BM25
    fails!", SIGIR 2011, and "Lower-bounding term frequency normalization", CIKM 2011.

    Examples
    --------
    >>> hits = Bm25().score(["ships"], ["ships at sea", "wheat", "ships and ships"], k=2)
    >>> hits.position
    array([[2, 0]])
    """

    def __init__(
        self,
        k1: float = 1.5,
        b: float = 0.75,
        variant: str | Variant = "lucene",
        delta: float = 0.5,
        *,
        memory_bytes: int = 512 << 20,
    ) -> None:
        if isinstance(variant, str):
            if variant not in VARIANTS:
                known = ", ".join(VARIANTS)
                raise ShelfError(f"BM25: no variant {variant!r}; known are {known}")
            variant = VARIANTS[variant]
        for name, value, most in (("k1", k1, math.inf), ("b", b, 1), ("delta", delta, math.inf)):
            if not (0 <= value <= most and math.isfinite(value)):
                raise ShelfError(f"BM25: {name} is {value}; it has to be 0 to {most}, and finite")
        if k1 == delta == 0:
            raise ShelfError("BM25: k1 and delta are both 0; one of them has to be more")
        self.k1 = k1
        self.b = b
        self.variant = variant
        self.delta = delta
        self.memory_bytes = memory_bytes

    def within(self, memory_bytes: int) -> Bm25:
        """The same weighting, with searches that take so much beyond texts and index."""
        return Bm25(self.k1, self.b, self.variant, self.delta, memory_bytes=memory_bytes)

    def index(self, documents: Sequence[str]) -> Bm25Index:
        """Index documents, for several sets of queries.

        Examples
        --------
        >>> index = Bm25().index(["ships at sea", "wheat"])
        >>> index.score(["wheat"], k=1).position
        array([[1]])
        """
        words = counted(documents)
        weights = self._weights(words.counts)
        return Bm25Index(words.vocabulary, weights, self.memory_bytes)

    def score(self, queries: Sequence[str], documents: Sequence[str], *, k: int) -> Hits:
        """Rank `documents` for each query.

        Parameters
        ----------
        queries, documents : sequence of str
            Texts.
        k : int
            Depth of the ranking.

        Returns
        -------
        Hits
            Positions and scores, rounded to nine significant digits.
        """
        return self.index(documents).score(queries, k)

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
        counts = counted(texts).counts
        present, everywhere = self._weights(counts)
        of_every_document = counts @ everywhere
        a = np.array([position[text] for text in first], dtype=np.int64)
        b = np.array([position[text] for text in second], dtype=np.int64)
        forth = sums_of_products(counts[a], present[b]) + of_every_document[a]
        back = sums_of_products(counts[b], present[a]) + of_every_document[b]
        return significant((forth + back) / 2, DIGITS)

    def _weights(self, counts: Any) -> Weights:
        n_documents, n_terms = counts.shape
        length = np.asarray(counts.sum(axis=1), np.float64).ravel()
        mean_length = length.mean() if length.any() else 1.0
        norm = 1 - self.b + self.b * length / mean_length
        df = np.bincount(counts.indices, minlength=n_terms).astype(np.float64)
        idf = self.variant.idf(df, n_documents)
        row = np.repeat(np.arange(n_documents), np.diff(counts.indptr))
        one = np.ones(1)
        of_absent = self.variant.gain(0 * one, one, self.k1, self.delta)
        gain = self.variant.gain(counts.data, norm[row], self.k1, self.delta)
        present = counts.copy()
        present.data = idf[counts.indices] * (gain - of_absent)
        return Weights(present, idf * of_absent)
