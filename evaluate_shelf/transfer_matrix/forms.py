"""A matrix as text, Markdown, CSV or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluate_shelf.counts import counted
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing
from evaluate_shelf.spreadsheets import csv_text
from evaluate_shelf.text_columns import aligned
from evaluate_shelf.transfer_matrix.cell import Cell
from evaluate_shelf.transfer_matrix.matrix import CorpusFacts, Matrix

_CORNER = "learned from / tested on"
_CSV_COLUMNS = (
    "model", "size", "words", "split", "train", "test", "macro_f1", "low", "high", "chance",
    "accuracy", "macro_f1_of_known", "unit", "n_units", "n_train", "n_test", "unknown", "repeated",
    "converged",
)  # fmt: skip


def as_text(matrix: Matrix) -> str:
    """For a terminal: the table, differences, and what has to be known of them."""
    parts = [title(matrix), "\n".join(aligned(_table(matrix)))]
    if matrix.differences:
        parts.append("\n".join([_DIFFERENCES, "", *aligned(_difference_table(matrix))]))
    return "\n\n".join([*parts, "\n".join(notes(matrix))]) + "\n"


def as_markdown(matrix: Matrix) -> str:
    """The same as Markdown."""
    parts = [f"**{title(matrix)}**", _piped(_table(matrix))]
    if matrix.differences:
        parts += [_DIFFERENCES, _piped(_difference_table(matrix))]
    return "\n\n".join([*parts, "\n".join(f"- {note}" for note in notes(matrix))]) + "\n"


def as_csv(matrix: Matrix) -> str:
    """A line a cell; a text that a spreadsheet would take for a formula is behind an apostrophe."""
    settings = matrix.settings
    common = [matrix.model.name, settings.size, settings.words, settings.split]
    rows = []
    for cell in matrix.cells:
        values = cell.model_dump(exclude={"fit", "unknown"})
        values |= {"unknown": " ".join(cell.unknown), "converged": cell.fit.converged}
        rows.append([*common, *(values[column] for column in _CSV_COLUMNS[len(common) :])])
    return csv_text(_CSV_COLUMNS, rows)


def as_json(matrix: Matrix) -> str:
    """All of it; `read_matrix` reads it again."""
    values = matrix.model_dump(mode="json")
    return json.dumps(values, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


_FORMS = {".json": as_json, ".md": as_markdown, ".csv": as_csv, ".txt": as_text}


def check_suffix(file: Path) -> None:
    """Refuse a file whose name does not say how it is to be written.

    Raises
    ------
    ShelfError
        Names the endings that there are.
    """
    if file.suffix.lower() not in _FORMS:
        raise ShelfError(f"{file}: the name has to end in {', '.join(_FORMS)}")


def write_matrix(file: Path, matrix: Matrix) -> None:
    """Write a matrix in the form that the file's name ends in.

    Raises
    ------
    ShelfError
        As `check_suffix`.
    """
    check_suffix(file)
    with replacing(file) as temporary:
        temporary.write_text(_FORMS[file.suffix.lower()](matrix), encoding="utf-8")


def title(matrix: Matrix) -> str:
    """What the numbers are, in one line."""
    settings = matrix.settings
    size = "all documents" if settings.size == "full" else "corpora of equal size"
    words = "" if settings.words is None else f", {_first_words(settings.words)} of each"
    return f"Macro-F1 of {matrix.label_field}, {matrix.model.name}, {size}{words}"


def _first_words(words: int) -> str:
    return "the first word" if words == 1 else f"the first {words:,} words"


def notes(matrix: Matrix) -> list[str]:
    """What has to be known of the numbers: split, intervals, what is missing or repeated."""
    level = f"{100 * matrix.bootstrap.level:g} %"
    intervals = (
        f"In brackets {level} intervals, from {matrix.bootstrap.replicates:,} resamples of what "
        "each corpus is grouped by, or of its documents"
    )
    alone = " Cells of one column are over the same documents." if len(matrix.corpora) > 1 else ""
    corpora = [_of_corpus(corpus) for corpus in matrix.corpora]
    return [
        _of_split(matrix),
        f"{intervals}.{alone}",
        _of_chance(matrix),
        *corpora,
        *_of_cells(matrix),
    ]


_DIFFERENCES = (
    "Differences in a column, of the same resamples; not corrected for how many there are"
)


def _of_split(matrix: Matrix) -> str:
    tested = 100 * matrix.settings.test_share
    return (
        f"All documents of a corpus are pooled and split anew, {100 - tested:g} to {tested:g}, as "
        "in the paper, not as its release splits them: a score of a corpus on itself is not the "
        "one of a leaderboard."
    )


def _of_chance(matrix: Matrix) -> str:
    levels = [cell.chance for cell in matrix.cells]
    within = [
        f"{cell.train} to {cell.test}"
        for cell in matrix.cells
        if cell.low is not None and cell.low <= cell.chance
    ]
    told = f"; within it: {', '.join(within)}" if within else ""
    return (
        "Chance, the same predictions dealt out anew, is "
        f"{min(levels):.3f} to {max(levels):.3f}{told}."
    )


def _of_corpus(corpus: CorpusFacts) -> str:
    split = f"by {corpus.grouped_by}" if corpus.grouped_by else "each class by itself"
    unlabelled = f"; {corpus.unlabelled:,} without a class left out" if corpus.unlabelled else ""
    drawn = corpus.n - corpus.unlabelled - corpus.used
    sample = f"; {drawn:,} left out by chance" if drawn else ""
    return (
        f"{corpus.name}: config {corpus.config} of release {corpus.release_id}, "
        f"{corpus.used:,} documents of {len(corpus.classes)} classes, split {split}: "
        f"{corpus.n_train:,} to learn from, {corpus.n_test:,} of "
        f"{counted(len(corpus.classes_tested), 'class', 'classes')} to be tested on"
        f"{unlabelled}{sample}."
    )


def _of_cells(matrix: Matrix) -> Iterator[str]:
    for train in matrix.names:
        row = [cell for cell in matrix.cells if cell.train == train]
        if not row[0].fit.converged:
            yield (
                f"{train}: the probe did not converge in {row[0].fit.iterations:,} iterations; "
                f"largest entry of its gradient {row[0].fit.gradient_norm:.1e}."
            )
        for cell in row:
            if cell.unknown:
                yield _of_unknown(cell)
            if cell.repeated:
                yield (
                    f"{cell.train} to {cell.test}: of {counted(cell.n_test, 'tested text')} "
                    f"{cell.repeated:,} {'is' if cell.repeated == 1 else 'are'} learned from as "
                    "well."
                )


def _of_unknown(cell: Cell) -> str:
    known = cell.macro_f1_of_known
    rest = "it has none of the others" if known is None else f"over the others {known:.3f}"
    return (
        f"{cell.train} to {cell.test}: there is nothing to learn {', '.join(cell.unknown)} from, "
        f"whose F1 is 0; {rest}."
    )


def _table(matrix: Matrix) -> list[list[str]]:
    rows = [
        [train, *(_score(matrix.cell(train, test)) for test in matrix.names)]
        for train in matrix.names
    ]
    return [[_CORNER, *matrix.names], *rows]


def _difference_table(matrix: Matrix) -> list[list[str]]:
    rows = [
        [own.test, f"{own.first} less {own.second}", f"{own.value:+.3f}{_span(own.low, own.high)}"]
        for own in matrix.differences
    ]
    return [["tested on", "learned from", "difference"], *rows]


def _score(cell: Cell) -> str:
    return f"{cell.macro_f1:.3f}{_span(cell.low, cell.high)}"


def _span(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{low:.3f}, {high:.3f}]"


def _piped(table: Sequence[Sequence[str]]) -> str:
    header, *rows = [[cell.replace("|", "\\|") for cell in row] for row in table]
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
