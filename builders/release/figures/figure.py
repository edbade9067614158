"""A figure: a table, and a picture of it where one can be drawn."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

# A table with more rows or columns stands in its file alone.
_MOST_ROWS = 40
_MOST_COLUMNS = 12

Row = Sequence[object]


@dataclass(frozen=True)
class Figure:
    """A figure of a release.

    Attributes
    ----------
    name : str
        Of its files.
    title : str
        What it shows, in a few words.
    alt : str
        What the picture shows, for those who don't see it.
    csv : bytes
        The whole table.
    png : bytes or None
        The picture; None without matplotlib.
    shown_header : tuple of str
        Columns of the short table for the card.
    shown_rows : tuple of sequence
        Its rows: text of any origin, numbers. None where it is too long for the card.
    note : str
        What the picture leaves out; empty where it shows all.
    """

    name: str
    title: str
    alt: str
    csv: bytes
    png: bytes | None
    shown_header: tuple[str, ...]
    shown_rows: tuple[Row, ...] | None
    note: str = ""

    @property
    def table_path(self) -> str:
        """Path of the table in the release folder."""
        return f"figures/{self.name}.csv"

    @property
    def picture_path(self) -> str:
        """Path of the picture in the release folder."""
        return f"figures/{self.name}.png"


def csv_bytes(header: Sequence[str], rows: Sequence[Row]) -> bytes:
    r"""A table as CSV: UTF-8, comma, quotes where needed, line feeds.

    Examples
    --------
    >>> csv_bytes(["label", "documents"], [["a,b", 2]])
    b'label,documents\n"a,b",2\n'
    """
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue().encode("utf-8")


def if_short(header: Sequence[str], rows: Sequence[Row]) -> tuple[Row, ...] | None:
    """The rows, if a card can show them."""
    if len(rows) > _MOST_ROWS or len(header) > _MOST_COLUMNS:
        return None
    return tuple(rows)
