"""The report cards of a board."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evaluate_shelf.aggregate.schema.values import (
    MOST_TASKS,
    Correlation,
    Count,
    Difference,
    Number,
    Part,
    Score,
    Share,
)
from evaluate_shelf.bounded import ConfigName, Line, Reason


class AgreementEntry(Part):
    """How far another formulation of a facet puts the models into the same order."""

    task: ConfigName
    formulation: Line
    n: Count
    spearman: Correlation | None
    low: Correlation | None
    high: Correlation | None


class CardEntry(Part):
    """A task's report card; see `report_cards.card.Card`."""

    task: ConfigName
    verdict: Literal["separates models", "control", "broken"] | None
    agrees: bool | None
    reason: Reason
    nominal_chance: Score | None
    measured_chance: Score | None
    chance: Score | None
    chance_source: Line | None
    limit: Number | None
    models: Count
    best_model: Reason | None
    best: Score | None
    median: Score | None
    worst_model: Reason | None
    worst: Score | None
    effect: Number | None
    spread: Difference | None
    interval_width: Difference | None
    width_to_spread: Number | None
    told_apart: Share | None
    told_apart_by: Literal["tests", "intervals"] | None
    agreement: Annotated[tuple[AgreementEntry, ...], Field(max_length=MOST_TASKS)]


class Cards(Part):
    """The report cards of a board's tasks, by the models of the default panel.

    Attributes
    ----------
    why_not : str or None
        Why there are none.
    cards : tuple of CardEntry
        In the order of the registry.
    """

    why_not: Reason | None
    cards: Annotated[tuple[CardEntry, ...], Field(max_length=MOST_TASKS)] = ()
