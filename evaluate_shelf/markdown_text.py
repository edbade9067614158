"""Text of strangers inside Markdown."""

from __future__ import annotations

import re

from evaluate_shelf.printable import one_line

_LONGEST = 100_000
# Emphasis, code, links, HTML, entities, columns of a table, formulas; what makes an address.
_SIGNS = re.compile(r"[\\`*_\[\]<>&|~$]|:(?=\S)|(?<=www)\.", re.IGNORECASE)
# What a line that begins so would be: a heading, an item of a list, an underlined title.
_BEGINNING = re.compile(r"^(?:[#+=-]|\d+(?=[.)]))")


def escaped(text: str) -> str:
    r"""A text on one line that Markdown shows as it is, in a paragraph or in a table's cell.

    Examples
    --------
    >>> escaped("a_b | <img>"), escaped("1. all-MiniLM-L6-v2")
    ('a\\_b \\| \\<img\\>', '1\\. all-MiniLM-L6-v2')
    """
    shown = _SIGNS.sub(lambda sign: f"\\{sign[0]}", one_line(text, _LONGEST))
    begin = _BEGINNING.match(shown)
    if not begin:
        return shown
    at = begin.end() if begin[0][0].isdigit() else 0
    return f"{shown[:at]}\\{shown[at:]}"
