"""Pairs of two labels in which every document stands equally often on both sides of the label.

A set of documents is chosen, each of which stands in exactly `u` positive and `u` negative pairs.
So neither a document nor how often it is used says anything of a pair's label.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from builders.task_configs.drawing.hashed import Codes, Flags, Hashes, HashStream
from builders.task_configs.drawing.quotas import water_filled, within_half
from builders.task_configs.drawing.record import (
    Conflict,
    Drawn,
    Pairs,
    left_out,
    no_pairs,
    recorded,
)
from builders.task_configs.drawing.regular import regular_pairs
from builders.task_configs.drawing.selection import chosen, matchable
from builders.task_configs.drawing.sides import Sides

# After so many sets of documents that could not be paired, smaller sets are tried.
_TRIES = 20

# (documents, uses, stream) -> pairs, and which of them are wrong.
Negatives = Callable[[Codes, int, HashStream], tuple[Pairs, Flags]]


def matched_pairs(sides: Sides, *, wanted: int, cap: int = 8, seed: int, key: str) -> Drawn:
    """Draw pairs of equal and of different labels.

    Parameters
    ----------
    sides : Sides
        The split's documents, with `label`. A document without a label is not used.
    wanted : int
        Pairs, half of them positive.
    cap : int
        In how many pairs a document may stand, half of them positive; 2 at least.
    seed : int
        The build's seed.
    key : str
        What is drawn: config and split.

    Returns
    -------
    Drawn
        Level 1 where the labels are equal, 0 where they differ. Each document is in `u` pairs of
        either level, `u` being as small as gives the wanted number. The labels have equal numbers
        of positive pairs as far as their documents and groups allow; negative pairs are a random
        matching of the same documents.

    Raises
    ------
    ValueError
        If `sides` has no label.

    Examples
    --------
    >>> from builders.task_configs.drawing.sides import sides_of
    >>> sides = sides_of(
    ...     group=[None] * 8, lcc=["A", "B"] * 4, form=[None] * 8, category=[None] * 8,
    ...     topics=[[]] * 8, label=["A", "B"] * 4,
    ... )
    >>> pairs = matched_pairs(sides, wanted=8, seed=42, key="test")
    >>> sorted(pairs.level.tolist()), pairs.fewest_uses, pairs.most_uses
    ([0, 0, 0, 0, 1, 1, 1, 1], 2, 2)
    """
    if sides.label is None:
        raise ValueError("the sides have no label")
    label = sides.label

    def conflict(first: Codes, second: Codes) -> Flags:
        same: Flags = label[first] == label[second]
        return same | sides.same_group(first, second)

    return draw_matched(
        sides,
        label,
        negatives=random_negatives(conflict),
        wanted=wanted,
        cap=cap,
        stream=HashStream(seed, key, "matched pairs"),
        named="label",
        notes=left_out(label < 0, "have no label"),
    )


def random_negatives(conflict: Conflict) -> Negatives:
    """Negative pairs by random matching."""

    def pairs(documents: Codes, uses: int, stream: HashStream) -> tuple[Pairs, Flags]:
        return regular_pairs(documents, np.zeros_like(documents), uses, conflict, stream)

    return pairs


def draw_matched(
    sides: Sides,
    classes: Codes,
    *,
    negatives: Negatives,
    wanted: int,
    cap: int,
    stream: HashStream,
    named: str,
    notes: Sequence[str],
    most_documents: int | None = None,
) -> Drawn:
    """Draw positive pairs inside classes and, of the same documents, negative pairs.

    Parameters
    ----------
    sides : Sides
        The split's documents.
    classes : numpy.ndarray of int64, shape (n,)
        Two documents of a class make a positive pair; -1 is not used.
    negatives : callable
        Pairs documents so that each stands in as many pairs as it is told.
    wanted, cap
        As in `matched_pairs`.
    stream : HashStream
        Of all draws.
    named : str
        What a class is called where a shortfall is explained.
    notes : sequence of str
        For the record.
    most_documents : int or None
        The most documents that may be used.

    Returns
    -------
    Drawn

    Raises
    ------
    ValueError
        If `wanted` is negative or `cap` below 2.
    """
    if wanted < 0 or cap < 2:
        raise ValueError("wanted must not be negative and cap must be at least 2")
    half = wanted // 2
    sizes = {
        uses: _most_documents(sides, classes, half, uses, most_documents)
        for uses in range(1, cap // 2 + 1)
    }
    best = _Matching(no_pairs(), no_pairs(), 1)
    for uses in sorted(sizes, key=lambda uses: (-uses * sizes[uses], uses)):
        if len(best.positive) >= uses * sizes[uses] // 2:
            break
        found = _matching(sides, classes, negatives, sizes[uses], uses, stream)
        best = max(best, found, key=lambda matching: len(matching.positive))
    reason = _reason(sides, classes, best, named, half, cap, most_documents)
    return recorded(
        {0: best.negative, 1: best.positive},
        wanted={0: half, 1: wanted - half},
        reasons={0: reason, 1: reason},
        classes=classes,
        cap=cap,
        stream=stream,
        notes=notes,
    )


class _Matching(NamedTuple):
    positive: Pairs
    negative: Pairs
    uses: int


def _most_documents(
    sides: Sides, classes: Codes, half: int, uses: int, most_documents: int | None
) -> int:
    """How many documents there are to pair, no more than are needed; an even number."""
    capacity = within_half(matchable(classes, sides.group, classes >= 0, uses))
    needed = 2 * half // uses if most_documents is None else min(2 * half // uses, most_documents)
    return min(int(capacity.sum()), needed) // 2 * 2


def _matching(
    sides: Sides,
    classes: Codes,
    negatives: Negatives,
    size: int,
    uses: int,
    stream: HashStream,
) -> _Matching:
    """Pair `size` documents, or fewer where some cannot be paired.

    Where pairs are wrong that no swap mends, one document of each is left out for good, the one
    whose group is larger, and others are chosen.
    """
    eligible = classes >= 0
    hashes = stream.hashes(len(sides))
    tries = 0
    while size:
        tries += 1
        if tries > _TRIES:
            size = size * 9 // 20 * 2
        documents = _choice(sides, classes, eligible, size, uses, hashes, stream)
        if not len(documents):
            break
        positive, wrong = regular_pairs(
            documents, classes[documents], uses, sides.same_group, stream
        )
        offending = positive.where(wrong)
        if not len(offending):
            negative, wrong = negatives(documents, uses, stream)
            offending = negative.where(wrong)
            if not len(offending):
                return _Matching(positive, negative, uses)
        eligible[_of_larger_group(offending, sides.group, documents)] = False
    return _Matching(no_pairs(), no_pairs(), uses)


def _choice(
    sides: Sides,
    classes: Codes,
    eligible: Flags,
    size: int,
    uses: int,
    hashes: Hashes,
    stream: HashStream,
) -> Codes:
    """Documents to be paired: as many of each class as can be."""
    capacity = within_half(matchable(classes, sides.group, eligible, uses))
    quotas = 2 * water_filled(capacity // 2, size // 2, stream)
    return chosen(classes, sides.group, eligible, within_half(quotas), uses, hashes)


def _of_larger_group(pairs: Pairs, groups: Codes, documents: Codes) -> Codes:
    sizes = np.bincount(groups[documents])
    first_larger = sizes[groups[pairs.first]] > sizes[groups[pairs.second]]
    return np.where(first_larger, pairs.first, pairs.second)


def _reason(
    sides: Sides,
    classes: Codes,
    best: _Matching,
    named: str,
    half: int,
    cap: int,
    most_documents: int | None,
) -> str:
    """Why fewer pairs than wanted were drawn, if they were."""
    usable = classes >= 0
    if not usable.any():
        return f"no document has a {named} that can be used"
    if len(np.unique(classes[usable])) < 2:
        return f"all documents have the same {named}"
    used = len(np.unique(best.positive.documents))
    alike = f"{used} documents stand in {best.uses} pairs of either kind each"
    if used and used == 2 * half // best.uses // 2 * 2:
        return f"{alike}; for the rest no even number of documents would do"
    values = int((matchable(classes, sides.group, usable, 1) > 0).sum())
    if values < 2:
        return f"documents of two groups are known of {values} values of {named}, of two needed"
    limit = "" if most_documents is None else f", at most {most_documents} documents"
    return (
        f"{alike}; no more could be paired equally often with documents of other groups "
        f"(at most {cap // 2} pairs of a kind each{limit})"
    )
