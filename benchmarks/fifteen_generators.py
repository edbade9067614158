"""The design that independence.md measures: every specification written by 15 generators."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from builders.corpora.synthetic.gated import GatedPieces, gated
from builders.corpora.synthetic.pieces import written_pieces
from builders.corpora.synthetic.rows import row_of
from builders.orders import Order, orders_of_slice
from builders.writers.derived_words import lexicon_for
from builders.writers.lexical import VERSION, LexicalWriter
from builders.writers.lexicon import load_lexicon
from evaluate_shelf.registry.generation import Plan, SlicePlan, load_plan
from evaluate_shelf.registry.roster import Generator
from evaluate_shelf.registry.taxonomy import load_taxonomy

SLICE, SEED = "v0_4_core", 42
GENERATORS, BLOCKS, SPECIFICATIONS = 15, 3, 500
_PREFIX = "lexical-writer/"


def plan_of(specifications: int = SPECIFICATIONS) -> Plan:
    """The plan: each style under as many names as make 15 generators.

    The lexical writer draws by the name of the generator, so that two names of one style write
    different documents.
    """
    styles = sorted(load_lexicon().styles)
    names = [
        f"{_PREFIX}{styles[number % len(styles)]}.{number // len(styles) + 1}"
        for number in range(GENERATORS)
    ]
    own = SlicePlan(generators=tuple(names), blocks=BLOCKS, specifications=specifications)
    generators = tuple(Generator(name=name, writer="lexical") for name in names)
    return load_plan("standard").model_copy(
        update={"id": "fifteen", "generators": generators, "slices": {SLICE: own}}
    )


def row(order: Order) -> dict[str, Any]:
    """Write the document of an order and judge it."""
    document = _writer(order.generator.removeprefix(_PREFIX)).write(order.spec, SEED)
    return row_of(order, document, run_id=f"seed{SEED}", code_version=f"lexical-{VERSION}")


def written(folder: Path, specifications: int = SPECIFICATIONS) -> GatedPieces:
    """Write the whole plan and put it through all gates."""
    plan = plan_of(specifications)
    pieces = written_pieces(
        orders_of_slice(SLICE, plan, load_taxonomy(), SEED),
        row,
        count=plan.documents([SLICE]),
        folder=folder,
    )
    return gated(SLICE, pieces)


@functools.cache
def _writer(name: str) -> LexicalWriter:
    taxonomy = load_taxonomy()
    lexicon = lexicon_for(taxonomy)
    return LexicalWriter(name, lexicon.styles[name.split(".")[0]], lexicon, taxonomy)
