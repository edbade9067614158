"""Report cards for a terminal: a row a task, then what stands out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import NamedTuple

from evaluate_shelf.leaderboard.terminal_table import broken_heading
from evaluate_shelf.printable import one_line
from evaluate_shelf.report_cards.card import Card
from evaluate_shelf.text_columns import terminal_width

_NARROWEST = 60
_BETWEEN = "  "


class _Column(NamedTuple):
    """A column: its heading, what stands in it, and which go first where they do not all fit."""

    heading: str
    cell: Callable[[Card], str]
    dispensable: int = 0
    words: bool = False


def for_terminal(cards: Sequence[Card], width: int | None = None) -> str:
    """The cards of one panel as a table, with the reasons for what is not plain.

    Parameters
    ----------
    cards : sequence of Card
        At least one, all of the same runs.
    width : int, default=None
        In characters; the terminal's without it. At least 60. Columns that do not fit are left
        out, and the legend says so.

    Returns
    -------
    str
        Lines of text.
    """
    columns = max(_NARROWEST, width or terminal_width(140))
    shown = _that_fit(cards, columns)
    left_out = len(_COLUMNS) - len(shown)
    text = [_title(cards[0]), *_notes(cards), _legend(cards, left_out)]
    title, *notes, legend = ["\n".join(wrap(part, columns)) for part in text]
    between = ["", *notes] if notes else []
    return "\n".join([title, "", *_table(cards, shown), *between, "", legend, ""])


def _title(card: Card) -> str:
    if card.reported:
        return f"{card.config}, REPORTED, not computed here: {one_line(card.reported)}"
    return one_line(f"{card.config}, release {card.release_id}, protocol {card.protocol}")


def _that_fit(cards: Sequence[Card], width: int) -> list[_Column]:
    shown = list(_COLUMNS)
    while _width_of(cards, shown) > width and any(column.dispensable for column in shown):
        shown.remove(max(shown, key=lambda column: column.dispensable))
    return shown


def _width_of(cards: Sequence[Card], shown: Sequence[_Column]) -> int:
    return sum(_widths(cards, shown)) + len(_BETWEEN) * (len(shown) - 1)


def _widths(cards: Sequence[Card], shown: Sequence[_Column]) -> list[int]:
    return [
        max(
            len(line)
            for cell in (column.heading, *map(column.cell, cards))
            for line in cell.split("\n")
        )
        for column in shown
    ]


def _table(cards: Sequence[Card], shown: Sequence[_Column]) -> Iterator[str]:
    widths = _widths(cards, shown)
    yield from _lines([column.heading for column in shown], shown, widths)
    yield _BETWEEN.join("-" * width for width in widths)
    for card in cards:
        yield from _lines([column.cell(card) for column in shown], shown, widths)


def _lines(cells: Sequence[str], shown: Sequence[_Column], widths: Sequence[int]) -> Iterator[str]:
    for line in zip_longest(*(cell.split("\n") for cell in cells), fillvalue=""):
        placed = (
            part.ljust(width) if column.words else part.rjust(width)
            for part, column, width in zip(line, shown, widths, strict=True)
        )
        yield _BETWEEN.join(placed).rstrip()


def _verdict(card: Card) -> str:
    word = "separates" if card.verdict == "separates models" else card.verdict or "none"
    return f"{word} !" if card.agrees is False else word


def _told_apart(card: Card) -> str:
    return "–" if card.told_apart is None else f"{100 * card.told_apart:.0f} %"


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


_COLUMNS = (
    _Column("task", lambda card: broken_heading(card.task), words=True),
    _Column("verdict", _verdict, words=True),
    _Column("chance", lambda card: _number(card.chance), 1),
    _Column("limit", lambda card: _number(card.limit), 3),
    _Column("worst", lambda card: _number(card.worst), 4),
    _Column("median", lambda card: _number(card.median)),
    _Column("best", lambda card: _number(card.best)),
    _Column("width/\nspread", lambda card: _number(card.width_to_spread, 2), 2),
    _Column("told\napart", _told_apart),
    _Column("agree-\nment", lambda card: _number(card.agreement_in_facet, 2)),
)


def _notes(cards: Sequence[Card]) -> Iterator[str]:
    """A line for each task that does not simply separate models, or that tasks.yaml differs on."""
    for card in cards:
        if card.verdict == "separates models" and card.agrees:
            continue
        other = "" if card.agrees is not False else f" (tasks.yaml: control {card.control})"
        yield f"{card.task}: {card.verdict or 'no verdict'}: {one_line(card.reason)}{other}"


def _legend(cards: Sequence[Card], left_out: int) -> str:
    tests = any(card.told_apart_by == "tests" for card in cards)
    by = "the tests of `shelf compare`" if tests else "intervals that do not overlap"
    narrow = f" {left_out} columns do not fit; --json has them." if left_out else ""
    return (
        f"{max(card.models for card in cards)} models. separates: the median of the models reaches "
        "the limit, a small effect above chance (configs/report_cards.yaml). width/spread: the "
        f"median interval over best less worst. told apart: neighbouring ranks, by {by}. "
        "agreement: Spearman's correlation over the models with the facet's other formulations, "
        f"their median. A verdict with ! is not what tasks.yaml says.{narrow}"
    )
