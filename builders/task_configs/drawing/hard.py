"""Pairs of one class and pairs of two whose texts have many words in common.

No model chooses the negative pairs: they are near by the words that both texts hold.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from builders.task_configs.drawing.hashed import Codes, Flags, HashStream
from builders.task_configs.drawing.lexical import Overlaps
from builders.task_configs.drawing.matched import draw_matched
from builders.task_configs.drawing.record import Conflict, Drawn, Pairs, joined, left_out, no_pairs
from builders.task_configs.drawing.regular import mended
from builders.task_configs.drawing.sides import Sides

# Partners that are looked at for each document, and how often for those that found none.
_NEIGHBOURS = 50
_PASSES = 8


def hard_negative_pairs(
    sides: Sides,
    read: Callable[[Codes], Sequence[str]],
    *,
    wanted: int,
    cap: int = 8,
    most_documents: int = 5000,
    seed: int,
    key: str,
) -> Drawn:
    """Draw pairs of one subject class and lexically near pairs of two.

    Parameters
    ----------
    sides : Sides
        The split's documents. One without a class is not used.
    read : callable
        From positions, an array of at most 256, to their texts. Only documents that are used are
        read.
    wanted : int
        Pairs, half of them positive.
    cap : int
        In how many pairs a document may stand, half of them positive; 2 at least.
    most_documents : int
        How many documents are used at most, since all of them are compared with all others.
    seed : int
        The build's seed.
    key : str
        What is drawn: config and split.

    Returns
    -------
    Drawn
        As from `matched_pairs`: level 1 where the classes are equal, each document in `u` pairs
        of either level. `similarity` is the lexical overlap of each pair, positive ones too, in
        millionths. A note says how many of the negative pairs are not near.

    Raises
    ------
    ValueError
        If `wanted` is negative, `cap` below 2, or `read` gives another number of texts.
    """
    stream = HashStream(seed, key, "hard negative pairs")
    negatives = NearNegatives(sides, read)
    drawn = draw_matched(
        sides,
        sides.lcc,
        negatives=negatives,
        wanted=wanted,
        cap=cap,
        stream=stream,
        named="class",
        notes=left_out(sides.lcc < 0, "have no class"),
        most_documents=most_documents,
    )
    if not len(drawn.first):
        return drawn
    pairs = Pairs(drawn.first, drawn.second)
    negative = pairs.where(drawn.level == 0)
    return replace(
        drawn,
        similarity=negatives.overlap_of(pairs),
        notes=(*drawn.notes, _note(negatives.random_of(negative), len(negative))),
    )


def _note(random: int, negative: int) -> str:
    return (
        f"{random} of {negative} negative pairs are random, for want of a near document with a "
        f"place left; the others are among the {_NEIGHBOURS} nearest of those that had one"
    )


class NearNegatives:
    """Negative pairs by a greedy matching of near neighbours.

    What is known of a matching is kept, since the last one need not be the one that is taken.
    """

    def __init__(self, sides: Sides, read: Callable[[Codes], Sequence[str]]) -> None:
        self._sides, self._read = sides, read
        self._random: dict[bytes, int] = {}
        self._compare(np.empty(0, dtype=np.int64))

    def __call__(self, documents: Codes, uses: int, stream: HashStream) -> tuple[Pairs, Flags]:
        """Pair documents so that each stands in `uses` pairs; says which pairs are wrong."""
        self._compare(np.sort(documents))
        left = np.full(len(documents), uses, dtype=np.int64)
        near = no_pairs()
        for _ in range(_PASSES):
            rows = np.flatnonzero(left)
            if len(rows) < 2:
                break
            conflict = self._conflict_or(_among(near, len(documents)))
            pairs, _ = self._overlaps.nearest(rows, _NEIGHBOURS, conflict, stream)
            found = pairs.where(_greedy(pairs, left))
            if not len(found):
                break
            near = joined([near, found])
        # Whoever found no neighbour with a place left is paired at random.
        rest = np.repeat(np.arange(len(left)), left)
        rest = rest[stream.order(len(rest))]
        every = joined([near, Pairs(rest[0::2], rest[1::2])])
        every, wrong = mended(every, np.zeros_like(every.first), uses, self._conflict, stream)
        random = ~_among(near, len(documents))(every.first, every.second)
        pairs = Pairs(self._documents[every.first], self._documents[every.second])
        self._random[_name(pairs)] = int(random.sum())
        return pairs, wrong

    def random_of(self, pairs: Pairs) -> int:
        """How many of the pairs of a matching are not near."""
        return self._random[_name(pairs)]

    def overlap_of(self, pairs: Pairs) -> Codes:
        """The overlap of each pair, among all documents of the pairs."""
        documents = np.unique(pairs.documents)
        if not np.array_equal(documents, self._documents):
            self._compare(documents)
        return self._overlaps.of(
            Pairs(np.searchsorted(documents, pairs.first), np.searchsorted(documents, pairs.second))
        )

    def _compare(self, documents: Codes) -> None:
        self._documents = documents
        self._overlaps = Overlaps(self._read, documents)

    def _conflict_or(self, taken: Conflict) -> Conflict:
        return lambda first, second: self._conflict(first, second) | taken(first, second)

    def _conflict(self, first: Codes, second: Codes) -> Flags:
        one, other = self._documents[first], self._documents[second]
        same: Flags = self._sides.lcc[one] == self._sides.lcc[other]
        return same | self._sides.same_group(one, other)


def _greedy(pairs: Pairs, left: Codes) -> Codes:
    """Take pairs in their order while both rows have places left; counts `left` down."""
    places = left.tolist()
    taken = []
    for number, (first, second) in enumerate(
        zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    ):
        if places[first] and places[second]:
            places[first] -= 1
            places[second] -= 1
            taken.append(number)
    left[:] = places
    return np.array(taken, dtype=np.int64)


def _name(pairs: Pairs) -> bytes:
    """The same for the same pairs in any order and orientation."""
    low = np.minimum(pairs.first, pairs.second)
    high = np.maximum(pairs.first, pairs.second)
    order = np.lexsort((high, low))
    return hashlib.sha256(low[order].tobytes() + high[order].tobytes()).digest()


def _among(pairs: Pairs, rows: int) -> Conflict:
    """Says which pairs are among these, in either order."""
    keys = np.sort(_keys(pairs.first, pairs.second, rows))

    def among(first: Codes, second: Codes) -> Flags:
        if not len(keys):
            return np.zeros(len(first), dtype=np.bool_)
        key = _keys(first, second, rows)
        found: Flags = keys[np.minimum(np.searchsorted(keys, key), len(keys) - 1)] == key
        return found

    return among


def _keys(first: Codes, second: Codes, rows: int) -> Codes:
    """A number for each unordered pair."""
    return np.minimum(first, second) * rows + np.maximum(first, second)
