"""All sections of a report, in order."""

from __future__ import annotations

from evaluate_shelf.counts import counted
from evaluate_shelf.report.compared import compared
from evaluate_shelf.report.document import Report
from evaluate_shelf.report.evidence import Evidence, listed
from evaluate_shelf.report.sections.apart import told_apart
from evaluate_shelf.report.sections.attributions import attributions
from evaluate_shelf.report.sections.boards import computed_boards, reported_boards
from evaluate_shelf.report.sections.breakdowns import breakdowns
from evaluate_shelf.report.sections.cards import cards
from evaluate_shelf.report.sections.costs import costs
from evaluate_shelf.report.sections.label_terms import label_term_counts
from evaluate_shelf.report.sections.masking import masked
from evaluate_shelf.report.sections.matrices import matrices
from evaluate_shelf.report.sections.meaning import meaning
from evaluate_shelf.report.sections.transfer import transfer


def report_of(evidence: Evidence) -> Report:
    """The report on some evidence.

    Parameters
    ----------
    evidence : Evidence
        What there is.

    Returns
    -------
    Report
        Every section, with a sentence where something for it is missing.
    """
    boards = list(compared(evidence))
    return Report(
        title="SHELF: report",
        lead=tuple(_lead(evidence)),
        sections=(
            computed_boards(evidence),
            told_apart(boards, evidence),
            reported_boards(evidence),
            transfer(evidence),
            matrices(evidence),
            masked(evidence),
            label_term_counts(evidence),
            attributions(evidence),
            breakdowns(boards, evidence),
            cards(boards, evidence),
            costs(evidence),
            meaning(),
        ),
    )


def _lead(evidence: Evidence) -> list[str]:
    lead = []
    if evidence.computed:
        models = {run.file.model.name for run in evidence.computed}
        configs = sorted({run.file.data.config for run in evidence.computed})
        lead.append(
            f"{counted(len(evidence.computed), 'run')} of {counted(len(models), 'model')} on "
            f"{listed(configs)}, from {listed(evidence.folders)}."
        )
    if evidence.reported:
        models = {run.file.model.name for run in evidence.reported}
        source = evidence.reported[0].reported
        lead.append(
            f"Reported scores of {counted(len(models), 'model')}, shown apart. Source: {source}"
        )
    lead += [f"{problem}." for problem in evidence.unused_releases()]
    lead.append(
        "Every table and every figure names the command that gives its numbers, the file of this "
        "report that holds them, and its SHA-256."
    )
    return lead
