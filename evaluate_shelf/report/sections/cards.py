"""Report cards: whether a task separates models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluate_shelf.counts import counted
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.leaderboard.boards import comparable
from evaluate_shelf.report.compared import Compared
from evaluate_shelf.report.document import Block, Heading, Listing, Paragraph, Section, Table
from evaluate_shelf.report.evidence import Evidence, command_line, listed
from evaluate_shelf.report.figures.dots import Dot, DotRow, dots
from evaluate_shelf.report.figures.figure import Figure, Picture
from evaluate_shelf.report.sections.boards import board_name
from evaluate_shelf.report.sections.numbers import metric_name, number
from evaluate_shelf.report.source import Source
from evaluate_shelf.report_cards.card import Card, cards_of
from evaluate_shelf.report_cards.forms import as_csv
from evaluate_shelf.report_cards.settings import load_card_settings
from evaluate_shelf.transfer.members import members
from evaluate_shelf.transfer.settings import load_transfer


def cards(found: Sequence[Compared], evidence: Evidence) -> Section:
    """The report cards of computed runs and of reported scores.

    Parameters
    ----------
    found : sequence of Compared
        The boards of computed runs.
    evidence : Evidence
        What there is.

    Returns
    -------
    Section
        A sentence where there is no run to make a card of.
    """
    blocks: list[Block] = [
        Paragraph(
            "A task separates models if their median lies a small effect above chance; else it is "
            "a control, or broken. Chance is measured with shuffled labels where that was done. A "
            f"verdict needs {load_card_settings().fewest_models} models, and stands whichever of "
            "them is left out."
        )
    ]
    for place, one in enumerate(found, start=1):
        blocks.append(Heading(board_name(one.board)))
        try:
            own = cards_of(one.runs, one.comparison)
        except ShelfError as error:
            blocks.append(Paragraph(f"No cards: {error}.", "absent"))
            continue
        blocks += _board(own, f"cards-{place}", _command(one, evidence))
    for group in comparable(evidence.reported):
        kept = members(group, load_transfer().panel()).runs
        config = group[0].file.data.config
        blocks.append(Heading(f"{config}, reported"))
        command = command_line("cards", "--csv")
        blocks += _board(cards_of(kept), f"cards-reported-{config}", command)
    if len(blocks) == 1:
        blocks = [Paragraph("No run was given to make a card of.", "absent")]
    return Section("cards", "Report cards of tasks", tuple(blocks))


def _command(one: Compared, evidence: Evidence) -> str:
    """Ranks are told apart by tests where the runs were compared, else by intervals."""
    data = ["--data", one.data] if one.comparison and one.data else []
    return evidence.command_over(one.runs, "cards", *data, "--csv")


def _board(own: Sequence[Card], name: str, command: str) -> Iterator[Block]:
    if not own:
        yield Paragraph("No task was run, so there is no card.", "absent")
        return
    source = Source(name, as_csv(own).encode("utf-8"), command)
    yield _table(own, source)
    reasons = list(_reasons(own))
    if reasons:
        yield Listing(tuple(reasons))
    drawn = [card for card in own if card.median is not None]
    if drawn:
        yield Figure(
            caption=(
                "Each task's models: the dot is their median, the whisker reaches from the worst "
                "to the best, the square is chance."
            ),
            pictures=(_picture(drawn),),
            source=source,
        )


def _reasons(own: Sequence[Card]) -> Iterator[str]:
    """Why tasks do not simply separate models, those of one reason together."""
    tasks: dict[str, list[str]] = {}
    for card in own:
        if card.verdict != "separates models" or card.agrees is False:
            differs = "; the registry of tasks says otherwise" if card.agrees is False else ""
            reason = f"{card.verdict or 'no verdict'}: {card.reason}{differs}"
            tasks.setdefault(reason, []).append(card.task)
    for reason, names in tasks.items():
        yield f"{listed(names, 40)}: {reason}"


def _table(own: Sequence[Card], source: Source) -> Table:
    return Table(
        caption=f"{counted(len(own), 'card')}; what is not known is a dash",
        header=(
            "task",
            "verdict",
            "models",
            "chance",
            "worst",
            "median",
            "best",
            "interval / spread",
            "neighbours told apart",
            "agreement in facet",
        ),
        rows=tuple(
            (
                f"{card.task} ({metric_name(card.metric)})",
                card.verdict or "none",
                str(card.models),
                number(card.chance),
                number(card.worst),
                number(card.median),
                number(card.best),
                number(card.width_to_spread, 2),
                "–" if card.told_apart is None else f"{100 * card.told_apart:.0f} %",
                number(card.agreement_in_facet, 2),
            )
            for card in own
        ),
        source=source,
        words=frozenset({1}),
    )


def _picture(own: Sequence[Card]) -> Picture:
    rows = [
        DotRow(
            card.task,
            (
                Dot(card.median or 0.0, card.worst, card.best),
                *([] if card.chance is None else [Dot(card.chance, series=1, filled=False)]),
            ),
        )
        for card in own
    ]
    told = "; ".join(
        f"{card.task} {number(card.worst)} to {number(card.best)}, median {number(card.median)}, "
        f"chance {number(card.chance)}"
        for card in own
    )
    return dots(
        "Spread of the models, by task",
        f"Worst to best score, median and chance of each task: {told}.",
        rows,
        x="the task's primary metric",
        names=("median, with worst and best", "chance"),
        longest=30,
    )
