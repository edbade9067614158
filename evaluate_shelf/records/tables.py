"""Catalogue records from tables: CSV, TSV, JSON Lines and Parquet."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.byte_source import head
from evaluate_shelf.records.class_numbers import first_class
from evaluate_shelf.records.column_mapping import ColumnMapping, parse_mapping
from evaluate_shelf.records.delimited_rows import csv_rows, tsv_rows
from evaluate_shelf.records.json_rows import json_rows
from evaluate_shelf.records.parquet_rows import parquet_rows
from evaluate_shelf.records.record import (
    CatalogueRecord,
    DamageError,
    Unread,
    cleaned,
    cleaned_lines,
    paragraphs,
    year_in,
)

__all__ = ["ColumnMapping", "parse_mapping", "read_table"]

LONGEST_CELL = 100_000
"""Characters of the longest cell."""

_Rows = Callable[[Path, Sequence[str]], Iterator[Mapping[str, object] | DamageError]]
_TEXT: dict[str, _Rows] = {
    ".csv": csv_rows,
    ".tsv": tsv_rows,
    ".tab": tsv_rows,
    ".jsonl": json_rows,
    ".ndjson": json_rows,
}
_BAR = re.compile(r"\s\|\s")


def read_table(path: Path, columns: ColumnMapping) -> Iterator[CatalogueRecord | Unread]:
    """Read the records of a table.

    Parameters
    ----------
    path : pathlib.Path
        `.csv`, `.tsv`, `.jsonl` (or `.tab`, `.ndjson`), these also compressed by gzip, or
        `.parquet`. Text is UTF-8.
    columns : ColumnMapping
        Which column is what. Class numbers, headings and genres may be lists, or strings with
        " | " or ";" between the values.

    Returns
    -------
    iterator of CatalogueRecord or Unread
        In the order of the rows. The position is the row's number from 1, header and empty lines
        not counted; memory does not grow with the file.

    Raises
    ------
    ShelfError
        At once: the file is missing, of no such kind, or lacks a column; or the mapping names
        neither title nor text.
    """
    if columns.title is None and not columns.text:
        raise ShelfError(f"{path}: name a column for title or text, such as title=Title")
    rows = _reader_for(path)(path, columns.columns)
    return (_read(row, columns, path.name, number) for number, row in enumerate(rows, start=1))


def _reader_for(path: Path) -> _Rows:
    head(path, 1)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".parquet"]:
        return parquet_rows
    kind = suffixes[-2:-1] if suffixes[-1:] == [".gz"] else suffixes[-1:]
    if kind and kind[0] in _TEXT:
        return _TEXT[kind[0]]
    known = ", ".join([*_TEXT, ".parquet"])
    raise ShelfError(f"{path}: not a table that is known by its name; known: {known}")


def _read(
    row: Mapping[str, object] | DamageError, columns: ColumnMapping, file: str, number: int
) -> CatalogueRecord | Unread:
    if isinstance(row, DamageError):
        return Unread(file, number, str(row))
    try:
        return _record(row, columns, file, number)
    except DamageError as damage:
        return Unread(file, number, str(damage), _likely_id(row, columns))


def _record(
    row: Mapping[str, object], columns: ColumnMapping, file: str, number: int
) -> CatalogueRecord:
    title = cleaned(_cell(row, columns.title))
    others = (name for name in columns.text if name != columns.title)
    text = paragraphs([title, *(cleaned_lines(_cell(row, name)) for name in others)])
    if not text:
        raise DamageError("no text")
    numbers = _values(row, columns.lcc)
    class_number = first_class(numbers)
    return CatalogueRecord(
        id=cleaned(_cell(row, columns.id)) or f"{file}:{number}",
        title=title,
        text=text,
        language=cleaned(_cell(row, columns.language)).lower(),
        author=cleaned(_cell(row, columns.author)),
        year=year_in(_cell(row, columns.year)),
        lcc_numbers=numbers,
        lcc_code=class_number.code if class_number else None,
        lcc_subclass=class_number.subclass if class_number else None,
        lcsh=_values(row, columns.lcsh),
        genres=_values(row, columns.genre),
        file=file,
        position=number,
    )


def _likely_id(row: Mapping[str, object], columns: ColumnMapping) -> str | None:
    try:
        return cleaned(_cell(row, columns.id))[:100] or None
    except DamageError:
        return None


def _cell(row: Mapping[str, object], column: str | None) -> str:
    return "" if column is None else _text(row.get(column), column)


def _values(row: Mapping[str, object], column: str | None) -> tuple[str, ...]:
    """Values of a cell that is a list, or a string with separators."""
    cell = None if column is None else row.get(column)
    if column is None or cell is None:
        return ()
    if isinstance(cell, list):
        values = [_text(value, column) for value in cell]
        _check_size(sum(map(len, values)), column)
    else:
        text = _text(cell, column)
        values = _BAR.split(text) if _BAR.search(text) else text.split(";")
    return tuple(dict.fromkeys(filter(None, map(cleaned, values))))


def _text(value: object, column: str) -> str:
    if isinstance(value, DamageError):
        raise value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, dt.date):
        return value.isoformat()
    if not isinstance(value, str):
        raise DamageError(f"wrong value: column {column!r} holds a {type(value).__name__}")
    _check_size(len(value), column)
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise DamageError(f"wrong encoding: column {column!r}: half a character") from error
    return value


def _check_size(size: int, column: str) -> None:
    if size > LONGEST_CELL:
        raise DamageError(
            f"too long: column {column!r} has {size:,} characters, at most {LONGEST_CELL:,} fit"
        )
