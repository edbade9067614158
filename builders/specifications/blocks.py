"""Which blocks a slice has, and what stands in each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from builders.draws import Draws
from builders.specifications.drawing import draw_block
from builders.specifications.minimal_pairs import axis_of, counterpart
from builders.specifications.specification import Specification
from evaluate_shelf.registry.generation import Plan, SliceName
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.taxonomy import Taxonomy

PAIRED: SliceName = "v0_4_minimal_pairs"
"""The slice of minimal pairs."""

# How the blocks of each slice are called; each has its own seed.
_NAMES: dict[SliceName, str] = {
    "default": "default",
    "v0_4_core": "block",
    "v0_4_supplement": "supplement",
    "v0_4_minimal_pairs": "minimal-pairs",
    "v0_4_holdout": "holdout",
    "sample": "sample",
}


class Block(NamedTuple):
    """Specifications that are drawn with one seed.

    Attributes
    ----------
    slice : str
        The config that it belongs to.
    number : int
        Of the block in its slice.
    seed : int
        Of its draws.
    size : int
        How many specifications, or pairs of them, are drawn.
    lengths : tuple of str or None
        What target lengths are drawn from; None: all.
    variants : tuple of str
        What prompt variants are drawn from; none for a writer that takes no prompt.
    """

    slice: SliceName
    number: int
    seed: int
    size: int
    lengths: tuple[str, ...] | None
    variants: tuple[str, ...]

    @property
    def id(self) -> str:
        """Its name, with number and seed, as in the published data."""
        return f"{_NAMES[self.slice]}-{self.number:02d}-seed{self.seed}"

    @property
    def members(self) -> int:
        """How many specifications stand in it; a pair has two."""
        return self.size * (2 if self.slice == PAIRED else 1)


class Member(NamedTuple):
    """A specification in its block.

    Attributes
    ----------
    number : int
        Its place in the block.
    spec : Specification
    pair_id, pair_role, pair_axis : str or None
        Of a minimal pair: its name, `a` or `b`, and what its two documents differ in.
    """

    number: int
    spec: Specification
    pair_id: str | None = None
    pair_role: str | None = None
    pair_axis: str | None = None

    @property
    def drawn(self) -> int:
        """Number of its draw in the block: the two of a pair share it."""
        return self.number if self.pair_id is None else self.number // 2


def blocks_of(name: str, plan: Plan, seed: int) -> tuple[Block, ...]:
    """The blocks of a slice.

    Parameters
    ----------
    name : str
        One of the plan's slices.
    plan : Plan
        How many blocks, and of what size.
    seed : int
        Of the first block; the others count up from it.

    Raises
    ------
    ShelfError
        If the plan has no such slice.

    Examples
    --------
    >>> from evaluate_shelf.registry.generation import load_plan
    >>> [block.id for block in blocks_of("v0_4_core", load_plan("standard"), 42)]
    ['block-00-seed42', 'block-01-seed43', 'block-02-seed44']
    """
    own = found({str(key): value for key, value in plan.slices.items()}, name, "slice of the plan")
    variants = plan.prompts.variants if plan.prompts else ()
    return tuple(
        Block(
            name,  # type: ignore[arg-type]
            index,
            seed + index,
            own.specifications,
            plan.lengths,
            variants,
        )
        for index in range(own.blocks)
    )


def members_of(block: Block, taxonomy: Taxonomy) -> Iterator[Member]:
    """Draw what stands in a block.

    Parameters
    ----------
    block : Block
    taxonomy : Taxonomy
        What is drawn from.

    Yields
    ------
    Member
        In the order in which they are drawn, each different from those before it; the two of a
        minimal pair one after the other.

    Raises
    ------
    ShelfError
        If the taxonomy has not so many different specifications.
    """
    drawn = draw_block(
        taxonomy,
        block_id=block.id,
        seed=block.seed,
        size=block.size,
        lengths=block.lengths,
        variants=block.variants,
    )
    for number, spec in enumerate(drawn):
        if block.slice != PAIRED:
            yield Member(number, spec)
            continue
        pair, axis = f"{_NAMES[PAIRED]}-{block.number:02d}-pair-{number:05d}", axis_of(number)
        other = counterpart(spec, axis, taxonomy, Draws(block.seed, block.id, number, "pair"))
        yield Member(2 * number, spec, pair, "a", axis)
        yield Member(2 * number + 1, other, pair, "b", axis)
