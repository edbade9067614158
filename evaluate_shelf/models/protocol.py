"""What a model can do is what it implements; a task asks for one of these."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
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
class FitsAndEncodes(Protocol):
    """A fittable encoder that can spare the second reading of the texts that it was fitted on."""

    def fit_encode(self, texts: Sequence[str]) -> tuple[Any, Any]:
        """Give what `fit` gives and, with it, what that encoder gives for the same texts."""


@runtime_checkable
class SparseEncoder(Protocol):
    """Gives a sparse vector for a text: TF and TF-IDF that are not reduced."""

    def encode_sparse(self, texts: Sequence[str]) -> Any:
        """Encode texts to a scipy.sparse.csr_matrix of float32, shape (n_texts, n_terms)."""


@runtime_checkable
class Lookup(Protocol):
    """Has vectors of texts that it knows by id: precomputed embeddings."""

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """Give the vectors of ids as float32, shape (n_ids, dimension)."""


@runtime_checkable
class Truncating(Protocol):
    """Knows which texts it cuts."""

    def count_cut(self, texts: Sequence[str], *, role: Role = "document") -> int:
        """How many of the texts are longer than the model's limit, in its own tokens."""


@runtime_checkable
class Counting(Protocol):
    """Counts what is paid for: endpoints.

    Attributes
    ----------
    tokens : int
        Tokens that the endpoint has charged so far.
    unreported : int
        Answers that did not say how many; where there are any, `tokens` is too small.
    """

    tokens: int
    unreported: int


@runtime_checkable
class Searcher(Protocol):
    """Scores a document for a query without a vector of either: BM25, rerankers."""

    def score(self, queries: Sequence[str], documents: Sequence[str], *, k: int) -> Hits:
        """Rank `documents` for each query; ties go to the earlier document."""

    def score_pairs(self, first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
        """Score each pair of texts, shape (n_pairs,), whichever stands first."""


@runtime_checkable
class Indexed(Protocol):
    """A searcher whose index serves several sets of queries."""

    def index(self, documents: Sequence[str]) -> Any:
        """Give an object with `score(queries, *, k)` over these documents."""


@runtime_checkable
class Bounded(Protocol):
    """A searcher whose searches can be given less or more memory."""

    def within(self, memory_bytes: int) -> Any:
        """Give the same model, whose searches take so much beyond texts and index."""


@runtime_checkable
class Limited(Protocol):
    """An encoder whose limit on a text can be lowered for a while."""

    def limited_to(self, max_tokens: int) -> AbstractContextManager[int]:
        """Cut texts after so many tokens, or the model's own limit; gives the number."""


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
        sparse, static, encoder, endpoint, precomputed, hybrid, reranker or custom.
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
    """What is only known of a model when it is loaded.

    Attributes
    ----------
    parameters, dimension : int or None
        Its size and the length of its vectors, before any reduction.
    max_tokens : int or None
        Where it cuts a text; None if it does not, or does not say.
    prompts : dict of str to str, or None
        By role, the text that is put before a text; None where prompts are not used.
    """

    parameters: int | None = None
    dimension: int | None = None
    max_tokens: int | None = None
    prompts: dict[str, str] | None = None
