"""The report cards of a board's tasks."""

from __future__ import annotations

from dataclasses import asdict, fields

from evaluate_shelf.aggregate.schema.cards import AgreementEntry, CardEntry, Cards
from evaluate_shelf.aggregate.tables import Table
from evaluate_shelf.bounded import one_line
from evaluate_shelf.comparison.results import Comparison
from evaluate_shelf.report_cards.card import Card, cards_of
from evaluate_shelf.transfer.members import members
from evaluate_shelf.transfer.settings import load_transfer

_KNOWN_OF_THE_BOARD = {
    "config",
    "control",
    "facet",
    "formulation",
    "metric",
    "protocol",
    "release_id",
    "reported",
    "unscored",
}


def cards_of_board(table: Table, comparison: Comparison | None) -> Cards:
    """What the default panel's models tell of each task, as `shelf cards` has it.

    Parameters
    ----------
    table : Table
        Rows in the order of the board; those that are unverified tell nothing.
    comparison : Comparison or None
        Of all rows of the panel: ranks are then told apart by tests.
    """
    runs = [run for run, counted in zip(table.runs, table.counted.tolist(), strict=True) if counted]
    if table.limit is not None:
        return Cards(why_not="smoke runs make no card")
    kept = members(runs, load_transfer().panel()).runs
    if not kept:
        return Cards(why_not="no model here has a rank")
    return Cards(why_not=None, cards=tuple(map(_entry, cards_of(kept, comparison))))


def _without_folders(card: Card) -> str:
    """Why it has its verdict; where our runs lie is nobody's business."""
    reason = card.reason
    for one in card.unscored:
        reason = reason.replace(one.run, one.model)
    return reason


def _entry(card: Card) -> CardEntry:
    own = {one.name: getattr(card, one.name) for one in fields(Card)}
    values = {name: value for name, value in own.items() if name not in _KNOWN_OF_THE_BOARD}
    values |= {
        "agrees": card.agrees,
        "reason": one_line(_without_folders(card)),
        "agreement": tuple(AgreementEntry(**asdict(one)) for one in card.agreement),
    }
    return CardEntry(**values)
