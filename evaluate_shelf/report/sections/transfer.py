"""Rank agreement: whether the order of models holds on text that people wrote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluate_shelf.counts import counted
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.conditions import text_of
from evaluate_shelf.report.document import Block, Heading, Listing, Paragraph, Section, Table
from evaluate_shelf.report.evidence import Evidence, command_line, listed
from evaluate_shelf.report.figures.figure import Figure, Picture
from evaluate_shelf.report.figures.scatter import Point, scatter
from evaluate_shelf.report.sections.numbers import interval, number
from evaluate_shelf.report.source import Source, csv_data
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.agreement import FEWEST_MODELS
from evaluate_shelf.transfer.comparison import RankedModel
from evaluate_shelf.transfer.members import LeftOut, members
from evaluate_shelf.transfer.preregistered import Cell, Outcome, outcome
from evaluate_shelf.transfer.settings import TransferSettings, load_transfer
from evaluate_shelf.transfer.stability import Stability, computed_stability, reported_stability

_CELLS = ("formulation", "x", "y", "models", "spearman", "low", "high", "kendall", "passes")
_RANKS = ("formulation", "x", "y", "model", "x_score", "y_score", "x_rank", "y_rank", "without_it")
_NAMED = 3


def transfer(evidence: Evidence) -> Section:
    """The preregistered rule over reported scores and over computed runs, each for itself.

    Parameters
    ----------
    evidence : Evidence
        What there is.

    Returns
    -------
    Section
        A sentence where nothing can be compared.
    """
    settings = load_transfer()
    blocks: list[Block] = [Paragraph(_rule(settings))]
    for place, (protocol, runs) in enumerate(_by_protocol(evidence.computed), start=1):
        blocks.append(Heading(f"Computed, protocol {protocol}"))
        blocks += _computed(protocol, runs, evidence, settings, f"ranks-{place}")
    if not evidence.computed:
        blocks.append(Paragraph("No run was given whose order could be compared.", "absent"))
    if evidence.reported:
        found = members(evidence.reported, settings.panel())
        stability = [reported_stability(row) for row in settings.stability.reported]
        blocks.append(Heading("Reported scores"))
        blocks += _outcome(
            outcome(found.runs, settings, stability),
            found.left_out,
            settings,
            "ranks-reported",
            command_line("transfer", "--json"),
        )
    return Section("rank-agreement", "Rank agreement between corpora", tuple(blocks))


def _rule(settings: TransferSettings) -> str:
    rule = settings.rule
    return (
        f"Does the order of models on config {settings.reference} hold on "
        f"{listed(settings.natural)}, which people wrote? The preregistered rule asks for "
        f"Spearman's correlation of at least {rule.spearman_at_least:g}, with the lower end of its "
        f"{100 * settings.resampling.level:g} % interval above {rule.lower_end_above:g}, against "
        f"each of them, in {rule.formulations_needed} of {len(settings.formulations)} "
        "formulations. The interval resamples models: it says how far a correlation hangs on "
        "which models are compared, not how well their scores are known."
    )


def _by_protocol(runs: Sequence[Run]) -> list[tuple[str, list[Run]]]:
    """Full runs of whole texts, by their protocol."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        if run.file.limit is None and text_of(run.file.protocol.id) == "full":
            found.setdefault(run.file.protocol.id, []).append(run)
    return sorted(found.items())


def _computed(
    protocol: str,
    runs: Sequence[Run],
    evidence: Evidence,
    settings: TransferSettings,
    name: str,
) -> Iterator[Block]:
    try:
        found = members(runs, settings.panel())
    except ShelfError as error:
        yield Paragraph(f"Not compared: {error}.", "absent")
        return
    options = ["--protocol", protocol, *evidence.data_options()]
    stability: list[Stability] = []
    try:
        stability = _stability(found.runs, evidence, settings)
    except ShelfError as error:
        yield Paragraph(f"Stability over seeds is not shown: {error}.", "unusable")
        options = options[:2]
    applied = outcome(found.runs, settings, stability)
    if all(cell.comparison.agreement.spearman is None for cell in applied.cells):
        yield Paragraph(
            f"Not decidable: it needs runs of {FEWEST_MODELS} models at least on "
            f"{listed(settings.corpora)}.",
            "absent",
        )
        return
    command = evidence.command("transfer", *options, "--json")
    yield from _outcome(applied, found.left_out, settings, name, command)


def _stability(
    runs: Sequence[Run], evidence: Evidence, settings: TransferSettings
) -> list[Stability]:
    if not evidence.releases:
        return []
    return computed_stability(runs, [release for _, release in evidence.releases], settings)


def _outcome(
    found: Outcome,
    left_out: Sequence[LeftOut],
    settings: TransferSettings,
    name: str,
    command: str,
) -> Iterator[Block]:
    total = counted(len(settings.formulations), "formulation")
    yield Paragraph(
        f"Verdict: {found.verdict}. {len(found.passed)} of {total} pass"
        + (f", failed: {listed(found.failed)}" if found.failed else "")
        + (f", undecided: {listed(found.undecided)}" if found.undecided else "")
        + "."
    )
    cells = [*found.cells, *found.beside]
    yield _table(cells, Source(name, csv_data(_CELLS, map(_cell_row, cells)), command))
    if found.stability:
        yield Paragraph(_stability_text(found.stability, settings), "note")
    reasons = [f"{c.formulation} against {c.corpus}: {c.reason}" for c in found.cells if c.reason]
    if reasons:
        yield Listing(tuple(reasons))
    drawn = [cell for cell in cells if cell.comparison.agreement.spearman is not None]
    rows = (row for cell in drawn for row in _rows(cell))
    ranks = Source(f"{name}-models", csv_data(_RANKS, rows), command)
    yield Figure(
        caption=(
            "Ranks of the models under two measures, the first at the upper right. On the dashed "
            "line both give a model the same rank; the models farthest from it are named."
        ),
        pictures=tuple(map(_picture, drawn)),
        source=ranks,
    )
    yield _influence(drawn, ranks)
    if left_out:
        yield Paragraph("Left out of the panel:", "note")
        yield Listing(tuple(f"{row.model}: {row.reason}" for row in dict.fromkeys(left_out)))


def _table(cells: Sequence[Cell], source: Source) -> Table:
    def row(cell: Cell) -> tuple[str, ...]:
        agreed = cell.comparison.agreement
        answer = {True: "yes", False: "no", None: "–"}[cell.passes]
        return (
            cell.formulation,
            cell.comparison.x.corpus,
            cell.comparison.y.corpus,
            str(agreed.n),
            number(agreed.spearman),
            interval(agreed.low, agreed.high, 2) or "–",
            number(agreed.kendall),
            answer,
        )

    return Table(
        caption=(
            "Rank agreement by formulation; pairs of natural corpora stand beside the rule, which "
            "does not ask for them"
        ),
        header=(
            "formulation",
            "order on",
            "order on",
            "models",
            "Spearman",
            "interval",
            "Kendall",
            "meets the rule",
        ),
        rows=tuple(map(row, cells)),
        source=source,
        words=frozenset({1, 2}),
    )


def _cell_row(cell: Cell) -> tuple[object, ...]:
    compared, agreed = cell.comparison, cell.comparison.agreement
    values = (agreed.n, agreed.spearman, agreed.low, agreed.high, agreed.kendall)
    return (cell.formulation, compared.x.text, compared.y.text, *values, cell.passes)


def _stability_text(found: Sequence[Stability], settings: TransferSettings) -> str:
    values = ", ".join(
        f"{number(own.median)} on {own.corpus}"
        + ("" if own.lowest is None else f" (lowest pair {number(own.lowest)})")
        for own in found
    )
    return (
        f"The order in {settings.stability.formulation} depends on the seed of k-means. Median "
        f"rank correlation between two seeds, {found[0].origin}: {values}; the rule asks for "
        f"{settings.stability.floor:g}."
    )


def _apart(model: RankedModel) -> float:
    return abs(model.rank_x - model.rank_y)


def _picture(cell: Cell) -> Picture:
    compared = cell.comparison
    agreed = compared.agreement
    ordered = sorted(compared.models, key=lambda model: (-_apart(model), model.name))
    named = [model for model in ordered[:_NAMED] if _apart(model) > 0]
    farthest = ", ".join(f"{m.name} ({m.rank_x:g} and {m.rank_y:g})" for m in named)
    value = f"{number(agreed.spearman)} {interval(agreed.low, agreed.high, 2)}".rstrip()
    return scatter(
        f"{cell.formulation}: Spearman {value}",
        f"{cell.formulation}: ranks of {counted(agreed.n, 'model')} on {compared.x.corpus} and on "
        f"{compared.y.corpus}. Spearman {value}, Kendall {number(agreed.kendall)}."
        + (f" Farthest apart: {farthest}." if farthest else ""),
        [
            Point(model.rank_x, model.rank_y, model.name if model in named else "")
            for model in ordered
        ],
        x=f"rank on {compared.x.corpus}",
        y=f"rank on {compared.y.corpus}",
        ranks=agreed.n,
    )


def _rows(cell: Cell) -> Iterator[tuple[object, ...]]:
    compared = cell.comparison
    for model in compared.models:
        yield (
            cell.formulation,
            compared.x.text,
            compared.y.text,
            model.name,
            model.x,
            model.y,
            model.rank_x,
            model.rank_y,
            model.without,
        )


def _influence(cells: Sequence[Cell], source: Source) -> Table:
    rows = []
    for cell in cells:
        known = [
            (model.without, model.name)
            for model in cell.comparison.models
            if model.without is not None
        ]
        if known:
            (low, without_low), (high, without_high) = min(known), max(known)
            compared = cell.comparison
            rows.append(
                (
                    cell.formulation,
                    f"{compared.x.corpus}, {compared.y.corpus}",
                    number(low),
                    without_low,
                    number(high),
                    without_high,
                )
            )
    return Table(
        caption="Spearman's correlation with one model left out: the lowest and the highest",
        header=("formulation", "corpora", "lowest", "without", "highest", "without"),
        rows=tuple(rows),
        source=source,
        words=frozenset({1, 3, 5}),
    )
