"""What is to be written for a slice: specifications, and who writes each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from builders.draws import Draws
from builders.specifications import Specification, draw_block, with_other_class, with_other_form
from evaluate_shelf.registry.generation import SlicePlan
from evaluate_shelf.registry.taxonomy import Taxonomy

# How the blocks of each slice are called; each has its own seed.
_BLOCK_NAMES = {
    "default": "default",
    "v0_4_core": "block",
    "v0_4_supplement": "supplement",
    "v0_4_minimal_pairs": "minimal-pairs",
    "v0_4_holdout": "holdout",
}


class Assignment(NamedTuple):
    """One document that is to be written.

    Attributes
    ----------
    number : int
        Of the document in its block; documents of one specification share it.
    spec : Specification
        What to write.
    style : str
        Who writes it.
    pair_id, pair_role, pair_axis : str or None
        Of a minimal pair: its name, `a` or `b`, and what its two documents differ in.
    """

    number: int
    spec: Specification
    style: str
    pair_id: str | None = None
    pair_role: str | None = None
    pair_axis: str | None = None


def assignments(name: str, plan: SlicePlan, taxonomy: Taxonomy, seed: int) -> Iterator[Assignment]:
    """Every document of a slice, in the order of its blocks.

    Parameters
    ----------
    name : str
        The slice's config. The two specifications of a minimal pair differ in form (and its
        category) or in class, by turns, and in nothing else; one style writes both.
    plan : SlicePlan
        How many, and who writes.
    taxonomy : Taxonomy
        What is drawn from.
    seed : int
        Of the first block; the others count up from it.

    Yields
    ------
    Assignment
        As many as the plan says.

    Examples
    --------
    >>> from evaluate_shelf.registry.generation import load_plan
    >>> from evaluate_shelf.registry.taxonomy import load_taxonomy
    >>> own = load_plan("standard").slices["v0_4_minimal_pairs"]
    >>> first, second, *_ = assignments("v0_4_minimal_pairs", own, load_taxonomy(), 42)
    >>> first.pair_id, first.pair_axis, first.spec.lcc_code == second.spec.lcc_code
    ('minimal-pairs-00-pair-00000', 'form', True)
    """
    for index in range(plan.blocks):
        own_seed = seed + index
        block_id = f"{_BLOCK_NAMES[name]}-{index:02d}-seed{own_seed}"
        block = draw_block(taxonomy, block_id=block_id, seed=own_seed, size=plan.specifications)
        for number, spec in enumerate(block):
            draws = Draws(own_seed, block_id, "writing", number)
            styles = plan.styles
            if plan.shares is not None:
                styles = (draws.weighted(plan.styles, plan.shares),)
            for style in styles:
                if name == "v0_4_minimal_pairs":
                    pair_id = f"{_BLOCK_NAMES[name]}-{index:02d}-pair-{number:05d}"
                    yield from _minimal_pair(pair_id, number, spec, style, taxonomy, draws)
                else:
                    yield Assignment(number, spec, style)


def _minimal_pair(
    pair_id: str,
    number: int,
    spec: Specification,
    style: str,
    taxonomy: Taxonomy,
    draws: Draws,
) -> Iterator[Assignment]:
    axis = "subject" if number % 2 else "form"
    changed = with_other_class if axis == "subject" else with_other_form
    yield Assignment(2 * number, spec, style, pair_id, "a", axis)
    yield Assignment(2 * number + 1, changed(spec, taxonomy, draws), style, pair_id, "b", axis)
