"""What `shelf plan` does: from its options to a design and its cost, as text or JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from builders.plan.choice import chosen_plan, chosen_slices
from builders.plan.costs import Cost, costs_of, total_of
from builders.plan.design import Design, design_of
from builders.plan.text import design_text
from builders.specifications.block_files import write_block
from builders.specifications.blocks import blocks_of
from builders.taxonomies.foreign import ForeignLabels, foreign_labels
from evaluate_shelf.cli.terminal import say, show_json
from evaluate_shelf.counts import counted
from evaluate_shelf.registry.generation import Plan
from evaluate_shelf.registry.prices import load_prices
from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy
from evaluate_shelf.text_columns import terminal_width

_WIDTH = 100
_NARROWEST = 30


def plan_from_command_line(
    name: str,
    *,
    taxonomy: Path | None,
    prices: Path | None,
    writer: Sequence[str] = (),
    writers: Path | None,
    slices: Sequence[str] = (),
    documents: int | None = None,
    seed: int,
    json: bool,
    blocks: Path | None,
) -> None:
    """Print the design of a plan; nothing is sent, and nothing but block files is written."""
    plan = chosen_plan(name, writer, writers)
    wanted = chosen_slices(plan, slices)
    if documents is not None:
        plan = plan.sized(documents, wanted)
    plan = plan.model_copy(
        update={"slices": {key: own for key, own in plan.slices.items() if key in wanted}}
    )
    labels, foreign = load_taxonomy(taxonomy), foreign_labels(taxonomy)
    design = design_of(plan, labels, seed)
    costs = costs_of(design, load_prices(prices))
    if blocks is not None:
        _write_blocks(plan, labels, seed, blocks)
    if json:
        show_json(plan_values(design, costs, foreign))
    else:
        width = terminal_width(_WIDTH, _NARROWEST)
        sys.stdout.write(design_text(design, costs, width, foreign))


def plan_values(
    design: Design, costs: dict[str, Cost], foreign: Sequence[ForeignLabels] = ()
) -> dict[str, Any]:
    """A design and its cost as plain values, for JSON.

    Returns
    -------
    dict
        Money in US dollars, null where it is unknown.
    """
    total = total_of(costs)
    return {
        "plan": design.plan.id,
        "seed": design.seed,
        "design_id": design.design_id,
        "imported_labels": {own.facet: own.vocabulary for own in foreign},
        "documents": design.documents,
        "slices": {name: own._asdict() for name, own in design.slices.items()},
        "cells": design.cells._asdict(),
        "specifications": design.specifications,
        "prompts_naming_a_label": design.naming,
        "generators": [
            {
                "name": own.generator.name,
                "writer": own.generator.writer,
                "model": own.generator.model,
                "base_url": own.generator.base_url,
                "documents": own.documents,
                "expected_tokens": own.expected and own.expected._asdict(),
                "worst_tokens": own.worst and own.worst._asdict(),
                **_cost_values(costs[own.generator.name]),
            }
            for own in design.generators
        ],
        "expected_usd": _usd(total.expected),
        "worst_usd": _usd(total.worst),
        "cost_unknown": list(total.unknown),
    }


def _cost_values(cost: Cost) -> dict[str, Any]:
    return {
        "cost": cost.status,
        "expected_usd": _usd(cost.expected),
        "worst_usd": _usd(cost.worst),
        "price": cost.price and cost.price.model_dump(mode="json"),
    }


def _usd(nanodollars: int | None) -> float | None:
    return None if nanodollars is None else nanodollars / 1e9


def _write_blocks(plan: Plan, taxonomy: Taxonomy, seed: int, folder: Path) -> None:
    for name in plan.slices:
        for block in blocks_of(name, plan, seed):
            file = write_block(folder, block, taxonomy)
            say(f"{file}: {counted(block.members, 'specification')}")
