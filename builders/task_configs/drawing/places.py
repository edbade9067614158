"""How many places each subject class has in pairs of one class and in pairs of two.

Were a class more frequent in the one kind than in the other, it would tell the kind of its pairs.
So both kinds are given places in the same proportion over the classes.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from builders.task_configs.drawing.hashed import Codes, Flags, HashStream
from builders.task_configs.drawing.quotas import shared_out, water_filled, within_half
from builders.task_configs.drawing.selection import matchable
from builders.task_configs.drawing.sides import Sides

SAME_CLASS = (0, 1, 2)
"""Strata whose pairs are of one class."""

OTHER_CLASS = (3, 4, 5, 6)
"""Strata whose pairs are of two classes."""


def number(quotas: Mapping[int, int], strata: tuple[int, ...]) -> int:
    """The sum of some strata's numbers."""
    return sum(quotas[stratum] for stratum in strata)


def class_sizes(sides: Sides, documents: Codes | Flags) -> Codes:
    """How many of the documents each class has, shape (classes,)."""
    return np.bincount(sides.lcc[documents], minlength=int(sides.lcc.max(initial=-1)) + 1)


def affordable(sides: Sides, wanted: int, shares: Mapping[int, int]) -> int:
    """How many of the wanted pairs the documents suffice for, each used once.

    Parameters
    ----------
    sides : Sides
        The split's documents.
    wanted : int
        Pairs of all strata.
    shares : mapping of int to int
        Share of every stratum.

    Returns
    -------
    int
        So many that each class has documents for whole pairs inside it and, in proportion, for
        pairs with other classes.
    """
    same, whole = number(shares, SAME_CLASS), sum(shares.values())
    sizes = class_sizes(sides, sides.lcc >= 0)
    if not same:
        return min(wanted, int(sizes.sum()) // 2)
    pairs = int((sizes * same // (2 * whole)).sum())
    total = min(wanted, pairs * whole // same)
    while number(shared_out(total, shares), SAME_CLASS) > pairs:
        total -= 1
    return total


def planned_places(
    sides: Sides, quotas: Mapping[int, int], stream: HashStream
) -> tuple[Codes, Codes]:
    """The places of each class.

    Parameters
    ----------
    sides : Sides
        The split's documents.
    quotas : mapping of int to int
        Pairs of each stratum, no more than `affordable` in sum.
    stream : HashStream
        Which classes get what does not divide evenly.

    Returns
    -------
    same, other : numpy.ndarray of int64, shape (classes,)
        Places in pairs of one class, by water-filling, and in pairs of two, in proportion.
    """
    same, other = number(quotas, SAME_CLASS), number(quotas, OTHER_CLASS)
    usable = sides.lcc >= 0
    sizes = class_sizes(sides, usable)
    if not same:
        return np.zeros_like(sizes), sizes
    capacity = np.minimum(
        matchable(sides.lcc, sides.group, usable, 1) // 2, sizes * same // (2 * (same + other))
    )
    if other:
        capacity = within_half(capacity)
    places = 2 * water_filled(capacity, same, stream)
    return places, np.minimum(sizes - places, -(-places * other // same))


def share_of(places: Codes, quota: int, whole: int) -> Codes:
    """The part of its places that a class is to have in one stratum: whole pairs, rounded up.

    Examples
    --------
    >>> share_of(np.array([10, 3, 0]), 1, 2).tolist()
    [6, 2, 0]
    """
    return -(-places * quota // max(2 * whole, 1)) * 2
