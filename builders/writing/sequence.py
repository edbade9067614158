"""In which order specifications are written: all blocks at the same pace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from builders.orders import Order
from builders.specifications.blocks import Block


class Steps:
    """Numbers the draws of all blocks, so that every block is always as far as the others.

    Where writing stops, each block is written to the same share of its length, and of every
    specification all generators' documents are there or none, but for the last few.

    Parameters
    ----------
    blocks : iterable of Block
        All of a plan.

    Examples
    --------
    >>> small, large = (Block("v0_4_core", n, n, size, None, ()) for n, size in enumerate((1, 3)))
    >>> steps = Steps([small, large])
    >>> [steps.step(large.id, drawn) for drawn in range(3)], steps.step(small.id, 0)
    ([0, 2, 3], 1)
    """

    def __init__(self, blocks: Iterable[Block]) -> None:
        own = list(blocks)
        self._sizes = [block.size for block in own]
        self._places = {block.id: place for place, block in enumerate(own)}

    def step(self, block_id: str, drawn: int) -> int:
        """How many draws come before one.

        Parameters
        ----------
        block_id : str
        drawn : int
            Its number in its block.
        """
        place = self._places[block_id]
        size = self._sizes[place]
        return sum(
            _before(other, size, drawn, ties=number < place) if number != place else drawn
            for number, other in enumerate(self._sizes)
        )

    def numbered(self, orders: Iterable[Order]) -> Iterator[tuple[int, Order]]:
        """Each order with its step; the two specifications of a pair are one draw."""
        for order in orders:
            drawn = order.number if order.pair_id is None else order.number // 2
            yield self.step(order.spec.block_id, drawn), order


def _before(other: int, size: int, drawn: int, *, ties: bool) -> int:
    """How many draws of a block of size `other` come before draw `drawn` of one of size `size`.

    Draw d of n stands at (2d + 1) / 2n of its block's length.
    """
    # (2x + 1) / (2 other) < (2 drawn + 1) / (2 size), solved for x.
    top, bottom = (2 * drawn + 1) * other - size, 2 * size
    count = top // bottom + 1 if ties else -(-top // bottom)
    return min(max(count, 0), other)
