"""From the string that names a model to the model."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import NamedTuple

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models import endpoint, lexical, reranker, sentence_encoder
from evaluate_shelf.models.conditions import refusing_conditions
from evaluate_shelf.models.custom import ATTRIBUTE, custom
from evaluate_shelf.models.hybrid import hybrid
from evaluate_shelf.models.mteb_encoder import mteb_encoder
from evaluate_shelf.models.named import NamedModel, facts_of
from evaluate_shelf.models.precomputed import precomputed
from evaluate_shelf.models.sparse import full_sparse, reduced_sparse
from evaluate_shelf.models.spec import REDUCING, Spec, parse_spec, refuse_unknown_options
from evaluate_shelf.models.static import static_table, wordllama
from evaluate_shelf.registry.protocols import Protocol

__all__ = ["NamedModel", "facts_of", "resolve_model", "resolve_part"]


class _Kind(NamedTuple):
    make: Callable[[Spec, Protocol], NamedModel]
    options: tuple[str, ...] = ()
    target: str = ""
    note: str = ""


_REDUCED = _Kind(reduced_sparse, note="tf and tfidf have the dimensions that the protocol names")
_BY_NAME: dict[str, _Kind] = {
    "tf": _REDUCED,
    "tfidf": _REDUCED,
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
        Nothing heavy is loaded yet. One that the protocol's prompts or its limit on a text do not
        apply to says so when it is loaded.

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
    return refusing_conditions(resolve_part(spec, protocol), protocol)


def resolve_part(spec: str, protocol: Protocol) -> NamedModel:
    """As `resolve_model`, for a model that another one is made of.

    A condition that does not apply to it is left to the other part: the whole refuses what none
    of its parts takes.
    """
    kind = _kind(spec)
    parsed = parse_spec(spec, kind.options)
    try:
        # What is left over at the end of a hybrid's name is an option of its second part.
        if kind is not _BY_PREFIX["hybrid"]:
            refuse_unknown_options(parsed, kind.options, kind.note)
        if kind in (*_BY_NAME.values(), _CUSTOM) and "," in parsed.name:
            raise _unknown(spec)
        return kind.make(parsed, protocol)
    # A path may be too long, unreadable, or begin with the home of nobody.
    except (OSError, RuntimeError) as error:
        reason = one_line(getattr(error, "strerror", None) or str(error), 200)
        raise ShelfError(f"model {spec!r}: {reason}") from error


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
