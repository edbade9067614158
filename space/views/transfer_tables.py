"""Rank agreement and the matrix of absolute scores, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from evaluate_shelf.aggregate.schema import Aggregate
from evaluate_shelf.aggregate.schema.transfer import (
    Measure,
    NamedReason,
    Transfer,
    TransferCell,
    TransferOutcome,
)
from evaluate_shelf.transfer_matrix.matrix import Matrix

from .corpus_words import corpus_notes
from .markup import counted, interval, listing, number, paragraph, table

_PASSES = {True: "yes", False: "no", None: "–"}
_INTERVAL_HELP = (
    "How far the correlation hangs on which models are compared: models are drawn again with "
    "replacement. It says nothing of how well their scores are known."
)
_HELPS = {
    "Spearman": (
        "Correlation of the two orders: 1 is the same order, 0 none, −1 the reverse. Equal scores "
        "share their average rank."
    ),
    "Spearman's interval": _INTERVAL_HELP,
    "Kendall's interval": f"{_INTERVAL_HELP} Of the same draws as Spearman's.",
    "Kendall": (
        "Of all pairs of models, the share in the same order less the share in the other "
        "(tau-b); smaller than Spearman's by nature."
    ),
    "meets the rule": "Whether the rule that was fixed beforehand holds here.",
}


def agreement(transfer: Transfer) -> str:
    """The rule, its verdicts and the tables of correlations.

    Parameters
    ----------
    transfer : Transfer
        From the aggregate.
    """
    if not transfer.outcomes:
        return paragraph("No scores on two corpora, so there is no order to compare.", "absent")
    outcomes = "".join(_outcome(one, transfer) for one in transfer.outcomes)
    return _rule(transfer) + _corpora(transfer) + outcomes


def matrices(found: Sequence[Matrix]) -> str:
    """The matrix of absolute scores, one table a matrix."""
    if not found:
        return paragraph(
            "No matrix is shown here. The command shelf transfer-matrix --out FILE computes one; "
            "shelf leaderboard --aggregate FILE --matrix FILE puts it into these pages.",
            "absent",
        )
    return "".join(map(_matrix, found))


def scatter_data(aggregate: Aggregate) -> dict[str, Any]:
    """What the scatter plot of a chosen pair is drawn from."""
    transfer = aggregate.transfer
    cells = [
        {
            "x": cell.x,
            "y": cell.y,
            "source": _source(outcome.origin, outcome.protocol),
            **cell.model_dump(
                mode="json",
                include={
                    "n",
                    "spearman",
                    "low",
                    "high",
                    "kendall",
                    "kendall_low",
                    "kendall_high",
                    "level",
                },
            ),
        }
        for outcome in transfer.outcomes
        for cell in (*outcome.cells, *outcome.beside)
    ]
    return {
        "panel": transfer.panel,
        "measures": [_measure(measure) for measure in transfer.measures],
        "cells": cells,
    }


def _measure(measure: Measure) -> dict[str, Any]:
    return {
        "key": measure.key,
        "source": _source(measure.origin, measure.protocol),
        "config": measure.config,
        "task": measure.task,
        "metric": measure.metric,
        "scores": [[model, round(score, 6)] for model, score in measure.scores],
    }


def _source(origin: str, protocol: str | None) -> str:
    return "reported" if origin == "reported" else f"computed, {protocol}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(", ".join(names).rsplit(", ", 1))


def _corpora(transfer: Transfer) -> str:
    notes = corpus_notes((transfer.reference, *transfer.natural))
    return f"<p>The names stand for these documents:</p>{listing(notes)}" if notes else ""


def _rule(transfer: Transfer) -> str:
    return paragraph(
        f"Does the order of models on the documents “{transfer.reference}” hold on "
        f"{_listed(transfer.natural)}, which people wrote? "
        "The rule was fixed before the results were known: Spearman's "
        f"correlation of at least {transfer.spearman_at_least:g}, with the lower end of its "
        f"interval above {transfer.lower_end_above:g}, against each of these, in at least "
        f"{transfer.formulations_needed} formulations."
    )


def _outcome(outcome: TransferOutcome, transfer: Transfer) -> str:
    title = (
        "Reported scores" if outcome.origin == "reported" else f"Computed, {outcome.protocol or ''}"
    )
    head = f"<h3>{escape(title)}</h3>\n"
    if outcome.why_not is not None:
        return head + paragraph(f"Not compared: {outcome.why_not}.", "absent")
    states = [
        f"{name}: {_listed(own)}"
        for name, own in (
            ("passed", outcome.passed),
            ("failed", outcome.failed),
            ("undecided", outcome.undecided),
        )
        if own
    ]
    verdict = (
        f'<p class="verdict"><strong>{escape((outcome.verdict or "no verdict").capitalize())}.'
        f"</strong> {escape('; '.join(states).capitalize())}.</p>\n"
    )
    known = any(cell.spearman is not None for cell in (*outcome.cells, *outcome.beside))
    return head + verdict + (_table(outcome) if known else "") + _beneath(outcome, transfer)


def _table(outcome: TransferOutcome) -> str:
    header = (
        "formulation",
        "order on",
        "and on",
        "models",
        "Spearman",
        "Spearman's interval",
        "Kendall",
        "Kendall's interval",
        "meets the rule",
    )
    return table(
        "Rank agreement by formulation; two corpora of people's text beside each other stand below",
        header,
        map(_row, (*outcome.cells, *outcome.beside)),
        words={1, 2},
        helps=[_HELPS.get(name) for name in header],
    )


def _row(cell: TransferCell) -> tuple[str, ...]:
    return (
        cell.formulation,
        cell.x.partition("/")[0],
        cell.y.partition("/")[0],
        str(cell.n),
        number(cell.spearman),
        interval(cell.low, cell.high, 2) or "–",
        number(cell.kendall),
        interval(cell.kendall_low, cell.kendall_high, 2) or "–",
        _PASSES[cell.passes],
    )


def _beneath(outcome: TransferOutcome, transfer: Transfer) -> str:
    reasons = [
        f"{cell.formulation}, {cell.y.partition('/')[0]}: {reason}"
        for cell in (*outcome.cells, *outcome.beside)
        if (reason := cell.reason or cell.undefined_because)
    ]
    stable = [
        f"{number(one.median)} on {one.corpus}"
        for one in outcome.stability
        if one.median is not None
    ]
    return "".join(
        (
            "<details><summary>What could not be compared, and why</summary>"
            f"{listing(reasons)}</details>\n"
            if reasons
            else "",
            paragraph(
                "Clustering depends on a seed. Median correlation of the orders under two seeds: "
                f"{', '.join(stable)}.",
                "note",
            )
            if stable
            else "",
            _left_out(outcome.left_out, transfer),
        )
    )


def _left_out(rows: Sequence[NamedReason], transfer: Transfer) -> str:
    if not rows:
        return ""
    once = dict.fromkeys(f"{row.name}: {row.reason}" for row in rows)
    are = "is" if len(once) == 1 else "are"
    return (
        f"<details><summary>{counted(len(once), 'model')} {are} not in the panel "
        f"“{escape(transfer.panel)}”, which the rule is about</summary>{listing(once)}</details>\n"
    )


def _matrix(matrix: Matrix) -> str:
    sample = "all documents" if matrix.settings.size == "full" else "corpora of equal size"
    caption = (
        f"Macro-F1 of {matrix.label_field}: a probe on the vectors of {matrix.model.name} that "
        f"learned from the corpus of the row, tested on that of the column ({sample})"
    )
    names = matrix.names
    rows = [[train, *(_cell(matrix, train, test) for test in names)] for train in names]
    chance = ["chance", *(number(_chance(matrix, test)) for test in names)]
    return table(caption, ["learned from", *names], [*rows, chance]) + listing(_drops(matrix))


def _cell(matrix: Matrix, train: str, test: str) -> str:
    cell = matrix.cell(train, test)
    return f"{number(cell.macro_f1)} {interval(cell.low, cell.high, 2)}".rstrip()


def _chance(matrix: Matrix, test: str) -> float:
    levels = [matrix.cell(train, test).chance for train in matrix.names]
    return sum(levels) / len(levels)


def _drops(matrix: Matrix) -> Iterator[str]:
    for test in matrix.names:
        own = matrix.cell(test, test).macro_f1
        for train in matrix.names:
            if train != test:
                other = matrix.cell(train, test).macro_f1
                yield (
                    f"On {test}, a probe from {train} scores {number(other)}, one from {test} "
                    f"itself {number(own)}."
                )
