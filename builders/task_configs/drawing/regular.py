"""Pairs in which every document stands equally often, by random swaps.

Each document is written down as often as it is to be used, the list is shuffled and cut into
pairs. Pairs that may not be are then mended by swaps with others: from (a, b) and (c, d) to
(a, d) and (c, b). A swap changes no document's number of uses, so that the uses stay exactly
equal whatever happens.
"""

from __future__ import annotations

from itertools import count

import numpy as np

from builders.task_configs.drawing.hashed import Codes, Flags, HashStream
from builders.task_configs.drawing.record import Conflict, Pairs
from builders.task_configs.drawing.runs import occurrences

# Rounds over wrong pairs without fewer getting wrong: when every swap of a pair is looked at, and
# when it is given up.
_STUCK = 20
_HOPELESS = 70


def regular_pairs(
    documents: Codes, blocks: Codes, uses: int, conflict: Conflict, stream: HashStream
) -> tuple[Pairs, Flags]:
    """Pair documents inside their blocks so that each stands in `uses` pairs.

    Parameters
    ----------
    documents : numpy.ndarray of int64, shape (k,)
        Positions.
    blocks : numpy.ndarray of int64, shape (k,)
        Block of each document. The places of a block, documents times uses, are even in number.
    uses : int
        Pairs of each document.
    conflict : callable
        Says of arrays of first and second documents which pairs may not be. It must hold for a
        document with itself.
    stream : HashStream
        Of the draws.

    Returns
    -------
    pairs : Pairs
        No order that says anything.
    wrong : numpy.ndarray of bool, shape (pairs,)
        Pairs that may not be, or that are there already, and could not be mended.
    """
    places = np.repeat(np.arange(len(documents)), uses)
    places = places[np.lexsort((stream.hashes(len(places)), blocks[places]))]
    stubs = documents[places]
    graph = _Graph(Pairs(stubs[0::2], stubs[1::2]), blocks[places][0::2], uses, conflict, stream)
    graph.mend()
    return graph.pairs()


def mended(
    pairs: Pairs, blocks: Codes, uses: int, conflict: Conflict, stream: HashStream
) -> tuple[Pairs, Flags]:
    """Mend wrong pairs by swaps with other pairs of their block, and touch no others.

    Parameters
    ----------
    pairs : Pairs
        Some of which may not be.
    blocks : numpy.ndarray of int64, shape (pairs,)
        Block of each pair, in rising order.
    uses, conflict, stream
        As in `regular_pairs`.

    Returns
    -------
    pairs : Pairs
    wrong : numpy.ndarray of bool, shape (pairs,)
        As from `regular_pairs`.
    """
    graph = _Graph(pairs, blocks, uses, conflict, stream)
    graph.mend()
    return graph.pairs()


class _Graph:
    """Pairs under change. Pair number p holds the documents at the ends 2p and 2p + 1."""

    def __init__(
        self, pairs: Pairs, blocks: Codes, uses: int, conflict: Conflict, stream: HashStream
    ) -> None:
        self._ends = np.column_stack([pairs.first, pairs.second]).ravel()
        self._blocks, self._conflict, self._stream = blocks, conflict, stream
        # With one use of each document no pair can come twice.
        self._may_repeat = uses > 1
        self._start = np.searchsorted(blocks, blocks, side="left")
        self._size = np.searchsorted(blocks, blocks, side="right") - self._start
        self._span = int(self._ends.max(initial=0)) + 1
        self._conflicting = conflict(pairs.first, pairs.second)

    def pairs(self) -> tuple[Pairs, Flags]:
        """The pairs, and which of them are wrong."""
        return Pairs(self._ends[0::2], self._ends[1::2]), self._wrong()

    def mend(self) -> None:
        """Try swaps for the wrong pairs until none is left or no fewer get wrong."""
        fewest, waited = 2 * len(self._blocks) + 1, 0
        for number in count():
            wrong = np.flatnonzero(self._wrong())
            fewer = len(wrong) < fewest - fewest // 50
            fewest, waited = (len(wrong), 0) if fewer else (fewest, waited + 1)
            if not len(wrong) or waited > _HOPELESS:
                return
            if waited > _STUCK:
                self._swap_best(int(wrong[self._one_of(len(wrong))]))
            elif number % 2:
                # Two wrong pairs may mend each other where no right one can.
                self._swap_among(wrong)
            else:
                self._swap_with_any(wrong)

    def _swap_among(self, pairs: Codes) -> None:
        """Try to swap pairs in twos of the same block."""
        order = pairs[np.lexsort((self._stream.hashes(len(pairs)), self._blocks[pairs]))]
        place = occurrences(self._blocks[order])
        left = np.flatnonzero((place[:-1] % 2 == 0) & (place[1:] % 2 == 1))
        self._swap(order[left], order[left + 1])

    def _swap_with_any(self, pairs: Codes) -> None:
        """Try to swap each pair with a random one of its block."""
        pairs = pairs[self._stream.order(len(pairs))]
        other = self._start[pairs] + self._stream.below(self._size[pairs])
        # A pair takes part in one swap, the first that names it.
        named = np.column_stack([pairs, other]).ravel()
        first = np.zeros(len(named), dtype=np.bool_)
        first[np.unique(named, return_index=True)[1]] = True
        free = first[0::2] & first[1::2]
        self._swap(pairs[free], other[free])

    def _swap_best(self, pair: int) -> None:
        """Make the best swap of a pair, a random one among equals, if it makes no more wrong."""
        start, size = int(self._start[pair]), int(self._size[pair])
        ends = np.arange(2 * start, 2 * (start + size))
        ends = ends[ends // 2 != pair]
        if not len(ends):
            return
        pairs = np.full(len(ends), pair)
        gains = self._gains(pairs, ends, together=False)
        best = np.flatnonzero(gains == gains.max())
        if gains.max() >= 0:
            end = ends[best[self._one_of(len(best))]]
            self._make(np.array([pair]), np.array([end]))

    def _swap(self, left: Codes, right: Codes) -> None:
        """Swap a document between two pairs each, unless more would be wrong than before."""
        ends = 2 * right + self._stream.coins(len(right))
        fine = self._gains(left, ends) >= 0
        self._make(left[fine], ends[fine])

    def _make(self, pairs: Codes, ends: Codes) -> None:
        """Exchange the second document of each pair for the one at an end of another."""
        ends_of = self._ends
        ends_of[2 * pairs + 1], ends_of[ends] = ends_of[ends], ends_of[2 * pairs + 1]
        changed = np.concatenate([pairs, ends // 2])
        self._conflicting[changed] = self._conflict(ends_of[2 * changed], ends_of[2 * changed + 1])

    def _gains(self, pairs: Codes, ends: Codes, *, together: bool = True) -> Codes:
        """How many fewer pairs would be wrong after each swap.

        `together` says that the swaps would all be made, so that no two may make the same pair.
        """
        kept, given = self._ends[2 * pairs], self._ends[2 * pairs + 1]
        gotten, left = self._ends[ends], self._ends[ends ^ 1]
        first, second = np.concatenate([kept, given]), np.concatenate([gotten, left])
        wrong = self._conflict(first, second) | self._clashes(first, second, together)
        now = self._wrong() if self._may_repeat else self._conflicting
        before = now[pairs].astype(np.int64) + now[ends // 2]
        return before - wrong[: len(pairs)] - wrong[len(pairs) :]

    def _wrong(self) -> Flags:
        if not self._may_repeat:
            return self._conflicting.copy()
        keys = self._keys(self._ends[0::2], self._ends[1::2])
        again = np.ones(len(keys), dtype=np.bool_)
        again[np.unique(keys, return_index=True)[1]] = False
        return self._conflicting | again

    def _clashes(self, first: Codes, second: Codes, together: bool) -> Flags:
        """Whether new pairs are there already or, if made together, are made twice."""
        if not self._may_repeat or not len(first):
            return np.zeros(len(first), dtype=np.bool_)
        new = self._keys(first, second)
        present = np.sort(self._keys(self._ends[0::2], self._ends[1::2]))
        found = np.minimum(np.searchsorted(present, new), len(present) - 1)
        clash: Flags = present[found] == new
        if together:
            _, inverse, counts = np.unique(new, return_inverse=True, return_counts=True)
            clash |= counts[inverse] > 1
        return clash

    def _keys(self, first: Codes, second: Codes) -> Codes:
        """A number for each unordered pair."""
        return np.minimum(first, second) * self._span + np.maximum(first, second)

    def _one_of(self, n: int) -> int:
        return int(self._stream.below(np.array([n]))[0])
