"""Columns of plain text, for a terminal."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence

from evaluate_shelf.printable import columns

_BETWEEN = "  "


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] | None = None) -> list[str]:
    """Lines whose cells stand under each other, two blanks apart.

    Parameters
    ----------
    rows : sequence of sequence of str
        The cells; every row has as many.
    left : collection of int, default=None
        Numbers of the columns that stand to the left, as words do; the others stand to the right,
        as numbers do. All to the left without it.

    Examples
    --------
    >>> aligned([("MODEL", "N"), ("tf", "12")], left={0})
    ['MODEL   N', 'tf     12']
    """
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    words = range(len(widths)) if left is None else left
    return [
        _BETWEEN.join(
            _filled(cell, width, to_the_left=column in words)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _filled(cell: str, width: int, *, to_the_left: bool) -> str:
    # Not `str.ljust`, which counts characters: some fill two columns, some none.
    blanks = " " * (width - columns(cell))
    return cell + blanks if to_the_left else blanks + cell


def wrapped(line: str, width: int, indent: str = "") -> list[str]:
    """A line broken between words, each part as long as the columns of a terminal allow.

    Parameters
    ----------
    line : str
        What it begins with stays; a longer word than the width stands alone.
    width : int
        In columns.
    indent : str, default=""
        What every part but the first begins with.

    Examples
    --------
    >>> wrapped("  one two three", 10, "    ")
    ['  one two', '    three']
    """
    if columns(line) <= width:
        return [line]
    begin = line[: len(line) - len(line.lstrip())]
    parts: list[str] = []
    for word in line.split():
        if parts and columns(f"{parts[-1]} {word}") <= width:
            parts[-1] += f" {word}"
        else:
            parts.append((indent if parts else begin) + word)
    return parts


def terminal_width(unknown: int, narrowest: int = 60) -> int:
    """Columns of the terminal, at least `narrowest`; `unknown` where there is none."""
    return max(narrowest, shutil.get_terminal_size((unknown, 40)).columns)
