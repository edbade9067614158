"""A model that is an object of the caller's process."""

from __future__ import annotations

import inspect
import sys
import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.conditions import refusing_conditions
from evaluate_shelf.models.limits import capped, count_longer, own_limit
from evaluate_shelf.models.named import CONDITIONS, NamedModel
from evaluate_shelf.models.protocol import (
    Encoder,
    Fittable,
    Lookup,
    ModelFacts,
    ModelIdentity,
    Role,
    Searcher,
    Vectors,
)
from evaluate_shelf.registry.protocols import Protocol

_PROTOCOLS = (Encoder, Fittable, Searcher, Lookup)


def named_object(model: Any, protocol: Protocol) -> NamedModel:
    """Identify an object that is a model.

    Parameters
    ----------
    model : object
        Implements the model protocol, or is a SentenceTransformer.
    protocol : Protocol
        Gives the limit on a text.

    Returns
    -------
    NamedModel
        Named by the object's `name`, or by its class; its revision is the object's `revision`.
        An object without one gets a revision of its own at every call, since nothing says
        whether it has changed. One that the protocol's prompts or its limit on a text do not
        apply to says so when it is loaded: a limit applies to a SentenceTransformer, and prompts
        to no object.

    Raises
    ------
    ShelfError
        If it is no model.
    """
    name = _own_text(model, "name") or type(model).__name__
    loaded = _as_model(model, name, protocol)
    revision = _own_text(model, "revision") or f"in memory {uuid.uuid4().hex[:16]}"
    identity = ModelIdentity(name, name, "custom", revision)
    if isinstance(loaded, SentenceTransformerInMemory):
        named = NamedModel(identity, lambda: _unprompted(loaded, protocol), takes=CONDITIONS)
    else:
        named = NamedModel(identity, lambda: loaded)
    return refusing_conditions(named, protocol)


def has_revision(model: Any) -> bool:
    """Whether an object says which version of itself it is, so that its vectors may be kept."""
    return _own_text(model, "revision") is not None


def is_sentence_transformer(model: Any) -> bool:
    """Whether it is a SentenceTransformer; the library is not imported to tell.

    Examples
    --------
    >>> is_sentence_transformer("st:minilm")
    False
    """
    library = sys.modules.get("sentence_transformers")
    return library is not None and isinstance(model, library.SentenceTransformer)


class SentenceTransformerInMemory:
    """A SentenceTransformer as it stands in memory: unprompted, on its own device.

    The model comes out of a call as it went in: its limit and its mode are what they were.

    Parameters
    ----------
    model : SentenceTransformer
        The model.
    max_tokens : int, default=None
        Where texts are cut; the model's own limit without it.
    """

    def __init__(self, model: Any, max_tokens: int | None = None) -> None:
        self._model = model
        self._max_tokens = max_tokens

    @property
    def facts(self) -> ModelFacts:
        """Parameters, dimension and token limit, read from the model itself."""
        # sentence-transformers 6 renamed the method and warns of the old name.
        dimension = (
            getattr(self._model, "get_embedding_dimension", None)
            or self._model.get_sentence_embedding_dimension
        )
        return ModelFacts(
            parameters=sum(weights.numel() for weights in self._model.parameters()),
            dimension=dimension(),
            max_tokens=self._max_tokens or own_limit(self._model),
        )

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        """Encode one batch, without a prompt."""
        training = self._model.training
        with _Limited(self._model, self._max_tokens):
            try:
                vectors = self._model.encode(
                    list(texts),
                    prompt="",
                    batch_size=max(len(texts), 1),
                    show_progress_bar=False,
                    convert_to_numpy=True,
                )
            finally:
                self._model.train(training)
        return np.asarray(vectors, dtype=np.float32)

    def count_cut(self, texts: Sequence[str], *, role: Role = "document") -> int:
        """How many texts have more tokens than the model reads."""
        limit = self._max_tokens or own_limit(self._model)
        if limit is None:
            return 0
        return count_longer(texts, limit, self._lengths)

    def _lengths(self, texts: Sequence[str], most: int) -> list[int]:
        tokenise = getattr(self._model, "preprocess", None) or self._model.tokenize
        before = self._model.max_seq_length
        self._model.max_seq_length = most
        try:
            features = tokenise(list(texts))
        finally:
            self._model.max_seq_length = before
        return [int(length) for length in features["attention_mask"].sum(dim=1)]


class _Limited:
    """A model's limit is another one while the context lasts."""

    def __init__(self, model: Any, limit: int | None) -> None:
        self._model, self._limit = model, limit
        self._before = model.max_seq_length

    def __enter__(self) -> None:
        capped(self._model, type(self._model).__name__, self._limit)

    def __exit__(self, *_: object) -> None:
        if self._limit is not None:
            self._model.max_seq_length = self._before


def _as_model(model: Any, name: str, protocol: Protocol) -> Any:
    if inspect.isclass(model) or inspect.isfunction(model):
        raise ShelfError(f"model {name!r}: it is a {type(model).__name__}; give what it makes")
    if hasattr(model, "mteb_model_meta"):
        raise ShelfError(
            f"model {name!r}: an encoder of mteb is named by its string, mteb:NAME, or run by "
            "mteb itself on `evaluate_shelf.mteb_tasks`"
        )
    if is_sentence_transformer(model):
        return SentenceTransformerInMemory(model, protocol.max_tokens)
    if not isinstance(model, _PROTOCOLS):
        raise ShelfError(
            f"model {name!r}: it has none of encode, fit, vectors_of, or score and score_pairs"
        )
    return model


def _unprompted(
    model: SentenceTransformerInMemory, protocol: Protocol
) -> SentenceTransformerInMemory:
    if protocol.prompts != "none":
        raise ShelfError(
            "a model in memory is encoded without prompts; save it, and name the folder as "
            "st:FOLDER"
        )
    return model


def _own_text(model: Any, attribute: str) -> str | None:
    try:
        value = getattr(model, attribute, None)
    except Exception:  # a property may raise anything
        return None
    return one_line(value, 200) if isinstance(value, str) and value.strip() else None
