"""Rows of a Parquet file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.record import DamageError
from evaluate_shelf.records.table_columns import check_columns

LONGEST_CELL_BYTES = 400_000
"""Bytes of the longest cell: four for each character that a table's cell may have."""

_BATCH = 500
_BATCH_BYTES = 2**25
# What pyarrow raises for values that Python cannot hold, and for bytes that it cannot read.
_ODD = (
    ArithmeticError,
    ImportError,
    LookupError,
    NotImplementedError,
    OSError,
    TypeError,
    ValueError,
    pa.ArrowException,
)


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
        The cells of each row, a cell that cannot be read as a DamageError; or why the file cannot
        be read on. A cell is decoded when its row comes, one of more than `LONGEST_CELL_BYTES`
        not at all.

    Raises
    ------
    ShelfError
        At once: it is no Parquet file, or a column is missing.
    """
    try:
        with pq.ParquetFile(path) as file:
            names = list(file.schema_arrow.names)
            texts = _text_leaves(file.schema)
        check_columns(path, names, columns)
        file = pq.ParquetFile(path, read_dictionary=texts)
    except _ODD as error:
        raise ShelfError(f"{path}: not a Parquet file that can be read: {error}") from error
    return _rows(file, list(columns))


def _text_leaves(schema: Any) -> list[str]:
    """Paths of the columns of text or bytes: as dictionaries, a value is held once."""
    leaves = (schema.column(number) for number in range(len(schema)))
    return [
        leaf.path
        for leaf in leaves
        if leaf.physical_type == "BYTE_ARRAY" and leaf.logical_type.type in ("STRING", "NONE")
    ]


def _rows(file: Any, columns: list[str]) -> Iterator[Mapping[str, object] | DamageError]:
    with file:
        try:
            for group in range(file.num_row_groups):
                size = _rows_a_batch(file.metadata.row_group(group))
                for batch in file.iter_batches(size, row_groups=[group], columns=columns):
                    yield from _rows_of(batch)
        except _ODD as error:
            yield DamageError(f"cut off: the file cannot be read on ({error})")


def _rows_a_batch(group: Any) -> int:
    fitting: int = _BATCH_BYTES * group.num_rows // max(1, group.total_byte_size)
    return max(1, min(_BATCH, fitting))


def _rows_of(batch: Any) -> Iterator[Mapping[str, object]]:
    columns = zip(batch.schema.names, batch.columns, strict=True)
    cells = [_cells(name, column) for name, column in columns]
    for row in zip(*cells, strict=True):
        yield dict(zip(batch.schema.names, row, strict=True))


def _cells(name: str, column: Any) -> Iterable[object]:
    """Values as Python has them, or what is wrong with each.

    Made all at once where they are small and none is odd, else each as it is asked for.
    """
    sizes = _sizes(column) if _is_read(column.type) else None
    if sizes is not None and sizes.sum() <= _BATCH_BYTES and sizes.max() <= LONGEST_CELL_BYTES:
        is_dictionary = pa.types.is_dictionary(column.type)
        with contextlib.suppress(*_ODD):
            plain = column.dictionary_decode() if is_dictionary else column
            values: list[object] = plain.to_pylist()
            return values
    return (_cell(name, column, sizes, number) for number in range(len(column)))


def _is_read(kind: Any) -> bool:
    """Whether cells are single values or lists of them."""
    if _is_list(kind) or pa.types.is_dictionary(kind):
        return _is_read(kind.value_type)
    return not pa.types.is_nested(kind)


def _is_list(kind: Any) -> bool:
    types = pa.types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _sizes(column: Any) -> Any:
    """Bytes of text of each cell, and one for each value of a list: shape (cells,), int64."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        # A null has no place in the dictionary; the 0 at the end is its size.
        own = np.append(_sizes(column.dictionary), 0)
        return own[pc.fill_null(column.indices, -1).to_numpy(zero_copy_only=False)]
    if _is_list(kind):
        before = np.concatenate([[0], np.cumsum(_sizes(column.values) + 1)])
        if pa.types.is_fixed_size_list(kind):
            bounds = (np.arange(len(column) + 1) + column.offset) * kind.list_size
        else:
            bounds = column.offsets.to_numpy()
        return np.diff(before[bounds])
    try:
        return pc.fill_null(pc.binary_length(column), 0).to_numpy(zero_copy_only=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return np.zeros(len(column), np.int64)


def _cell(name: str, column: Any, sizes: Any, number: int) -> object:
    """A value as Python has it, or what is wrong with it."""
    if sizes is None:
        if not column[number].is_valid:
            return None
        return DamageError(f"wrong value: column {name!r} holds a {column.type}")
    if sizes[number] > LONGEST_CELL_BYTES:
        return DamageError(
            f"too long: column {name!r} has {sizes[number]:,} bytes, "
            f"at most {LONGEST_CELL_BYTES:,} fit"
        )
    try:
        return column[number].as_py()
    except UnicodeDecodeError:
        return DamageError(f"wrong encoding: column {name!r} is not UTF-8")
    except _ODD as error:
        return DamageError(f"wrong value: column {name!r}: {error}")
