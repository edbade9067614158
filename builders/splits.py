"""Splits 60/20/20 that no group straddles."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.manifest import Split

# Dealt in turn to the groups of a class: of five, three train, one validates, one tests. Train
# and test come first, so that a class with two groups has both.
_TURNS: tuple[Split, ...] = ("train", "test", "train", "validation", "train")


class Member(NamedTuple):
    """What a row's split depends on.

    Attributes
    ----------
    group : str
        Rows of one group lie in one split.
    label : str
        Class that every split has to hold.
    stratum : str
        Finer label over which the splits are spread as well.
    """

    group: str
    label: str
    stratum: str


def grouped_splits(members: Sequence[Member], *, seed: int) -> list[Split]:
    """Assign a split to each row.

    The groups of a class are ordered by stratum and, within it, by a hash of seed and group, and
    dealt out in turn, so that class and stratum are spread evenly over the splits. A group's
    class and stratum are the smallest of its rows.

    Parameters
    ----------
    members : sequence of Member
        One a row.
    seed : int
        Another seed deals the groups in another order.

    Returns
    -------
    list of {'train', 'validation', 'test'}
        One a row.

    Raises
    ------
    ShelfError
        If a class has fewer than two groups: it cannot stand in train and test.

    Examples
    --------
    >>> rows = [Member(f"g{number}", "A", "x") for number in range(5)]
    >>> sorted(grouped_splits(rows, seed=42))
    ['test', 'train', 'train', 'train', 'validation']
    """
    by_label: dict[str, list[Member]] = {}
    for member in _one_a_group(members):
        by_label.setdefault(member.label, []).append(member)
    split_of: dict[str, Split] = {}
    for label, groups in by_label.items():
        if len(groups) < 2:
            raise ShelfError(f"class {label!r} has one group; at least two are needed for a split")
        ordered = sorted(groups, key=lambda member: (member.stratum, _hash(seed, member.group)))
        # Each class begins at another place, or a stratum would stand at the same turns in all.
        start = int.from_bytes(_hash(seed, label), "big") % len(ordered)
        for position, member in enumerate([*ordered[start:], *ordered[:start]]):
            split_of[member.group] = _TURNS[position % len(_TURNS)]
    return [split_of[member.group] for member in members]


def thin_labels(members: Sequence[Member]) -> list[str]:
    """Classes with fewer than two groups, which a corpus drops by name."""
    thin: set[str] = set()
    while True:
        # Without a thin class, a group of several classes counts for another one.
        left = [member for member in members if member.label not in thin]
        groups = Counter(member.label for member in _one_a_group(left))
        more = {member.label for member in left if groups[member.label] < 2}
        if not more:
            return sorted(thin)
        thin |= more


def _one_a_group(members: Sequence[Member]) -> list[Member]:
    """A member of each group: the smallest, whatever the order of the rows."""
    smallest: dict[str, Member] = {}
    for member in members:
        smallest[member.group] = min(member, smallest.get(member.group, member))
    return list(smallest.values())


def _hash(seed: int, group: str) -> bytes:
    return hashlib.sha256(f"{seed}\x1f{group}".encode()).digest()
