"""Report cards for a terminal: a row a task, what stands out, and how to read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import NamedTuple

from evaluate_shelf.counts import counted
from evaluate_shelf.leaderboard.terminal_table import broken_heading
from evaluate_shelf.printable import one_line
from evaluate_shelf.report_cards.card import Card
from evaluate_shelf.report_cards.settings import CardSettings, load_card_settings
from evaluate_shelf.text_columns import aligned, terminal_width

_NARROWEST = 60


class _Column(NamedTuple):
    """A column: its heading, what stands in it, and which go first where they do not all fit."""

    heading: str
    cell: Callable[[Card], str]
    dispensable: int = 0
    words: bool = False


def for_terminal(
    boards: Sequence[Sequence[Card]],
    width: int | None = None,
    *,
    settings: CardSettings | None = None,
) -> str:
    """The cards of panels as a table each, with the reasons for what is not plain.

    Parameters
    ----------
    boards : sequence of sequence of Card
        At least one panel, each with at least one card.
    width : int, default=None
        In characters; the terminal's without it. At least 60. Columns that do not fit are left
        out, and the legend says so.
    settings : CardSettings or None
        The rule that the cards were made by. None: that of the installation.

    Returns
    -------
    str
        Lines of text; the legend comes last.
    """
    columns = max(_NARROWEST, width or terminal_width(140))
    shown = [_that_fit(cards, columns) for cards in boards]
    lines = [line for cards, own in zip(boards, shown, strict=True) for line in _board(cards, own)]
    left_out = len(_COLUMNS) - min(map(len, shown))
    rule = settings or load_card_settings()
    legend = _legend([card for cards in boards for card in cards], left_out, rule)
    broken = [
        part
        for line in [*lines, *legend]
        for part in (wrap(line, columns, subsequent_indent="  ") if len(line) > columns else [line])
    ]
    return "\n".join([*broken, ""])


def _board(cards: Sequence[Card], shown: Sequence[_Column]) -> Iterator[str]:
    notes = list(_notes(cards))
    yield from (_title(cards[0]), "", *_table(cards, shown), "")
    yield from (*notes, "") if notes else ()


def _title(card: Card) -> str:
    if card.reported:
        return f"{card.config}, REPORTED, not computed here: {one_line(card.reported)}"
    return one_line(f"{card.config}, release {card.release_id}, protocol {card.protocol}")


def _that_fit(cards: Sequence[Card], width: int) -> list[_Column]:
    shown = list(_COLUMNS)
    while max(map(len, _table(cards, shown))) > width and any(one.dispensable for one in shown):
        shown.remove(max(shown, key=lambda column: column.dispensable))
    return shown


def _table(cards: Sequence[Card], shown: Sequence[_Column]) -> list[str]:
    heading = _lines([column.heading for column in shown])
    body = [line for card in cards for line in _lines([column.cell(card) for column in shown])]
    widths = [max(map(len, cells)) for cells in zip(*heading, *body, strict=True)]
    rule = tuple("-" * width for width in widths)
    words = {place for place, column in enumerate(shown) if column.words}
    return aligned([*heading, rule, *body], left=words)


def _lines(cells: Sequence[str]) -> list[tuple[str, ...]]:
    """Cells of several lines as rows of one line each."""
    return list(zip_longest(*(cell.split("\n") for cell in cells), fillvalue=""))


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
    _Column("models", lambda card: str(card.models), 5),
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
    """Why tasks do not simply separate models, and which models have no score on them."""
    tasks: dict[str, list[str]] = {}
    for card in cards:
        for remark in _remarks(card):
            tasks.setdefault(one_line(remark), []).append(card.task)
    for remark, names in tasks.items():
        yield f"{', '.join(names)}: {remark}"


def _remarks(card: Card) -> Iterator[str]:
    if card.verdict != "separates models" or card.agrees is False:
        yield f"{card.verdict or 'no verdict'}{_registry_differs(card)}: {card.reason}"
    if card.models:
        for one in card.unscored:
            yield f"no score of {one.model} ({one.run}): {one.why}"


def _registry_differs(card: Card) -> str:
    if card.agrees is not False:
        return ""
    return f" (! tasks.yaml has control: {'true' if card.control else 'false'})"


def _legend(cards: Sequence[Card], left_out: int, rule: CardSettings) -> Iterator[str]:
    """A line for each word and heading that needs one."""
    there = {card.verdict for card in cards}
    needed, effect = counted(rule.fewest_models, "model"), f"{rule.smallest_effect:g}"
    yield (
        f"A verdict needs {needed} with a score, and no one of them decides it; the rule is in "
        "configs/report_cards.yaml."
    )
    if "separates models" in there:
        yield "separates: the median reaches the limit, and models that reach it are told apart."
    if "control" in there:
        yield "control: the median is below the limit; rank no models by this task."
    if "broken" in there:
        yield (
            "broken: most shuffled controls are off chance, or no model has a score; use no score "
            "of this task before the cause that stands above is mended."
        )
    if None in there:
        yield "none: no verdict; what would settle it stands above."
    if any(card.agrees is False for card in cards):
        yield (
            "!: tasks.yaml says otherwise. Score more models, or a release with more test "
            "documents; if it stays, `control` of the task in configs/tasks.yaml is to be changed."
        )
    yield (
        "chance: as tasks.yaml or report_cards.yaml states it, else the median of the shuffled "
        "controls, which leaderboards show throughout."
    )
    yield f"limit: a small effect above chance, {effect} standard deviations."
    yield "width/spread: the median interval over best less worst; from 1 on, too wide to rank by."
    yield f"told apart: {_tellers(cards)}."
    yield (
        "agreement: Spearman's correlation over the models with the facet's other formulations, "
        "their median."
    )
    if left_out:
        verb = "does" if left_out == 1 else "do"
        yield f"{counted(left_out, 'column')} {verb} not fit; --csv and --json have everything."


def _tellers(cards: Sequence[Card]) -> str:
    by = {card.told_apart_by for card in cards}
    share, overlap = "share of neighbouring ranks, by", "intervals that do not overlap"
    if "tests" in by:
        rest = f", else {overlap}" if "intervals" in by else ""
        return f"{share} the tests of `shelf compare`{rest}"
    if "intervals" in by:
        return f"{share} {overlap}, which is no test; --data gives one"
    return "not known, since there are no intervals"
