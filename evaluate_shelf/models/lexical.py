"""`bm25` and its variants by name."""

from __future__ import annotations

from evaluate_shelf import __version__
from evaluate_shelf.models.named import NamedModel
from evaluate_shelf.models.protocol import ModelIdentity, Searcher
from evaluate_shelf.models.spec import Spec
from evaluate_shelf.registry.protocols import Protocol

VARIANTS = {
    "bm25-lucene": "lucene",
    "bm25-published": "published",
    "bm25-robertson": "robertson",
    "bm25-atire": "atire",
    "bm25l": "bm25l",
    "bm25plus": "bm25plus",
}
"""The weighting of each name; `bm25` has the protocol's."""

# As bm25s has it.
_DELTA = 0.5
_WITH_DELTA = ("bm25l", "bm25plus")


def bm25(spec: Spec, protocol: Protocol) -> NamedModel:
    """`bm25`, or one of `VARIANTS` with the protocol's constants."""
    settings = protocol.bm25.model_dump(mode="json")
    variant = VARIANTS.get(spec.name, protocol.bm25.idf)
    if spec.name in VARIANTS:
        del settings["idf"]
        settings["variant"] = variant
    if variant in _WITH_DELTA:
        settings["delta"] = _DELTA

    def load() -> Searcher:
        from evaluate_shelf.models.bm25 import Bm25

        return Bm25(protocol.bm25.k1, protocol.bm25.b, variant, _DELTA)

    revision = f"evaluate-shelf {__version__}"
    return NamedModel(ModelIdentity(spec.name, spec.name, "sparse", revision, settings), load)
