"""Pairs by the number of topics that two documents share."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from builders.task_configs.drawing.buckets import Budget, bucket_pairs
from builders.task_configs.drawing.hashed import Codes, Flags, HashStream
from builders.task_configs.drawing.quotas import in_proportion, shared_out
from builders.task_configs.drawing.record import Drawn, Pairs, joined, left_out, recorded
from builders.task_configs.drawing.scattered import scattered_pairs
from builders.task_configs.drawing.sides import Sides

OVERLAP_SHARES: Mapping[int, int] = MappingProxyType({0: 40, 1: 30, 2: 20, 3: 10})
"""Per cent of the pairs at each level; level 3 is three or more shared topics."""

_MANY = 3

# Documents with more topics than these are alike to a draw.
_LAST = 8


def topic_overlap_pairs(
    sides: Sides,
    *,
    wanted: int,
    shares: Mapping[int, int] = OVERLAP_SHARES,
    fewest_topics: int | None = None,
    seed: int,
    key: str,
) -> Drawn:
    """Draw pairs at each level of topic overlap, every document at most once.

    Parameters
    ----------
    sides : Sides
        The split's documents.
    wanted : int
        Pairs of all levels.
    shares : mapping of int to int
        Shares of the levels 0, 1, 2 (that many shared topics) and 3 (three or more).
    fewest_topics : int or None
        Documents with fewer topics are not used: one with a single topic would tell that its pair
        shares no two. None: 3 where that leaves documents enough, else 2, else 1.
    seed : int
        The build's seed.
    key : str
        What is drawn: config and split.

    Returns
    -------
    Drawn
        The highest level, which is the rarest, is filled first. Where the documents do not suffice
        for all pairs, all levels are cut in proportion; where a level cannot be filled, it stays
        short. Documents with few and with many topics are as frequent in one level as in another,
        as far as they can be. The record counts subject classes.

    Raises
    ------
    ValueError
        If `wanted` is negative or `fewest_topics` below 1.
    """
    if wanted < 0 or (fewest_topics is not None and fewest_topics < 1):
        raise ValueError("wanted must not be negative and fewest_topics must be at least 1")
    stream = HashStream(seed, key, "topic overlap pairs")
    counts = sides.topics.counts
    fewest = fewest_topics or _most_that_suffice(counts, wanted)
    free = counts >= fewest
    usable = int(free.sum())
    full = shared_out(wanted, shares)
    quotas = shared_out(min(wanted, usable // 2), shares)
    pairs: dict[int, Pairs] = {}
    for level in sorted(quotas, reverse=True):
        pairs[level] = _level_pairs(sides, level, quotas[level], free, stream)
    return recorded(
        pairs,
        wanted=full,
        reasons={
            level: _reason(quotas[level], full[level], len(pairs[level]), level, usable, fewest)
            for level in full
        },
        classes=sides.lcc,
        cap=1,
        stream=stream,
        notes=left_out(counts < fewest, f"have fewer than {fewest} topics"),
    )


def _most_that_suffice(counts: Codes, wanted: int) -> int:
    return next((few for few in (_MANY, 2) if int((counts >= few).sum()) >= 2 * wanted), 1)


def _level_pairs(sides: Sides, level: int, quota: int, free: Flags, stream: HashStream) -> Pairs:
    def conflict(first: Codes, second: Codes) -> Flags:
        other: Flags = np.minimum(sides.topics.shared(first, second), _MANY) != level
        return other | sides.same_group(first, second)

    if level == 0:
        return scattered_pairs(free, conflict=conflict, quota=quota, stream=stream)
    keys, documents = sides.topics.subsets(level, np.flatnonzero(free))
    # As many of each number of topics as there are left of it, among those that are enough.
    numbers = np.minimum(sides.topics.counts, _LAST)
    able = np.bincount(numbers[free], minlength=_LAST + 1)
    able[:level] = 0
    limits = Budget(numbers, in_proportion(able, 2 * quota))
    parts: list[Pairs] = []
    for budget in (limits, None):
        parts.append(
            bucket_pairs(
                keys,
                documents,
                free=free,
                conflict=conflict,
                quota=quota - sum(map(len, parts)),
                stream=stream,
                budget=budget,
            )
        )
    return joined(parts)


def _reason(quota: int, wanted: int, found: int, level: int, usable: int, fewest: int) -> str:
    reasons = []
    if quota < wanted:
        reasons.append(
            f"{usable} documents have {fewest} or more topics, each is used once, and all levels "
            f"are cut alike (to {quota} here)"
        )
    if found < quota:
        shared = "none" if level == 0 else f"{level} or more" if level == _MANY else f"just {level}"
        reasons.append(
            f"no further two documents that are still free and of different groups share {shared}"
        )
    return "; ".join(reasons)
