"""TF and TF-IDF, reduced by a truncated singular value decomposition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.ordering import normalised
from evaluate_shelf.models.protocol import Encoder, Role, Vectors
from evaluate_shelf.registry.protocols import Protocol


class ReducedSparse:
    """Term weights reduced to few dimensions and normalised.

    Parameters
    ----------
    weighting : {'tf', 'tfidf'}
        Raw counts, or sublinear counts times inverse document frequency.
    protocol : Protocol
        Gives the vocabulary's limits, the number of dimensions and the seed.
    """

    def __init__(self, weighting: str, protocol: Protocol) -> None:
        self.weighting = weighting
        self.protocol = protocol

    def fit(self, texts: Sequence[str]) -> Encoder:
        """Learn the vocabulary and the reduction from `texts`.

        Raises
        ------
        ShelfError
            If no term occurs in enough of them.
        """
        from sklearn.decomposition import TruncatedSVD

        vectoriser = self._vectoriser()
        try:
            matrix = vectoriser.fit_transform(texts)
        except ValueError as error:
            raise ShelfError(
                f"{self.weighting}: no vocabulary from {len(texts)} texts: {error}"
            ) from error
        # The decomposition needs fewer components than documents and than terms.
        components = min(self.protocol.svd_components, min(matrix.shape) - 1)
        if components < 1:
            raise ShelfError(
                f"{self.weighting}: {matrix.shape[0]} texts with {matrix.shape[1]} terms "
                "are too few to be reduced"
            )
        reduction = TruncatedSVD(components, random_state=self.protocol.svd_seed)
        reduction.fit(matrix)
        return _FittedSparse(vectoriser, reduction)

    def _vectoriser(self) -> Any:
        from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

        # float32 vectors, as published; both classes name their settings alike.
        if self.weighting == "tf":
            return CountVectorizer(**self.protocol.tf.model_dump(), dtype=np.float32)
        return TfidfVectorizer(**self.protocol.tfidf.model_dump(), dtype=np.float32)


class _FittedSparse:
    def __init__(self, vectoriser: Any, reduction: Any) -> None:
        self._vectoriser = vectoriser
        self._reduction = reduction

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        reduced = self._reduction.transform(self._vectoriser.transform(texts))
        return normalised(np.asarray(reduced, dtype=np.float32))
