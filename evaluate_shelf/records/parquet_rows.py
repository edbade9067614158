"""Rows of a Parquet file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.record import DamageError
from evaluate_shelf.records.table_columns import check_columns

_BATCH = 500


def parquet_rows(
    path: Path, columns: Sequence[str]
) -> Iterator[Mapping[str, object] | DamageError]:
    """Rows of a Parquet file, of which only the columns that are needed are read.

    Parameters
    ----------
    path : pathlib.Path
    columns : sequence of str

    Returns
    -------
    iterator of mapping or DamageError
        The cells of each row, or what is wrong with it.

    Raises
    ------
    ShelfError
        At once: it is no Parquet file, or a column is missing.
    """
    try:
        file = pq.ParquetFile(path)
        names = list(file.schema_arrow.names)
    except (pa.ArrowException, OSError) as error:
        raise ShelfError(f"{path}: not a Parquet file that can be read: {error}") from error
    check_columns(path, names, columns)
    return _rows(file, list(columns))


def _rows(file: Any, columns: list[str]) -> Iterator[Mapping[str, object] | DamageError]:
    with file:
        try:
            for batch in file.iter_batches(batch_size=_BATCH, columns=columns):
                yield from _rows_of(batch)
        except (pa.ArrowException, OSError) as error:
            yield DamageError(f"cut off: the file cannot be read on ({error})")


def _rows_of(batch: Any) -> Iterator[Mapping[str, object] | DamageError]:
    try:
        yield from batch.to_pylist()
    except UnicodeDecodeError:
        for number in range(batch.num_rows):
            yield _row(batch.slice(number, 1))


def _row(batch: Any) -> Mapping[str, object] | DamageError:
    try:
        row: Mapping[str, object] = batch.to_pylist()[0]
    except UnicodeDecodeError:
        return DamageError("wrong encoding: not UTF-8")
    return row
