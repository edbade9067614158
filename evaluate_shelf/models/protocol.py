"""What a model can do is what it implements; a task asks for one of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Role = Literal["document", "query"]
Vectors = NDArray[np.float32]


class Hits(NamedTuple):
    """The best documents of each query.

    Attributes
    ----------
    position : ndarray of int64, shape (n_queries, k)
        Positions in the documents that were given, best first.
    score : ndarray of float64, shape (n_queries, k)
        Their scores, rounded as they were ordered.
    """

    position: NDArray[np.int64]
    score: NDArray[np.float64]


@runtime_checkable
class Encoder(Protocol):
    """Gives a vector for a text: dense encoders and reduced sparse models."""

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        """Encode texts to an array of float32, shape (n_texts, dimension)."""


@runtime_checkable
class Fittable(Protocol):
    """An encoder that has to see a collection first: TF and TF-IDF.

    A task fits it on its own texts: the training split for classification, the corpus for
    retrieval, the clustered texts for clustering, the pairs' texts for pairs.
    """

    def fit(self, texts: Sequence[str]) -> Encoder:
        """Learn vocabulary and weights from `texts` and give the encoder for them."""


@runtime_checkable
class Searcher(Protocol):
    """Scores a document for a query without a vector of either: BM25, rerankers."""

    def score(self, queries: Sequence[str], documents: Sequence[str], *, k: int) -> Hits:
        """Rank `documents` for each query; ties go to the earlier document."""

    def score_pairs(self, first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
        """Score each pair of texts, shape (n_pairs,), whichever stands first."""


@runtime_checkable
class Classifier(Protocol):
    """Names a label without having been trained here: decoders."""

    def classify(self, texts: Sequence[str], labels: Sequence[str]) -> list[str]:
        """Give one of `labels` for each text."""


@runtime_checkable
class Indexer(Protocol):
    """Suggests labels from a large vocabulary: subject indexing."""

    def suggest(self, texts: Sequence[str], k: int) -> list[list[tuple[str, float]]]:
        """Give up to `k` labels with confidence for each text, best first."""


@dataclass(frozen=True)
class ModelIdentity:
    """What makes a model this one, known before its weights are loaded.

    Attributes
    ----------
    name : str
        The name that tables show.
    spec : str
        The string that names it on the command line.
    kind : str
        sparse, static, encoder or custom.
    revision : str
        A commit, a version or a hash of files: the same string means the same vectors.
    settings : dict
        Whatever else changes its output.
    """

    name: str
    spec: str
    kind: str
    revision: str
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelFacts:
    """What is only known of a model when it is loaded."""

    parameters: int | None = None
    dimension: int | None = None
    max_tokens: int | None = None
