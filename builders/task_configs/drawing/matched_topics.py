"""Pairs that share a topic and pairs that share none, every document equally often in both."""

from __future__ import annotations

import numpy as np

from builders.task_configs.drawing.hashed import Codes, Flags, HashStream
from builders.task_configs.drawing.matched import draw_matched, random_negatives
from builders.task_configs.drawing.record import Drawn, left_out
from builders.task_configs.drawing.sides import Sides


def matched_topic_pairs(sides: Sides, *, wanted: int, cap: int = 8, seed: int, key: str) -> Drawn:
    """Draw pairs that share a topic and pairs that share none.

    Parameters
    ----------
    sides, wanted, cap, seed, key
        As for `matched_pairs`; no `label` is needed. A document without a topic is not used.

    Returns
    -------
    Drawn
        Level 1 where at least one topic is shared, else 0. A document is assigned to one of its
        topics, by which the positive pairs are spread and counted.
    """
    stream = HashStream(seed, key, "matched topic pairs")

    def conflict(first: Codes, second: Codes) -> Flags:
        return (sides.topics.shared(first, second) > 0) | sides.same_group(first, second)

    classes = _assigned_topics(sides, stream)
    lacking = classes < 0
    excess = _excess(sides, stream)
    classes[excess] = -1
    return draw_matched(
        sides,
        classes,
        negatives=random_negatives(conflict),
        wanted=wanted,
        cap=cap,
        stream=stream,
        named="topic",
        notes=[
            *left_out(lacking, "have no topic"),
            *left_out(excess, "have a topic that over half of the documents have"),
        ],
    )


def _assigned_topics(sides: Sides, stream: HashStream) -> Codes:
    """One topic of each document, -1 where it has none.

    A random one among those that a document of another group has too. A document that is alone
    with it is assigned to its topic with the most documents instead.
    """
    topics, documents = sides.topics.subsets(1, np.arange(len(sides)))
    result = np.full(len(sides), -1, dtype=np.int64)
    if not len(topics):
        return result
    cells = np.unique(topics * (int(sides.group.max()) + 1) + sides.group[documents])
    groups_of_topic = np.bincount(cells // (int(sides.group.max()) + 1))
    lonely = groups_of_topic[topics] < 2
    order = np.lexsort((stream.hashes(len(topics)), lonely, documents))
    order = order[np.r_[True, documents[order][1:] != documents[order][:-1]]]
    result[documents[order]] = topics[order]
    members = np.bincount(result[result >= 0], minlength=sides.topics.names)
    alone = (members[result[documents]] < 2) & ~lonely
    topics, documents = topics[alone], documents[alone]
    order = np.lexsort((members[topics], documents))
    result[documents[order]] = topics[order]
    return result


def _excess(sides: Sides, stream: HashStream) -> Flags:
    """Documents to leave out so that no topic is on more than half of those that have topics.

    Beyond that they could not all stand in pairs without a shared topic.
    """
    topics, documents = sides.topics.codes, sides.topics.owners
    hashes = stream.hashes(len(sides))
    used = sides.topics.counts > 0
    excess = np.zeros(len(sides), dtype=np.bool_)
    while True:
        members = np.bincount(topics[used[documents]], minlength=1)
        common = int(np.argmax(members))
        more = 2 * int(members[common]) - int(used.sum())
        if more <= 0:
            return excess
        own = documents[(topics == common) & used[documents]]
        surplus = own[np.argsort(hashes[own], kind="stable")[:more]]
        used[surplus] = False
        excess[surplus] = True
