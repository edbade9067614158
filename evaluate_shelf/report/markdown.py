"""The report as Markdown, for a reader of text or for a converter to PDF."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evaluate_shelf.markdown_text import as_a_block, code, escaped_inline
from evaluate_shelf.printable import columns, one_line
from evaluate_shelf.report.document import (
    COMMAND,
    Block,
    Heading,
    Listing,
    Paragraph,
    Report,
    Table,
)
from evaluate_shelf.report.figures.figure import Figure
from evaluate_shelf.report.source import Source


def markdown(report: Report) -> str:
    """The report as Markdown; nothing in a text is taken for markup.

    Parameters
    ----------
    report : Report
        What it says.

    Returns
    -------
    str
        With the figures as images of the folder `figures`.
    """
    parts = [f"# {_heading(report.title)}", *map(escaped, report.lead)]
    for section in report.sections:
        parts.append(f"## {_heading(section.title)}")
        parts.extend(part for block in section.blocks for part in _block(block))
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """A text as a block on one line: its commands are code, nothing else is markup."""
    return as_a_block(inline(text))


def inline(text: str) -> str:
    r"""The same within a line, or in a cell.

    Examples
    --------
    >>> inline("same_lcc_pairs (ROC AUC), `shelf tasks`, _init_")
    'same_lcc_pairs (ROC AUC), `shelf tasks`, \\_init\\_'
    """
    parts = COMMAND.split(one_line(text, 100_000).strip())
    return "".join(
        f"`{part}`" if number % 2 else escaped_inline(part) for number, part in enumerate(parts)
    )


def _heading(text: str) -> str:
    """Signs at its end would be taken for the heading's own."""
    return re.sub(r"#(?=#*$)", r"\\#", inline(text))


def _block(block: Block) -> Iterator[str]:
    match block:
        case Heading(text):
            yield f"### {_heading(text)}"
        case Paragraph(text, kind):
            yield f"**{inline(text)}**" if kind in ("warning", "unusable") else escaped(text)
        case Listing(items):
            yield "\n".join(f"- {escaped(item)}" for item in items)
        case Table():
            yield escaped(block.caption)
            yield _table(block)
            yield _source(block.source)
        case Figure():
            yield from _figure(block)


def _table(table: Table) -> str:
    """Its columns are aligned, for those who read the text itself."""
    cells = [[inline(cell) for cell in row] for row in (table.header, *table.rows)]
    widths = [max(3, *map(columns, column)) for column in zip(*cells, strict=True)]
    left = [number == 0 or number in table.words for number in range(len(widths))]
    rule = [
        f":{'-' * (width - 1)}" if to_the_left else f"{'-' * (width - 1)}:"
        for width, to_the_left in zip(widths, left, strict=True)
    ]
    header, *rows = (
        [_padded(*cell) for cell in zip(row, widths, left, strict=True)] for row in cells
    )
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rule, *rows))


def _padded(cell: str, width: int, to_the_left: bool) -> str:
    blanks = " " * (width - columns(cell))
    return f"{cell}{blanks}" if to_the_left else f"{blanks}{cell}"


def _figure(figure: Figure) -> Iterator[str]:
    names = figure.picture_names()
    yield escaped(figure.caption)
    for picture, name in zip(figure.pictures, names, strict=True):
        yield f"![{inline(picture.alternative)}](figures/{name}.png)"
    yield _source(figure.source)


def _source(source: Source) -> str:
    file = f"data/{source.name}.csv"
    return (
        f"Data: [{file}]({file}), SHA-256 `{source.sha256}`. Numbers as from {code(source.command)}"
    )
