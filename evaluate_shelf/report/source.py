"""Where numbers come from: the file that holds them, and the command that gives them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluate_shelf.spreadsheets import csv_text


@dataclass(frozen=True)
class Source:
    """The numbers behind a table, a figure, or both.

    Attributes
    ----------
    name : str
        Its file's name: letters, digits, hyphens, dots, plus signs and underscores.
    data : bytes
        The numbers, as CSV.
    command : str
        What gives them again, as a shell takes it.
    """

    name: str
    data: bytes
    command: str

    @property
    def sha256(self) -> str:
        """Hexadecimal SHA-256 of the data."""
        return hashlib.sha256(self.data).hexdigest()


def csv_data(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    r"""Rows as CSV in UTF-8; numbers in full, an empty cell for None.

    A text that a spreadsheet would take for a formula is put behind an apostrophe.

    Examples
    --------
    >>> csv_data(["model", "value"], [["=1+1", 0.1], ["b", None]])
    b"model,value\n'=1+1,0.1\nb,\n"
    """
    return csv_text(header, rows).encode("utf-8", "replace")
