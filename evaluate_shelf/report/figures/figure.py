"""A figure: pictures, the data behind them, and the command that gives the data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluate_shelf.spreadsheets import csv_text


@dataclass(frozen=True)
class Picture:
    """A drawing.

    Attributes
    ----------
    alternative : str
        What it shows, in words, for those who do not see it.
    svg, png : bytes
        The same drawing in two forms.
    """

    alternative: str
    svg: bytes
    png: bytes


@dataclass(frozen=True)
class Figure:
    """Pictures of one kind over one table of data.

    Attributes
    ----------
    name : str
        Its files' name: letters, digits and hyphens.
    caption : str
        What it shows and how to read it.
    pictures : tuple of Picture
        At least one.
    data : bytes
        The numbers that are drawn, as CSV.
    command : str
        The command that gives these numbers.
    """

    name: str
    caption: str
    pictures: tuple[Picture, ...]
    data: bytes
    command: str

    @property
    def sha256(self) -> str:
        """Hexadecimal SHA-256 of the data."""
        return hashlib.sha256(self.data).hexdigest()

    def picture_names(self) -> list[str]:
        """The name of each picture's files, without suffix.

        Examples
        --------
        >>> empty = Picture("", b"", b"")
        >>> Figure("cost", "", (empty,), b"", "").picture_names()
        ['cost']
        >>> Figure("cost", "", (empty, empty), b"", "").picture_names()
        ['cost-1', 'cost-2']
        """
        if len(self.pictures) == 1:
            return [self.name]
        return [f"{self.name}-{number}" for number in range(1, len(self.pictures) + 1)]


def csv_data(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    r"""Rows as CSV in UTF-8; numbers in full, an empty cell for None.

    A text that a spreadsheet would take for a formula is put behind an apostrophe.

    Examples
    --------
    >>> csv_data(["model", "value"], [["=1+1", 0.1], ["b", None]])
    b"model,value\n'=1+1,0.1\nb,\n"
    """
    return csv_text(header, rows).encode("utf-8", "replace")
