"""The pair tasks: what the documents of a pair have in common, and how pairs are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from builders.corpora.columns import HARD_PAIRS, PAIRS, STRATIFIED_PAIRS, TOPIC_PAIRS
from builders.task_configs.drawing.hard import hard_negative_pairs
from builders.task_configs.drawing.hashed import HashStream
from builders.task_configs.drawing.matched import matched_pairs
from builders.task_configs.drawing.matched_topics import matched_topic_pairs
from builders.task_configs.drawing.overlap import topic_overlap_pairs
from builders.task_configs.drawing.record import Drawn
from builders.task_configs.drawing.sides import Sides
from builders.task_configs.drawing.stratified import stratified_pairs
from builders.task_configs.drawing.topics import topics_of

Texts = Callable[[NDArray[np.int64]], list[str]]

# Of S0 to S6, the first that shares no class.
_OTHER_CLASS = 3
# Lexically near documents are looked for among so many of a split, whose texts are in memory.
_POOL_OF_HARD_NEGATIVES = 10_000


class Draw(Protocol):
    """Draws the pairs of a split."""

    def __call__(
        self, sides: Sides, texts: Texts, *, wanted: int, cap: int, seed: int, key: str
    ) -> Drawn:
        """Draw about `wanted` pairs; `texts` gives the bodies of some documents."""


@dataclass(frozen=True)
class PairTask:
    """A kind of pairs.

    Attributes
    ----------
    field : str
        Column of the label.
    draw : Draw
        Draws them.
    schema : pyarrow.Schema
        Columns of the config.
    is_stratified : bool
        Whether the levels are the strata S0 to S6 of the relation ladder, of which the first
        three share a class and so have the label 1.
    note : str or None
        What a user must know of all such pairs.
    """

    field: str
    draw: Draw
    schema: pa.Schema = PAIRS
    is_stratified: bool = False
    note: str | None = None

    def labels(self, drawn: Drawn) -> NDArray[np.int64]:
        """The label of each pair."""
        if self.is_stratified:
            return (drawn.level < _OTHER_CLASS).astype(np.int64)
        return drawn.level

    def level_name(self, level: int) -> str:
        """How a level is called in reports."""
        return f"S{level}" if self.is_stratified else f"label {level}"

    def further_columns(
        self, topics: Sequence[Sequence[str] | None], drawn: Drawn, chosen: NDArray[np.int64]
    ) -> dict[str, Any]:
        """What the config's rows say of some pairs besides ids, texts and label."""
        shared = [
            sorted({*(topics[a] or [])} & {*(topics[b] or [])})
            for a, b in zip(drawn.first[chosen], drawn.second[chosen], strict=True)
        ]
        similarity = np.zeros_like(drawn.level) if drawn.similarity is None else drawn.similarity
        columns = {
            "label_field": [self.field] * len(chosen),
            "overlap_count": pa.array([len(own) for own in shared], pa.int32()),
            "shared_topics": pa.array(shared, pa.list_(pa.string())),
            "relation_stratum": [self.level_name(level) for level in drawn.level[chosen].tolist()],
            "lexical_overlap": similarity[chosen] / 1_000_000,
        }
        return {name: values for name, values in columns.items() if name in self.schema.names}


def _matched(sides: Sides, texts: Texts, *, wanted: int, cap: int, seed: int, key: str) -> Drawn:
    return matched_pairs(sides, wanted=wanted, cap=cap, seed=seed, key=key)


def _matched_topics(
    sides: Sides, texts: Texts, *, wanted: int, cap: int, seed: int, key: str
) -> Drawn:
    return matched_topic_pairs(sides, wanted=wanted, cap=cap, seed=seed, key=key)


def _topic_overlap(
    sides: Sides, texts: Texts, *, wanted: int, cap: int, seed: int, key: str
) -> Drawn:
    return topic_overlap_pairs(sides, wanted=wanted, seed=seed, key=key)


def _stratified(sides: Sides, texts: Texts, *, wanted: int, cap: int, seed: int, key: str) -> Drawn:
    return stratified_pairs(sides, wanted=wanted, seed=seed, key=key)


def _hard_negatives(
    sides: Sides, texts: Texts, *, wanted: int, cap: int, seed: int, key: str
) -> Drawn:
    order = HashStream(seed, key, "pool of hard negatives").order(len(sides))
    pool = np.sort(order[:_POOL_OF_HARD_NEGATIVES])
    bodies = texts(pool)
    drawn = hard_negative_pairs(
        _without_topics(sides, pool),
        lambda positions: [bodies[position] for position in positions.tolist()],
        wanted=wanted,
        cap=cap,
        seed=seed,
        key=key,
    )
    return replace(drawn, first=pool[drawn.first], second=pool[drawn.second])


def _without_topics(sides: Sides, chosen: NDArray[np.int64]) -> Sides:
    return Sides(
        group=sides.group[chosen],
        lcc=sides.lcc[chosen],
        form=sides.form[chosen],
        category=sides.category[chosen],
        topics=topics_of([[]] * len(chosen)),
    )


PAIR_TASKS: dict[str, PairTask] = {
    "same_lcc_pairs": PairTask("lcc_code", _matched),
    "same_form_pairs": PairTask("lcgft_form", _matched),
    "same_register_pairs": PairTask("register", _matched),
    "same_audience_pairs": PairTask("audience", _matched),
    "same_topic_pairs": PairTask("topics", _matched_topics, TOPIC_PAIRS),
    "topic_overlap_pairs": PairTask("topics", _topic_overlap, TOPIC_PAIRS),
    "same_lcc_pairs_stratified": PairTask(
        "lcc_code", _stratified, STRATIFIED_PAIRS, is_stratified=True
    ),
    "same_lcc_pairs_hard_negatives": PairTask(
        "lcc_code",
        _hard_negatives,
        HARD_PAIRS,
        note="Negative pairs have more words in common than positive ones, which are random: a "
        "score by common words alone, or by length, comes out below chance.",
    ),
}
"""By the id of their task, or of its variant, in the order in which they are built."""
