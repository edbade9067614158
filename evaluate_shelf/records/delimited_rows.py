"""Rows of CSV and TSV files, read so that a damaged row costs no other."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.byte_source import BrokenOffError, lines
from evaluate_shelf.records.record import DamageError
from evaluate_shelf.records.table_columns import check_columns

LONGEST_ROW = 2**20
"""Bytes of the longest row."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CSV: dict[str, Any] = {"delimiter": ",", "strict": True}
# Tab-separated values have no quotes by right, and a title may well begin with one; spreadsheets
# write them with quotes all the same.
_TSV: dict[str, Any] = {"delimiter": "\t", "quoting": csv.QUOTE_NONE, "strict": True}
_QUOTED_TSV: dict[str, Any] = {"delimiter": "\t", "strict": True}
_ROWS_LOOKED_AT = 2000


def csv_rows(path: Path, columns: Sequence[str]) -> Iterator[Mapping[str, object] | DamageError]:
    """Rows of a CSV file: commas, double quotes, a header, UTF-8.

    Parameters
    ----------
    path : pathlib.Path
    columns : sequence of str
        Those that are needed.

    Returns
    -------
    iterator of mapping or DamageError
        The cells of each row by column, or what is wrong with it. Empty lines are no rows.

    Raises
    ------
    ShelfError
        At once: a column is missing, or there is no header.
    """
    return _rows(path, columns, _CSV)


def tsv_rows(path: Path, columns: Sequence[str]) -> Iterator[Mapping[str, object] | DamageError]:
    """Rows of a TSV file: tabs, a header, UTF-8. As `csv_rows` otherwise.

    Quotes belong to the text, unless the first 2,000 rows are better read with double quotes
    around cells, as spreadsheets write them: fewer rows are damaged, or as many and quotes are
    doubled inside.
    """
    return _rows(path, columns, _QUOTED_TSV if _has_quoted_cells(path) else _TSV)


def _has_quoted_cells(path: Path) -> bool:
    plain, quoted = (
        list(islice(_split(_Lines(lines(path, LONGEST_ROW)), dialect), _ROWS_LOOKED_AT))
        for dialect in (_TSV, _QUOTED_TSV)
    )
    damaged, damaged_if_quoted = _damaged(plain), _damaged(quoted)
    has_doubled = any('""' in cell for row in plain if isinstance(row, list) for cell in row)
    return damaged_if_quoted < damaged or (damaged_if_quoted == damaged and has_doubled)


def _damaged(rows: Sequence[list[str] | DamageError]) -> int:
    """How many rows have not as many cells as the first."""
    width = len(rows[0]) if rows and isinstance(rows[0], list) else 0
    return sum(not isinstance(row, list) or len(row) != width for row in rows)


def _rows(
    path: Path, columns: Sequence[str], dialect: dict[str, Any]
) -> Iterator[Mapping[str, object] | DamageError]:
    rows = _split(_Lines(lines(path, LONGEST_ROW)), dialect)
    header = next(rows, DamageError("there is none"))
    if isinstance(header, DamageError):
        raise ShelfError(f"{path}, row 0: not a header with the names of the columns: {header}")
    if len(header) == 1 and ";" in header[0]:
        raise ShelfError(
            f"{path}, row 0: its cells seem to be separated by semicolons; save it with commas, or "
            "as tab-separated values (.tsv)"
        )
    check_columns(path, header, columns)
    return (_cells(header, row) for row in rows)


def _cells(header: list[str], row: list[str] | DamageError) -> Mapping[str, object] | DamageError:
    if isinstance(row, DamageError):
        return row
    if len(row) != len(header):
        return DamageError(f"wrong number of fields: {len(row)}, the header has {len(header)}")
    return dict(zip(header, row, strict=True))


class _RowError(Exception):
    """A row cannot be read; holds why."""


class _Lines:
    """Lines for the `csv` module, of which those of a damaged row but its first can go back."""

    def __init__(self, source: Iterator[bytes | None]) -> None:
        self._source = source
        self._back: deque[bytes | None] = deque()
        self._taken: list[bytes | None] = []
        self._size = 0
        self._is_first = True
        self.is_utf8 = True

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._back.popleft() if self._back else next(self._source)
        self._taken.append(line)
        if line is None:
            raise _RowError(f"too long: a line of more than {LONGEST_ROW:,} bytes")
        self._size += len(line)
        if self._size > LONGEST_ROW:
            raise _RowError(f"too long: more than {LONGEST_ROW:,} bytes, or a quote is not closed")
        if self._is_first:
            line, self._is_first = line.removeprefix(_BYTE_ORDER_MARK), False
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:
            self.is_utf8 = False
            return line.decode("utf-8", "replace")

    def begin_row(self) -> None:
        """What was taken so far is done with."""
        self._taken.clear()
        self._size, self.is_utf8 = 0, True

    def put_back(self) -> None:
        """All lines of this row but its first are to be read again."""
        self._back.extendleft(reversed(self._taken[1:]))


def _split(source: _Lines, dialect: dict[str, Any]) -> Iterator[list[str] | DamageError]:
    reader = csv.reader(source, **dialect)
    while True:
        source.begin_row()
        try:
            row = next(reader)
        except StopIteration:
            return
        except BrokenOffError as error:
            yield DamageError(f"cut off: the file cannot be read on ({error})")
            return
        except (csv.Error, _RowError) as error:
            yield DamageError(str(error) if isinstance(error, _RowError) else f"bad row: {error}")
            source.put_back()
            reader = csv.reader(source, **dialect)
            continue
        if not source.is_utf8:
            yield DamageError("wrong encoding: not UTF-8")
        elif row:
            yield row
