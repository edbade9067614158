"""The pair tasks: what the documents of a pair have in common, and how pairs are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from builders.corpora.columns import PAIRS, STRATIFIED_PAIRS, TOPIC_PAIRS
from builders.task_configs.drawing.matched import matched_pairs, matched_topic_pairs
from builders.task_configs.drawing.record import Drawn
from builders.task_configs.drawing.sides import Sides

Texts = Callable[[Sequence[int]], list[str]]


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
    strata : tuple of str
        Names of the levels, where these are strata of the relation ladder; a pair's label is 1
        in the strata that share a class.
    """

    field: str
    draw: Draw
    strata: tuple[str, ...] = ()

    @property
    def schema(self) -> pa.Schema:
        """Columns of the config."""
        if self.field == "topics":
            return TOPIC_PAIRS
        return STRATIFIED_PAIRS if self.strata else PAIRS

    def labels(self, drawn: Drawn) -> NDArray[np.int64]:
        """The label of each pair."""
        if not self.strata:
            return drawn.level
        return (drawn.level < _FIRST_OF_OTHER_CLASS).astype(np.int64)

    def level_name(self, level: int) -> str:
        """How a level is called in reports."""
        return self.strata[level] if self.strata else f"label {level}"

    def further_columns(
        self, labels: pa.Table, drawn: Drawn, chosen: NDArray[np.int64]
    ) -> dict[str, Any]:
        """What the config's rows say besides ids, texts and label."""
        if self.field == "topics":
            topics = labels["topics"].to_pylist()
            shared = [
                sorted({*(topics[a] or [])} & {*(topics[b] or [])})
                for a, b in zip(drawn.first[chosen], drawn.second[chosen], strict=True)
            ]
            return {
                "overlap_count": pa.array([len(own) for own in shared], pa.int32()),
                "shared_topics": pa.array(shared, pa.list_(pa.string())),
            }
        columns: dict[str, Any] = {"label_field": [self.field] * len(chosen)}
        if self.strata:
            columns["relation_stratum"] = [self.strata[n] for n in drawn.level[chosen].tolist()]
        return columns


def _matched(sides: Sides, texts: Texts, *, wanted: int, cap: int, seed: int, key: str) -> Drawn:
    return matched_pairs(sides, wanted=wanted, cap=cap, seed=seed, key=key)


def _matched_topics(
    sides: Sides, texts: Texts, *, wanted: int, cap: int, seed: int, key: str
) -> Drawn:
    return matched_topic_pairs(sides, wanted=wanted, cap=cap, seed=seed, key=key)


# Of S0 to S6, these share no class.
_FIRST_OF_OTHER_CLASS = 3

PAIR_TASKS: dict[str, PairTask] = {
    "same_lcc_pairs": PairTask("lcc_code", _matched),
    "same_form_pairs": PairTask("lcgft_form", _matched),
    "same_register_pairs": PairTask("register", _matched),
    "same_audience_pairs": PairTask("audience", _matched),
    "same_topic_pairs": PairTask("topics", _matched_topics),
}
