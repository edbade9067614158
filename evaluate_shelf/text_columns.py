"""Columns of plain text, for a terminal."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence

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
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    words = range(len(widths)) if left is None else left
    return [
        _BETWEEN.join(
            cell.ljust(width) if column in words else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def terminal_width(unknown: int, narrowest: int = 60) -> int:
    """Columns of the terminal, at least `narrowest`; `unknown` where there is none."""
    return max(narrowest, shutil.get_terminal_size((unknown, 40)).columns)
