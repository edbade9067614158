"""From the string that names a model to the model."""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from evaluate_shelf import __version__
from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.models.protocol import Encoder, Fittable, ModelFacts, ModelIdentity, Searcher
from evaluate_shelf.registry.protocols import Protocol

_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


@dataclass(frozen=True)
class NamedModel:
    """A model that is identified but not loaded.

    Attributes
    ----------
    identity : ModelIdentity
        Known without the weights.
    load : callable
        Gives the object that implements the protocol.
    """

    identity: ModelIdentity
    load: Callable[[], Any]


def resolve_model(spec: str, protocol: Protocol) -> NamedModel:
    """Identify the model that a string names.

    Parameters
    ----------
    spec : str
        `tf`, `tfidf`, `bm25`, `wordllama`, `st:<path or Hub id>` or `module:attribute`. The last
        one imports and runs the module: give it only code that you trust.
    protocol : Protocol
        Its settings are part of what the sparse models are.

    Returns
    -------
    NamedModel
        Nothing heavy is loaded yet.

    Raises
    ------
    ShelfError
        If the string names nothing.

    Examples
    --------
    >>> from evaluate_shelf.registry.protocols import load_protocol
    >>> resolve_model("tfidf", load_protocol()).identity.kind
    'sparse'
    """
    if spec in ("tf", "tfidf"):
        return _sparse(spec, protocol)
    if spec == "bm25":
        return _bm25(protocol)
    if spec == "wordllama":
        return _wordllama()
    if spec.startswith("st:"):
        return _sentence_encoder(spec, protocol)
    if _ATTRIBUTE.fullmatch(spec):
        return _custom(spec)
    known = ["tf", "tfidf", "bm25", "wordllama"]
    close = difflib.get_close_matches(spec, known, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise ShelfError(
        f"unknown model {spec!r}: {hint}known are {', '.join(known)}, st:<path or Hub id>, "
        "module:attribute; `shelf models` lists them"
    )


def facts_of(model: Any) -> ModelFacts:
    """What a loaded model says of its size; nothing where it says nothing."""
    try:
        facts = getattr(model, "facts", None)
    except Exception:  # what a model says of itself is no reason to lose its scores
        facts = None
    return facts if isinstance(facts, ModelFacts) else ModelFacts()


def _sparse(spec: str, protocol: Protocol) -> NamedModel:
    def load() -> Fittable:
        from evaluate_shelf.models.sparse import ReducedSparse

        return ReducedSparse(spec, protocol)

    revision = f"scikit-learn {version('scikit-learn')}"
    settings = {"svd_components": protocol.svd_components}
    return NamedModel(ModelIdentity(spec, spec, "sparse", revision, settings), load)


def _bm25(protocol: Protocol) -> NamedModel:
    def load() -> Searcher:
        from evaluate_shelf.models.bm25 import IDF, Bm25

        return Bm25(protocol.bm25.k1, protocol.bm25.b, IDF[protocol.bm25.idf])

    settings = protocol.bm25.model_dump(mode="json")
    revision = f"evaluate-shelf {__version__}"
    return NamedModel(ModelIdentity("bm25", "bm25", "sparse", revision, settings), load)


def _wordllama() -> NamedModel:
    def load() -> Encoder:
        from evaluate_shelf.models.static import WordLlama

        return WordLlama()

    try:
        revision = f"wordllama {version('wordllama')} l2_supercat_256"
    except PackageNotFoundError as error:
        raise ShelfError("wordllama is not installed; run `pip install wordllama`") from error
    return NamedModel(ModelIdentity("wordllama", "wordllama", "static", revision), load)


def _sentence_encoder(spec: str, protocol: Protocol) -> NamedModel:
    from evaluate_shelf.models.sentence_encoder import SentenceEncoder, sentence_encoder_identity

    identity = sentence_encoder_identity(spec)
    return NamedModel(identity, lambda: SentenceEncoder(identity, protocol))


def _custom(spec: str) -> NamedModel:
    module_name, attribute = spec.split(":")
    # As `python -m` does: a module beside the user is found without being installed.
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise ShelfError(f"unknown model {spec!r}: {error}") from error
    except (Exception, SystemExit) as error:
        raise ShelfError(
            f"model {spec!r}: importing {module_name} raised "
            f"{one_line(f'{type(error).__name__}: {error}', 300)}"
        ) from error
    if not hasattr(module, attribute):
        raise ShelfError(f"unknown model {spec!r}: {module_name} has no {attribute!r}")
    value = getattr(module, attribute)
    file = getattr(module, "__file__", None)
    # A model that reads other files says by a revision of its own when they are others.
    own = getattr(value, "revision", "")
    revision = f"{sha256_of_file(Path(file))[:40] if file else 'unknown'} {own}".strip()

    def load() -> Any:
        # A class or a factory is called; an object that is a model already is taken as it is.
        is_factory = inspect.isclass(value) or inspect.isfunction(value)
        try:
            model = value() if is_factory else value
        except (Exception, SystemExit) as error:
            reason = one_line(f"{type(error).__name__}: {error}", 300)
            raise ShelfError(f"making it raised {reason}") from error
        if not isinstance(model, (Encoder, Fittable, Searcher)):
            raise ShelfError("it has none of encode, fit, or score and score_pairs")
        return model

    return NamedModel(ModelIdentity(spec, spec, "custom", revision), load)
