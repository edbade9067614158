"""The report as one HTML page that asks for nothing else: no script, no font, no file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from evaluate_shelf.report.document import (
    COMMAND,
    Block,
    Heading,
    Listing,
    Paragraph,
    Report,
    Section,
    Table,
)
from evaluate_shelf.report.figures.figure import Figure
from evaluate_shelf.report.figures.inline import inline_svg
from evaluate_shelf.report.figures.palette import COLOURS
from evaluate_shelf.report.source import Source

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(report: Report) -> str:
    """The report as HTML; every text in it is escaped.

    Parameters
    ----------
    report : Report
        What it says.

    Returns
    -------
    str
        A whole document.
    """
    title = escape(report.title)
    lead = "".join(f"<p>{_prose(text)}</p>" for text in report.lead)
    body = "".join(map(_section, report.sections))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        # Without it a browser asks for /favicon.ico.
        '<link rel="icon" href="data:,">'
        f"<title>{title}</title>\n<style>\n{_style()}</style></head>\n"
        f"<body><header><h1>{title}</h1>{lead}</header>\n"
        f"{_contents(report.sections)}<main>\n{body}</main></body></html>\n"
    )


def _style() -> str:
    light, dark = (
        "".join(f"{colour.variable}:{value};" for colour, value in shades)
        for shades in (
            [(colour, colour.light) for colour in COLOURS],
            [(colour, colour.dark) for colour in COLOURS],
        )
    )
    sheet = files("evaluate_shelf.report").joinpath("style.css").read_text(encoding="utf-8")
    return (
        f":root{{{light}}}\n"
        f"@media screen and (prefers-color-scheme: dark){{:root{{{dark}}}}}\n{sheet}"
    )


def _contents(sections: Sequence[Section]) -> str:
    items = "".join(
        f'<li><a href="#{escape(section.key)}">{escape(section.title)}</a></li>'
        for section in sections
    )
    return f'<nav aria-label="Contents"><ol>{items}</ol></nav>\n'


def _section(section: Section) -> str:
    blocks = "".join(map(_block, section.blocks))
    key = escape(section.key)
    return (
        f'<section id="{key}" aria-labelledby="{key}-title">'
        f'<h2 id="{key}-title">{escape(section.title)}</h2>\n{blocks}</section>\n'
    )


def _block(block: Block) -> str:
    match block:
        case Heading(text):
            return f"<h3>{escape(text)}</h3>\n"
        case Paragraph(text, kind):
            return f'<p class="{escape(kind)}">{_prose(text)}</p>\n'
        case Listing(items):
            return f"<ul>{''.join(f'<li>{_prose(item)}</li>' for item in items)}</ul>\n"
        case Table():
            return _table(block)
        case Figure():
            return _figure(block)


def _prose(text: str) -> str:
    return COMMAND.sub(r"<code>\1</code>", escape(text))


def _table(table: Table) -> str:
    caption = escape(table.caption)
    kinds = [' class="words"' if n in table.words else "" for n in range(len(table.header))]
    head = "".join(
        f'<th scope="col"{kind}>{_breakable(name)}</th>'
        for name, kind in zip(table.header, kinds, strict=True)
    )
    rows = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{_breakable(cell)}</th>'
            if number == 0
            else f"<td{kind}>{escape(cell)}</td>"
            for number, (cell, kind) in enumerate(zip(row, kinds, strict=True))
        )
        + "</tr>"
        for row in table.rows
    )
    return (
        f'<div class="scroller" role="region" aria-label="{caption}" tabindex="0"><table>'
        f"<caption><span>{caption}</span></caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>\n{_source(table.source)}"
    )


def _breakable(name: str) -> str:
    """A name that may be broken after an underscore."""
    return escape(name).replace("_", "_<wbr>")


def _figure(figure: Figure) -> str:
    pictures = "".join(
        f'<div class="frame">{inline_svg(picture, name)}</div>'
        for picture, name in zip(figure.pictures, figure.picture_names(), strict=True)
    )
    return (
        f'<figure id="figure-{escape(figure.source.name)}">'
        f'<figcaption>{escape(figure.caption)}</figcaption><div class="pictures">{pictures}</div>'
        f"{_source(figure.source)}</figure>\n"
    )


def _source(source: Source) -> str:
    return (
        f'<p class="source">Data: data/{escape(source.name)}.csv, '
        f"SHA-256 <code>{source.sha256}</code>. Numbers as from "
        f"<code>{escape(source.command)}</code></p>\n"
    )
