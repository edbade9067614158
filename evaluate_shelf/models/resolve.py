"""From the string that names a model to the model."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models import endpoint, lexical, reranker, sentence_encoder
from evaluate_shelf.models.custom import ATTRIBUTE, custom
from evaluate_shelf.models.hybrid import hybrid
from evaluate_shelf.models.mteb_encoder import mteb_encoder
from evaluate_shelf.models.named import NamedModel
from evaluate_shelf.models.precomputed import precomputed
from evaluate_shelf.models.protocol import ModelFacts
from evaluate_shelf.models.sparse import full_sparse, reduced_sparse
from evaluate_shelf.models.spec import REDUCING, Spec, parse_spec, refuse_unknown_options
from evaluate_shelf.models.static import static_table, wordllama
from evaluate_shelf.registry.protocols import Protocol

__all__ = ["NamedModel", "facts_of", "resolve_model"]


class _Kind(NamedTuple):
    make: Callable[[Spec, Protocol], NamedModel]
    options: tuple[str, ...] = ()
    target: str = ""


_BY_NAME: dict[str, _Kind] = {
    "tf": _Kind(reduced_sparse),
    "tfidf": _Kind(reduced_sparse),
    "tf-full": _Kind(full_sparse),
    "tfidf-full": _Kind(full_sparse),
    "bm25": _Kind(lexical.bm25),
    **dict.fromkeys(lexical.VARIANTS, _Kind(lexical.bm25)),
    "wordllama": _Kind(wordllama, REDUCING),
}
_BY_PREFIX: dict[str, _Kind] = {
    "st": _Kind(sentence_encoder.sentence_encoder, sentence_encoder.OPTIONS, "<path or Hub id>"),
    "static": _Kind(static_table, REDUCING, "<folder>"),
    "mteb": _Kind(mteb_encoder, REDUCING, "<name>"),
    "openai": _Kind(endpoint.endpoint, endpoint.OPTIONS, "<model>@<base url>"),
    "npy": _Kind(precomputed, (*REDUCING, "ids"), "<file>"),
    "hybrid": _Kind(hybrid, ("constant",), "<model>+<model>"),
    "rerank": _Kind(reranker.reranker, reranker.OPTIONS, "<path or Hub id>"),
}
_CUSTOM = _Kind(custom, REDUCING)


def resolve_model(spec: str, protocol: Protocol) -> NamedModel:
    """Identify the model that a string names.

    Parameters
    ----------
    spec : str
        `NAME[,option=value]...`. Names are `tf`, `tfidf`, `tf-full`, `tfidf-full`, `bm25` and its
        variants, `wordllama`, `st:<path or Hub id>`, `static:<folder>`, `mteb:<name>`,
        `openai:<model>@<base url>`, `npy:<file>`, `hybrid:<model>+<model>`,
        `rerank:<path or Hub id>` and `module:attribute`. The last one imports and runs the
        module: give it only code that you trust. What has dense vectors takes `dim=N` and
        `precision=int8` or `binary`; `st:` takes `pooling=mean`, `cls` or `last`.
    protocol : Protocol
        Its settings are part of what the models are.

    Returns
    -------
    NamedModel
        Nothing heavy is loaded yet.

    Raises
    ------
    ShelfError
        If the string names nothing, or an option or its value is unknown.

    Examples
    --------
    >>> from evaluate_shelf.registry.protocols import load_protocol
    >>> resolve_model("tfidf", load_protocol()).identity.kind
    'sparse'
    >>> resolve_model("wordllama,precision=int8,dim=64", load_protocol()).identity.name
    'wordllama, dim 64, int8'
    """
    kind = _kind(spec)
    parsed = parse_spec(spec, kind.options)
    # What is left over at the end of a hybrid's name is an option of its second part.
    if kind is not _BY_PREFIX["hybrid"]:
        refuse_unknown_options(parsed, kind.options)
    if kind in (*_BY_NAME.values(), _CUSTOM) and "," in parsed.name:
        raise _unknown(spec)
    return kind.make(parsed, protocol)


def facts_of(model: Any) -> ModelFacts:
    """What a loaded model says of its size; nothing where it says nothing."""
    try:
        facts = getattr(model, "facts", None)
    except Exception:  # what a model says of itself is no reason to lose its scores
        facts = None
    return facts if isinstance(facts, ModelFacts) else ModelFacts()


def _kind(spec: str) -> _Kind:
    """The row of the table that a string belongs to; its end may still be options."""
    name = re.split(r",(?=[A-Za-z_]+=)", spec, maxsplit=1)[0]
    prefix, colon, target = spec.partition(":")
    if name in _BY_NAME:
        return _BY_NAME[name]
    if colon and prefix in _BY_PREFIX:
        if not target:
            raise ShelfError(f"model {spec!r}: {prefix}:{_BY_PREFIX[prefix].target} is needed")
        return _BY_PREFIX[prefix]
    if ATTRIBUTE.fullmatch(name):
        return _CUSTOM
    raise _unknown(spec)


def _unknown(spec: str) -> ShelfError:
    close = difflib.get_close_matches(spec, _BY_NAME, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    known = [*_BY_NAME, *(f"{name}:{kind.target}" for name, kind in _BY_PREFIX.items())]
    return ShelfError(
        f"unknown model {spec!r}: {hint}known are {', '.join(known)}, module:attribute; "
        "`shelf models` lists them"
    )
