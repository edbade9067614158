"""Report cards as values for JSON and as CSV; for a terminal see `words`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any

from evaluate_shelf.report_cards.card import AgreementWith, Card
from evaluate_shelf.spreadsheets import csv_text

COLUMNS = (*(field.name for field in fields(Card)), "agrees", "agreement_in_facet")
"""All that a card holds: the columns of its CSV, and the keys of its JSON."""


def as_values(card: Card) -> dict[str, Any]:
    """The card as plain values, for JSON."""
    return {
        **asdict(card),
        "agrees": card.agrees,
        "agreement_in_facet": card.agreement_in_facet,
    }


def csv_row(card: Card) -> tuple[object, ...]:
    """What a card has in each of `COLUMNS`; what is several things is one text."""
    values = as_values(card)
    values["agreement"] = "; ".join(map(_agreement_text, card.agreement))
    values["unscored"] = "; ".join(f"{one.model} ({one.run}): {one.why}" for one in card.unscored)
    return tuple(values[column] for column in COLUMNS)


def as_csv(cards: Iterable[Card]) -> str:
    """Cards, of one panel or of several, as CSV with every figure in full."""
    return csv_text(COLUMNS, map(csv_row, cards))


def _agreement_text(one: AgreementWith) -> str:
    if one.spearman is None:
        return f"{one.task}: unknown over {one.n}"
    interval = "" if one.low is None or one.high is None else f" [{one.low!r}, {one.high!r}]"
    return f"{one.task}: {one.spearman!r}{interval} over {one.n}"
