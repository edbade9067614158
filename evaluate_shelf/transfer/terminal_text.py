"""Rank agreement in words and tables for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from evaluate_shelf.printable import one_line
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.text_columns import aligned, terminal_width
from evaluate_shelf.transfer.agreement import Agreement
from evaluate_shelf.transfer.comparison import Comparison
from evaluate_shelf.transfer.members import Members
from evaluate_shelf.transfer.preregistered import Cell, Outcome
from evaluate_shelf.transfer.settings import Panel, TransferSettings
from evaluate_shelf.transfer.stability import Stability

_NARROWEST, _WIDEST = 60, 100
_LONGEST_NAME = 32
_NONE = "–"


def outcome_text(
    found: Outcome,
    compared: Members,
    panel: Panel,
    settings: TransferSettings,
    width: int | None = None,
) -> str:
    """The verdict with what it rests on, what it means and what it does not.

    Parameters
    ----------
    found : Outcome
        From `preregistered.outcome`.
    compared : Members
        The runs behind it, and what was left out.
    panel : Panel
        Whose models these are.
    settings : TransferSettings
        The rule.
    width : int, default=None
        In characters; the terminal's without it, between 60 and 100. Tables need 78.

    Returns
    -------
    str
        Lines of text.
    """
    lines = _Lines(width)
    lines.paragraph(
        f"Does the order of models on SHELF (config {settings.reference}) hold on text that "
        "people wrote?"
    )
    _header(lines, compared, panel)
    _missing_scores(lines, found)
    lines.table(
        ("FORMULATION", "AGAINST", "N", "SPEARMAN", "INTERVAL", "KENDALL", "PASS"),
        [
            (
                cell.formulation,
                cell.corpus,
                *_numbers(cell.comparison.agreement),
                _answer(cell.passes),
            )
            for cell in found.cells
        ],
        left=(0, 1, 6),
    )
    _footnotes(lines, [cell.comparison.agreement for cell in found.cells])
    _reasons(lines, found.cells)
    _beside(lines, found.beside)
    _weakest(lines, found)
    if found.stability:
        lines.paragraph(_stability(found.stability, settings))
    _verdict(lines, found, settings)
    return lines.text()


def comparison_text(
    found: Comparison, compared: Members, panel: Panel, width: int | None = None
) -> str:
    """Two measures, their agreement, and the models by their rank under the first.

    Parameters
    ----------
    found, compared, panel, width
        As for `outcome_text`.

    Returns
    -------
    str
        Lines of text.
    """
    lines = _Lines(width)
    lines.paragraph(f"x: {found.x.text}\ny: {found.y.text}")
    _header(lines, compared, panel)
    agreed = found.agreement
    if agreed.spearman is None:
        lines.paragraph(f"No rank correlation: {found.why_undefined}.")
    else:
        lines.paragraph(
            f"{agreed.n} models: Spearman {agreed.spearman:.3f}"
            + ("" if agreed.low is None else f", {_percent(agreed)} interval {_interval(agreed)}")
            + ("" if agreed.kendall is None else f"; Kendall {agreed.kendall:.3f}")
            + (
                ""
                if agreed.kendall_low is None
                else f", interval {agreed.kendall_low:.2f} to {agreed.kendall_high:.2f}"
            )
            + "."
        )
    if found.models:
        lines.table(
            ("MODEL", "X", "RANK", "Y", "RANK", "WITHOUT IT"),
            [
                (
                    one_line(model.name, _LONGEST_NAME),
                    f"{model.x:.4f}",
                    f"{model.rank_x:g}",
                    f"{model.y:.4f}",
                    f"{model.rank_y:g}",
                    _NONE if model.without is None else f"{model.without:.3f}",
                )
                for model in sorted(found.models, key=lambda model: (model.rank_x, model.name))
            ],
            left=(0,),
        )
        lines.paragraph("WITHOUT IT: Spearman's correlation of all other models.")
    for row in found.lacking:
        lines.paragraph(f"not compared: {one_line(row.model)}: {row.reason}")
    _footnotes(lines, [agreed])
    return lines.text()


def _header(lines: _Lines, compared: Members, panel: Panel) -> None:
    if compared.runs and compared.runs[0].reported:
        lines.paragraph(f"REPORTED, not computed here: {compared.runs[0].reported}")
    elif compared.runs:
        releases = {
            f"{run.file.data.config} of release {run.file.data.release_id}" for run in compared.runs
        }
        protocol = compared.runs[0].file.protocol.id
        lines.paragraph(f"Computed, protocol {protocol}, on {', '.join(sorted(releases))}.")
    left_out = compared.left_out
    lines.paragraph(
        f"Panel {panel.id}: {panel.note}{' Left out:' if left_out else ''}", blank=not left_out
    )
    for row in left_out:
        lines.item(f"{one_line(row.model)}: {row.reason}")
    if left_out:
        lines.blank()


def _missing_scores(lines: _Lines, found: Outcome) -> None:
    of_model: dict[str, list[str]] = {}
    for cell in found.cells:
        for row in cell.comparison.lacking:
            formulations = of_model.setdefault(one_line(row.model), [])
            if cell.formulation not in formulations:
                formulations.append(cell.formulation)
    if of_model:
        rows = "; ".join(f"{name} ({', '.join(own)})" for name, own in of_model.items())
        lines.paragraph(f"Without a score on one of the corpora, so not in: {rows}.")


def _numbers(found: Agreement) -> tuple[str, ...]:
    return (
        str(found.n),
        _NONE if found.spearman is None else f"{found.spearman:.3f}",
        _NONE if found.low is None else _interval(found),
        _NONE if found.kendall is None else f"{found.kendall:.3f}",
    )


def _interval(found: Agreement) -> str:
    return f"{found.low:.2f} to {found.high:.2f}"


def _percent(found: Agreement) -> str:
    return f"{100 * found.level:g} %"


def _answer(passes: bool | None) -> str:
    return "?" if passes is None else "yes" if passes else "no"


def _footnotes(lines: _Lines, found: Sequence[Agreement]) -> None:
    drawn = next((own for own in found if own.replicates), None)
    if drawn is None:
        return
    undefined = max(own.undefined for own in found)
    lines.paragraph(
        f"INTERVAL: {_percent(drawn)}, from {drawn.replicates:,} draws of as many models with "
        "replacement. It says how far a correlation hangs on which models are compared, not how "
        "well their scores are known."
        + (
            f" Up to {undefined:,} draws gave no correlation, because their models have one score; "
            "they are left out."
            if undefined
            else ""
        )
    )


def _reasons(lines: _Lines, cells: Sequence[Cell]) -> None:
    explained = [cell for cell in cells if cell.reason]
    for cell in explained:
        lines.item(f"{cell.formulation} against {cell.corpus}: {cell.reason}")
    if explained:
        lines.blank()


def _beside(lines: _Lines, cells: Sequence[Cell]) -> None:
    for corpora in dict.fromkeys(cell.corpus for cell in cells):
        known = [
            cell
            for cell in cells
            if cell.corpus == corpora and cell.comparison.agreement.spearman is not None
        ]
        if known:
            lines.paragraph(
                f"Beside it, no part of the rule, the natural corpora with each other ({corpora}):"
            )
            lines.table(
                ("FORMULATION", "N", "SPEARMAN", "INTERVAL", "KENDALL"),
                [(cell.formulation, *_numbers(cell.comparison.agreement)) for cell in known],
                left=(0,),
            )


def _weakest(lines: _Lines, found: Outcome) -> None:
    weakest = found.weakest()
    if weakest is None:
        return
    value = weakest.comparison.agreement.spearman
    text = f"Weakest: {weakest.formulation} against {weakest.corpus}, {value:.3f}."
    ordered = sorted(
        (model.without, model.name)
        for model in weakest.comparison.models
        if model.without is not None
    )
    if ordered:
        (low, without_low), (high, without_high) = ordered[0], ordered[-1]
        text += (
            f" With one model left out it lies between {low:.3f} (without {one_line(without_low)})"
            f" and {high:.3f} (without {one_line(without_high)})."
        )
    lines.paragraph(text)


def _stability(found: Sequence[Stability], settings: TransferSettings) -> str:
    values = ", ".join(
        f"{_NONE if own.median is None else format(own.median, '.3f')} on {own.corpus}"
        + ("" if own.lowest is None else f" (lowest pair {own.lowest:.3f})")
        for own in found
    )
    origin = "as reported" if found[0].origin == "reported" else "computed from the items"
    return (
        f"The order in {settings.stability.formulation} depends on the seed of k-means: median "
        f"rank correlation between two seeds {values}, {origin}; the rule asks for "
        f"{settings.stability.floor:g}."
    )


def _verdict(lines: _Lines, found: Outcome, settings: TransferSettings) -> None:
    rule, total = settings.rule, len(settings.formulations)
    of_the_rule = (
        f"The preregistered rule: Spearman's correlation at least "
        f"{rule.spearman_at_least:g} and the lower end of its interval above "
        f"{rule.lower_end_above:g}, against every natural corpus, in at least "
        f"{rule.formulations_needed} of {total} formulations."
    )
    lines.paragraph(f"VERDICT: {found.verdict.upper()}. {_counts(found, total)} {of_the_rule}")
    facets = sorted({task_named(row.task).facet for row in settings.formulations.values()})
    meaning = {
        "supported": (
            f"models that rank higher on the {' and '.join(facets)} tasks of config "
            f"{settings.reference} tend to rank higher on these natural corpora too, and not in "
            "one formulation only."
        ),
        "not supported": (
            f"the order of these models on config {settings.reference} is not to be taken for "
            "their order on these natural corpora."
        ),
        "not decidable": (
            "too little is known to apply the rule; it is neither supported nor refuted. It needs "
            f"runs of at least four models on {', '.join(settings.corpora)}, and --data for the "
            "stability over seeds."
        ),
    }
    lines.paragraph(f"What this means: {meaning[found.verdict]}")
    if found.verdict == "not decidable":
        return
    lines.paragraph("What it does not mean:", blank=False)
    for limit in _limits(facets, settings.reference):
        lines.item(limit)


def _counts(found: Outcome, total: int) -> str:
    failed = f", failed: {', '.join(found.failed)}" if found.failed else ""
    undecided = f", undecided: {', '.join(found.undecided)}" if found.undecided else ""
    return f"{len(found.passed)} of {total} formulations pass{failed}{undecided}."


def _limits(facets: Iterable[str], reference: str) -> Iterator[str]:
    yield (
        "The formulations share labels, documents and representations. They are not independent "
        "validations: that all agree shows that the order does not hang on one formulation."
    )
    yield f"It is about {' and '.join(facets)} alone, since these corpora have no other label."
    yield (
        f"It is about order, not scores: a score on config {reference} does not tell the score on "
        "other text."
    )
    yield "It does not say which neighbours in a ranking can be told apart."


class _Lines:
    """Text that is broken at the terminal's width."""

    def __init__(self, width: int | None) -> None:
        self._width = min(max(width or terminal_width(80), _NARROWEST), _WIDEST)
        self._lines: list[str] = []

    def text(self) -> str:
        return "\n".join(self._lines).rstrip("\n") + "\n"

    def blank(self) -> None:
        self._lines.append("")

    def paragraph(self, text: str, blank: bool = True) -> None:
        for line in text.split("\n"):
            self._lines.extend(textwrap.wrap(one_line(line), self._width, break_on_hyphens=False))
        if blank:
            self.blank()

    def item(self, text: str) -> None:
        self._lines.extend(
            textwrap.wrap(
                one_line(text),
                self._width,
                initial_indent="- ",
                subsequent_indent="  ",
                break_on_hyphens=False,
            )
        )

    def table(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int]
    ) -> None:
        """Columns two blanks apart, numbers to the right; the numbers of `left` to the left."""
        self._lines.extend(aligned([header, *rows], left))
        self.blank()
