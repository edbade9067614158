"""HTML from values. Every text is escaped: names come from strangers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from html import escape

DASH = "–"
_PART = re.compile(r"[^-_/,=:@+]*[-_/,=:@+]|[^-_/,=:@+]+")
_SPOKEN = {
    "multilabel_classification": "multi-label classification",
    "instruction_retrieval": "retrieval by instruction",
    "pair_classification": "pairs",
    "conditional_clustering": "clustering within classes",
}


def spoken(name: str) -> str:
    """A facet or formulation as it is said.

    Examples
    --------
    >>> spoken("instruction_retrieval"), spoken("clustering")
    ('retrieval by instruction', 'clustering')
    """
    return _SPOKEN.get(name, name.replace("_", " "))


def capital(text: str) -> str:
    """A text with a capital in front; the rest stays."""
    return text[:1].upper() + text[1:]


def number(value: float | None, digits: int = 3) -> str:
    """Decimals, with a true minus sign but not before a zero; a dash for None.

    Examples
    --------
    >>> number(-0.0084), number(-0.0002), number(None), number(0.5, 1)
    ('−0.008', '0.000', '–', '0.5')
    """
    return DASH if value is None else f"{value:z.{digits}f}".replace("-", "−")


def interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """An interval in brackets; nothing without one.

    Examples
    --------
    >>> interval(0.1, 0.25, 2), interval(None, 0.2)
    ('[0.10, 0.25]', '')
    """
    if low is None or high is None:
        return ""
    return f"[{number(low, digits)}, {number(high, digits)}]"


def rounded(count: int | None) -> str:
    """A count in thousands, millions or billions; a dash for None.

    Examples
    --------
    >>> [rounded(count) for count in (None, 950, 999_960, 8_192_000, 7_600_000_000)]
    ['–', '950', '1.0 M', '8.2 M', '7.6 B']
    """
    if count is None:
        return DASH
    if count < 1000:
        return str(count)
    for size, letter in ((1e3, "k"), (1e6, "M")):
        if round(count / size, 1) < 1000:
            return f"{count / size:.1f} {letter}"
    return f"{count / 1e9:.1f} B"


def counted(count: int, noun: str) -> str:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "model"), counted(1200, "model")
    ('1 model', '1,200 models')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def breakable(name: str) -> str:
    """A name that may be broken after an underscore and what else joins its parts, escaped.

    Examples
    --------
    >>> breakable("<a_b>")
    '&lt;a_<wbr>b&gt;'
    """
    return "<wbr>".join(map(escape, _PART.findall(name)))


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of text."""
    return f'<p class="{escape(kind)}">{escape(text)}</p>\n' if kind else f"<p>{escape(text)}</p>\n"


def listing(items: Iterable[str], kind: str = "") -> str:
    """A list of texts."""
    inner = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f'<ul class="{escape(kind)}">{inner}</ul>\n' if kind else f"<ul>{inner}</ul>\n"


def help_button(about: str, text: str) -> str:
    """A button that opens a help text; without JavaScript the text is its tooltip."""
    return (
        f'<button type="button" class="help" data-help="{escape(text)}" title="{escape(text)}" '
        f'aria-label="What is {escape(about)}?">?</button>'
    )


def table(
    caption: str,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    words: Collection[int] = (),
    helps: Sequence[str | None] = (),
) -> str:
    """A table in a box that scrolls; the first cell of a row is its heading.

    Parameters
    ----------
    caption : str
        What it shows.
    header : sequence of str
        Names of the columns.
    rows : iterable of sequence of str
        As many texts a row.
    words : collection of int
        Columns that hold words, not numbers.
    helps : sequence of str or None
        By column, what it means.

    Returns
    -------
    str
        HTML, every text escaped.
    """
    kinds = ['class="words"' if n in words else "" for n in range(len(header))]
    padded = [*helps, *(None for _ in header)]
    head = "".join(
        f'<th scope="col" {kind}>{breakable(name)}{help_button(name, text) if text else ""}</th>'
        for name, kind, text in zip(header, kinds, padded, strict=False)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{breakable(cell)}</th>'
            if n == 0
            else f"<td {kind}>{escape(cell)}</td>"
            for n, (cell, kind) in enumerate(zip(row, kinds, strict=True))
        )
        + "</tr>\n"
        for row in rows
    )
    name = escape(caption)
    return (
        f'<div class="scroller" role="region" aria-label="{name}" tabindex="0"><table>'
        f"<caption><span>{name}</span></caption><thead><tr>{head}</tr></thead>\n"
        f"<tbody>{body}</tbody></table></div>\n"
    )
