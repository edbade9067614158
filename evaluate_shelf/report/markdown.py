"""The report as Markdown, for a reader of text or for a converter to PDF."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evaluate_shelf.printable import one_line
from evaluate_shelf.report.document import Block, Heading, Listing, Paragraph, Report, Table
from evaluate_shelf.report.figures.figure import Figure

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~$^&-])")
_NUMBERED = re.compile(r"^(\d+)([.)])")


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
    parts = [f"# {escaped(report.title)}", *map(escaped, report.lead)]
    for section in report.sections:
        parts.append(f"## {escaped(section.title)}")
        parts.extend(part for block in section.blocks for part in _block(block))
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    r"""A text on one line, every sign that Markdown gives a meaning to taken as it is.

    Examples
    --------
    >>> escaped("a_b <img> 1*2"), escaped("1. x")
    ('a\\_b \\<img\\> 1\\*2', '1\\. x')
    """
    return _NUMBERED.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", one_line(text, 100_000).strip()))


def _block(block: Block) -> Iterator[str]:
    match block:
        case Heading(text):
            yield f"### {escaped(text)}"
        case Paragraph(text, kind):
            yield f"**{escaped(text)}**" if kind == "warning" else escaped(text)
        case Listing(items):
            yield "\n".join(f"- {escaped(item)}" for item in items)
        case Table():
            yield escaped(block.caption)
            yield _table(block)
        case Figure():
            yield from _figure(block)


def _table(table: Table) -> str:
    rules = [
        ":--" if number == 0 or number in table.words else "--:"
        for number in range(len(table.header))
    ]
    rows = [_row(map(escaped, row)) for row in table.rows]
    return "\n".join([_row(map(escaped, table.header)), _row(rules), *rows])


def _row(cells: Iterator[str] | Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _figure(figure: Figure) -> Iterator[str]:
    names = figure.picture_names()
    for picture, name in zip(figure.pictures, names, strict=True):
        yield f"![{escaped(picture.alternative)}](figures/{name}.png)"
    drawings = ", ".join(f"[{name}.svg](figures/{name}.svg)" for name in names)
    yield (
        f"*{escaped(figure.caption)}* {drawings}. Data: [{figure.name}.csv]"
        f"(figures/{figure.name}.csv), SHA-256 `{figure.sha256}`. Numbers as from "
        f"{code(figure.command)}"
    )


def code(text: str) -> str:
    """A text as a code span, whatever backticks it holds.

    Examples
    --------
    >>> code("shelf report runs")
    '`shelf report runs`'
    """
    line = one_line(text, 10_000)
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{fence}{space}{line}{space}{fence}"
