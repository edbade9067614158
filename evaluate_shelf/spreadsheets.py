"""CSV that a spreadsheet opens without running anything."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

# A spreadsheet takes a cell that begins with one of these for a formula; the last four are their
# wide forms. Tab and carriage return are skipped by some before they look.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def guarded(cell: str) -> str:
    """A cell with an apostrophe before what a spreadsheet would take for a formula.

    Examples
    --------
    >>> guarded("=HYPERLINK(...)"), guarded("-ology"), guarded("a = b")
    ("'=HYPERLINK(...)", "'-ology", 'a = b')
    """
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA) else cell


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Rows as CSV, texts guarded; numbers in full, an empty cell for None.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : iterable of sequence
        As many values a row.

    Examples
    --------
    >>> csv_text(["model", "value"], [["=1+1", 0.1], ["b", None]])
    "model,value\n'=1+1,0.1\nb,\n"
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(
        [guarded(value) if isinstance(value, str) else value for value in row] for row in rows
    )
    return stream.getvalue()
