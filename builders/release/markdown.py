"""Text that somebody else wrote, made safe to stand in Markdown: cells, lines, code, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from evaluate_shelf.bounded import one_line

# What Markdown or HTML reads as a sign wherever it stands; a backslash takes the meaning away.
_SIGNS = re.compile(r"([\\`*\[\]<>|~$&])")
# An underscore inside a word, as in names of columns, means nothing.
_UNDERSCORE = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
# What makes a heading, a list or a rule of a line that begins with it.
_START = re.compile(r"^(?:([#+=-])|(\d+)([.)])(?=\s|$))")
_LONGEST = 2000


def plain(text: str, longest: int = _LONGEST) -> str:
    r"""A text as one line of Markdown that shows what it says, wherever it stands.

    Parameters
    ----------
    text : str
        Of any origin.
    longest : int, default=2000
        Characters of it that are shown.

    Returns
    -------
    str
        One line without links, markup, HTML, formulas or the bars of a table.

    Examples
    --------
    >>> print(plain("# a|b <i>\n--- `x` _y_ of spec_id"))
    \# a\|b \<i\> --- \`x\` \_y\_ of spec_id
    """
    # A control character that is gone can leave a space at the end, or two in the middle.
    folded = " ".join(one_line(text, longest).split())
    line = _UNDERSCORE.sub(r"\\_", _SIGNS.sub(r"\\\1", folded))
    return _START.sub(lambda found: _masked(*found.groups()), line)


def _masked(sign: str | None, number: str | None, dot: str | None) -> str:
    return f"\\{sign}" if sign else f"{number}\\{dot}"


def code(text: str) -> str:
    r"""A name as code; one that code can't hold inside a table stands as plain text.

    Examples
    --------
    >>> print(code("all-corpus"), code("a|b"))
    `all-corpus` a\|b
    """
    line = one_line(text)
    return plain(text) if not line or "`" in line or "|" in line else f"`{line}`"


def number(value: float) -> str:
    """A number with its thousands apart.

    Examples
    --------
    >>> number(62899), number(0.5)
    ('62,899', '0.5')
    """
    return f"{value:,}"


def percent(share: float) -> str:
    """A share in per cent to one place.

    Examples
    --------
    >>> percent(0.4768)
    '47.7 %'
    """
    return f"{100 * share:.1f} %"


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table, from cells that are Markdown already.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : iterable of sequence
        A column with a number in it is set to the right.

    Examples
    --------
    >>> print(table(["class", "documents"], [["A", 1200]]))
    | class | documents |
    |---|--:|
    | A | 1,200 |
    """
    cells = [list(row) for row in rows]
    numeric = [any(_is_number(row[place]) for row in cells) for place in range(len(header))]
    rule = "|".join("--:" if own else "---" for own in numeric)
    lines = [_line(header), f"|{rule}|", *(_line(row) for row in cells)]
    return "\n".join(lines)


def _line(cells: Sequence[object]) -> str:
    shown = (number(cell) if _is_number(cell) else str(cell) for cell in cells)  # type: ignore[arg-type]
    return f"| {' | '.join(shown)} |"


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float)
