"""Transfer of absolute scores: a probe from each corpus, tested on all."""

from __future__ import annotations

from collections.abc import Iterator

from evaluate_shelf.report.document import Block, Heading, Listing, Paragraph, Section, Table
from evaluate_shelf.report.evidence import Evidence, command_line
from evaluate_shelf.report.figures.figure import Figure, Picture
from evaluate_shelf.report.figures.heat import heat
from evaluate_shelf.report.sections.numbers import estimate, number
from evaluate_shelf.report.source import Source, csv_data
from evaluate_shelf.transfer_matrix.forms import as_csv, notes, title
from evaluate_shelf.transfer_matrix.matrix import Matrix


def matrices(evidence: Evidence) -> Section:
    """The transfer matrices that were given.

    Parameters
    ----------
    evidence : Evidence
        What there is.

    Returns
    -------
    Section
        A sentence where there is none.
    """
    blocks: list[Block] = []
    for place, (_, matrix) in enumerate(evidence.matrices, start=1):
        blocks += _matrix(matrix, f"matrix-{place}", _command(matrix, evidence))
    if blocks:
        blocks.insert(
            0,
            Paragraph(
                "What is learned on one corpus, tested on each. The diagonal says how easy a "
                "corpus is within itself; what a score loses beside it does not carry over."
            ),
        )
    else:
        blocks.append(
            Paragraph(
                "No transfer matrix was given. `shelf transfer-matrix ... --out FILE.json` makes "
                "one, and `--matrix FILE.json` shows it here.",
                "absent",
            )
        )
    return Section("transfer-matrix", "Transfer of absolute scores", tuple(blocks))


def _matrix(matrix: Matrix, name: str, command: str) -> Iterator[Block]:
    yield Heading(title(matrix))
    source = Source(name, as_csv(matrix).encode("utf-8"), command)
    yield Figure(
        caption="Macro-F1: rows are learned from, columns are tested on; darker is lower.",
        pictures=(_picture(matrix),),
        source=source,
    )
    yield Table(
        caption="Macro-F1 with its interval: rows are learned from, columns are tested on",
        header=("learned from", *matrix.names),
        rows=tuple(
            (
                train,
                *(
                    estimate(cell.macro_f1, cell.low, cell.high)
                    for cell in (matrix.cell(train, test) for test in matrix.names)
                ),
            )
            for train in matrix.names
        ),
        source=source,
    )
    if matrix.differences:
        yield Table(
            caption=(
                "Differences in a column, of the same resamples; not corrected for how many there "
                "are"
            ),
            header=("tested on", "learned from", "less learned from", "difference"),
            rows=tuple(
                (own.test, own.first, own.second, estimate(own.value, own.low, own.high))
                for own in matrix.differences
            ),
            source=Source(f"{name}-differences", _difference_data(matrix), command),
            words=frozenset({1, 2}),
        )
    yield Listing(tuple(notes(matrix)))


def _difference_data(matrix: Matrix) -> bytes:
    rows = ((o.test, o.first, o.second, o.value, o.low, o.high) for o in matrix.differences)
    return csv_data(("test", "first", "second", "value", "low", "high"), rows)


def _picture(matrix: Matrix) -> Picture:
    values = [
        [matrix.cell(train, test).macro_f1 for test in matrix.names] for train in matrix.names
    ]
    told = "; ".join(
        f"from {train}: "
        + ", ".join(
            f"{number(value)} on {test}" for test, value in zip(matrix.names, row, strict=True)
        )
        for train, row in zip(matrix.names, values, strict=True)
    )
    return heat(
        f"Macro-F1, {matrix.model.name}",
        f"Macro-F1 of {matrix.model.name}, {told}.",
        values,
        rows=matrix.names,
        columns=matrix.names,
        x="tested on",
        y="learned from",
    )


def _command(matrix: Matrix, evidence: Evidence) -> str:
    """What computes the matrix; where its releases were not given, what reads it from its file."""
    corpora = []
    for corpus in matrix.corpora:
        found = evidence.named_release(corpus.release_id)
        if found is None:
            return evidence.report_command()
        corpora.append(f"{corpus.name}={found[0]}:{corpus.config}")
    settings = matrix.settings
    words = [] if settings.words is None else ["--words", str(settings.words)]
    return command_line(
        *("transfer-matrix", *corpora, "--model", matrix.model.spec, "--size", settings.size),
        *(*words, "--split", settings.split, "--json"),
    )
