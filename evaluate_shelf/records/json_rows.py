"""Rows of a JSON Lines file: an object a line."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.byte_source import BrokenOffError, lines
from evaluate_shelf.records.record import DamageError
from evaluate_shelf.records.table_columns import check_columns

LONGEST_LINE = 4 * 2**20
"""Bytes of the longest line."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# A line need not have every column, but one that none of these has is taken for a mistake.
_LOOKED_AT = 100


def json_rows(path: Path, columns: Sequence[str]) -> Iterator[Mapping[str, object] | DamageError]:
    """Rows of a JSON Lines file in UTF-8.

    Parameters
    ----------
    path : pathlib.Path
    columns : sequence of str
        Keys that are needed, each in at least one of the first 100 lines.

    Returns
    -------
    iterator of mapping or DamageError
        The object of each line, or what is wrong with it. Empty lines are no rows.

    Raises
    ------
    ShelfError
        At once: a column is missing, or no line is an object.
    """
    rows = _rows(path)
    first = list(itertools.islice(rows, _LOOKED_AT))
    objects = [row for row in first if not isinstance(row, DamageError)]
    if not objects:
        raise ShelfError(
            f"{path}: none of its first {_LOOKED_AT} lines is a JSON object; write one on each line"
        )
    check_columns(path, list(dict.fromkeys(key for row in objects for key in row)), columns)
    return itertools.chain(first, rows)


def _rows(path: Path) -> Iterator[Mapping[str, object] | DamageError]:
    try:
        for number, line in enumerate(lines(path, LONGEST_LINE)):
            if line is None:
                yield DamageError(f"too long: a line of more than {LONGEST_LINE:,} bytes")
                continue
            content = line.removeprefix(_BYTE_ORDER_MARK) if number == 0 else line
            if content.strip():
                yield _object(content)
    except BrokenOffError as error:
        yield DamageError(f"cut off: the file cannot be read on ({error})")


def _object(line: bytes) -> Mapping[str, object] | DamageError:
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        return DamageError("wrong encoding: not UTF-8")
    except ValueError as error:
        return DamageError(f"bad row: not JSON: {error}")
    except RecursionError:
        return DamageError("bad row: not JSON: nested too deep")
    if not isinstance(value, dict):
        return DamageError(f"bad row: not a JSON object but a {type(value).__name__}")
    return value
