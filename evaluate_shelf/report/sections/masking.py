"""What the model reads: scores without the documents' own label terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluate_shelf.diagnostics.masking.arms import ArmScores, masking
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.report.document import Block, Heading, Listing, Paragraph, Section, Table
from evaluate_shelf.report.evidence import Evidence, command_line
from evaluate_shelf.report.figures.dots import Dot, DotRow, dots
from evaluate_shelf.report.figures.figure import Figure, Picture
from evaluate_shelf.report.sections.numbers import interval, metric_name, number
from evaluate_shelf.report.source import Source, csv_data
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.agreement import Agreement
from evaluate_shelf.transfer.settings import load_transfer

_PANEL = "weights"
_ARMS = ("whole texts", "label terms masked", "as many random tokens removed (sham)")
_CSV = (
    "corpus", "task", "metric", "protocol", "models", "whole", "masked", "masked_change", "sham",
    "sham_change", "masked_spearman", "masked_low", "masked_high", "sham_spearman", "sham_low",
    "sham_high", "masked_less_sham", "low", "high",
)  # fmt: skip


def masked(evidence: Evidence) -> Section:
    """Means over models of whole, masked and sham texts.

    Parameters
    ----------
    evidence : Evidence
        What there is.

    Returns
    -------
    Section
        A sentence where no task was scored in all three arms.
    """
    blocks: list[Block] = [
        Paragraph(
            "Masking removes every occurrence of a document's own class, topics, form and "
            "category. The sham removes as many tokens of the same document, drawn at random: it "
            "says what a document loses by being shortened at all. What masking costs beyond the "
            "sham is what models read off the labels' own words."
        )
    ]
    command = evidence.command("masking", "--no-reported", "--json")
    blocks += _kind(evidence.computed, "Computed", "masking", command)
    published = (*evidence.reported, *evidence.treated)
    if published:
        command = command_line("masking", "--json")
        blocks += _kind(published, "Reported scores", "masking-reported", command)
    return Section("masking", "What the model reads", tuple(blocks))


def _kind(runs: Sequence[Run], title: str, name: str, command: str) -> Iterator[Block]:
    settings = load_transfer()
    yield Heading(title)
    try:
        found = masking(runs, settings.panel(_PANEL), settings)
    except ShelfError as error:
        yield Paragraph(f"Not compared: {error}.", "absent")
        return
    if not found.rows:
        yield Paragraph(
            "No task was scored in all three arms; `shelf evaluate` has `--text masked` and "
            "`--text sham`.",
            "absent",
        )
        return
    source = Source(name, csv_data(_CSV, map(_row, found.rows)), command)
    yield _table(found.rows, source)
    yield Figure(
        "Means over the models that have a score in every arm.",
        tuple(_pictures(found.rows)),
        source,
    )
    out = dict.fromkeys((*found.left_out, *(one for row in found.rows for one in row.lacking)))
    if out:
        yield Paragraph("Not among the models compared:", "note")
        yield Listing(tuple(f"{one.model}: {one.reason}" for one in out))


def _place(row: ArmScores) -> str:
    return row.corpus if row.reported else f"{row.corpus}, {row.protocol}"


def _pictures(rows: Sequence[ArmScores]) -> Iterator[Picture]:
    for place in dict.fromkeys(map(_place, rows)):
        own = [row for row in rows if _place(row) == place]
        told = "; ".join(
            f"{row.task} {number(row.unmasked)} whole, {number(row.masked)} masked, "
            f"{number(row.sham)} sham"
            for row in own
        )
        metrics = dict.fromkeys(metric_name(row.metric) for row in own)
        yield dots(
            place,
            f"Mean scores on {place}: {told}.",
            [
                DotRow(
                    row.task,
                    (
                        Dot(row.unmasked),
                        Dot(row.masked, series=1),
                        Dot(row.sham, series=2),
                    ),
                )
                for row in own
            ],
            x=", ".join(metrics),
            names=_ARMS,
        )


def _row(row: ArmScores) -> tuple[object, ...]:
    masked, sham = row.masked_agreement, row.sham_agreement
    return (
        *(row.corpus, row.task, row.metric, row.protocol, len(row.models)),
        *(row.unmasked, row.masked, row.masked_change, row.sham, row.sham_change),
        *(masked.spearman, masked.low, masked.high),
        *(sham.spearman, sham.low, sham.high),
        *(row.difference or (None, None, None)),
    )


def _table(rows: Sequence[ArmScores], source: Source) -> Table:
    return Table(
        caption=(
            "Means in the three arms, and rank correlation of each treated arm with whole texts; "
            "intervals from resampling models"
        ),
        header=(
            "corpus",
            "task",
            "models",
            "whole",
            "masked",
            "change",
            "sham",
            "change",
            "ranks, masked",
            "ranks, sham",
            "masked less sham",
        ),
        rows=tuple(
            (
                _place(row),
                f"{row.task} ({metric_name(row.metric)})",
                str(len(row.models)),
                number(row.unmasked, 4),
                number(row.masked, 4),
                number(row.masked_change, 4),
                number(row.sham, 4),
                number(row.sham_change, 4),
                _correlation(row.masked_agreement),
                _correlation(row.sham_agreement),
                "–"
                if row.difference is None
                else f"{number(row.difference.value)} "
                f"{interval(row.difference.low, row.difference.high)}".rstrip(),
            )
            for row in rows
        ),
        source=source,
        words=frozenset({1}),
    )


def _correlation(found: Agreement) -> str:
    return f"{number(found.spearman)} {interval(found.low, found.high, 2)}".rstrip()
