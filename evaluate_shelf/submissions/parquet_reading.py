"""Parquet of strangers: the columns, rows and sizes that are expected, or none.

What a file says of itself is looked at first, and data is read only where that is as expected, by
a process whose memory is limited meanwhile. Run it in a process of its own: nothing here survives a
file that makes the library crash.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from evaluate_shelf.submissions.refusals import Refused, quoted
from evaluate_shelf.submissions.texts import fault_in_name

MIB = 2**20
_READER_BYTES = 192 * MIB
"""What the library needs besides the data."""
_OVERHEAD = 4
_SPARE_BYTES = MIB
_TEXT_BYTES = 128
_ROWS_A_GROUP = 1_000
_SPARE_GROUPS = 4
# Bounds on what a file says of itself.
_LONGEST_TEXT = 4 * MIB
_MOST_PARTS = 100_000


class Shape(NamedTuple):
    """What a file has to hold.

    Attributes
    ----------
    schema : pyarrow.Schema
        Its columns, in order.
    least_rows, most_rows : int
        How many rows it may have.
    nullable : frozenset of str
        Columns whose values may be absent.
    """

    schema: pa.Schema
    least_rows: int
    most_rows: int
    nullable: frozenset[str] = frozenset()

    @property
    def most_bytes(self) -> int:
        """How many bytes its values may have."""
        row = sum(_width(field.type) for field in self.schema)
        return _OVERHEAD * row * self.most_rows + _SPARE_BYTES


def read_bounded(path: Path, name: str, shape: Shape) -> pa.Table:
    """Read a Parquet file of a stranger.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    name : str
        What it is called in a refusal.
    shape : Shape
        What it has to hold.

    Returns
    -------
    pyarrow.Table
        Valid in itself; every number is finite, and a value is absent only where `shape` allows.

    Raises
    ------
    Refused
        If it is anything else.
    """
    if path.stat().st_size > shape.most_bytes:
        raise Refused(f"{name}: {path.stat().st_size:,} bytes are more than it can have")
    try:
        with reading_memory(_READER_BYTES + 2 * shape.most_bytes):
            table = _read(path, name, shape)
    except MemoryError as error:
        raise Refused(f"{name}: reading it takes more memory than its rows", repr(error)) from None
    except (pa.ArrowException, OSError, ValueError, KeyError, UnicodeDecodeError) as error:
        raise Refused(
            f"{name}: it cannot be read as Parquet", f"{type(error).__name__}: {error}"
        ) from None
    _check_values(table, name, shape)
    return table


@contextlib.contextmanager
def reading_memory(more: int) -> Iterator[None]:
    """Let this process have so many bytes more, and no others, within a block.

    Only Linux tells how much there is, and holds to such a limit.
    """
    statistics = Path("/proc/self/statm")
    if not statistics.is_file():
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    now = int(statistics.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    limits = [now + more, *(own for own in before if own != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def same_type(given: pa.DataType, expected: pa.DataType) -> bool:
    """Whether two types are equal, whatever the items of a list are called.

    Examples
    --------
    >>> same_type(pa.list_(pa.field("x", pa.int32()), 3), pa.list_(pa.int32(), 3))
    True
    >>> same_type(pa.list_(pa.int32(), 3), pa.list_(pa.int32(), 4))
    False
    """
    if pa.types.is_fixed_size_list(expected):
        return bool(
            pa.types.is_fixed_size_list(given)
            and given.list_size == expected.list_size
            and given.value_type == expected.value_type
        )
    return bool(given == expected)


def _read(path: Path, name: str, shape: Shape) -> pa.Table:
    with pq.ParquetFile(
        path,
        memory_map=False,
        pre_buffer=False,
        thrift_string_size_limit=_LONGEST_TEXT,
        thrift_container_size_limit=_MOST_PARTS,
    ) as file:
        _check_metadata(file.metadata, name, shape)
        _check_schema(file.schema_arrow, name, shape)
        table = file.read(use_threads=False)
        table.validate(full=True)
        return table


def _check_metadata(metadata: pq.FileMetaData, name: str, shape: Shape) -> None:
    if not shape.least_rows <= metadata.num_rows <= shape.most_rows:
        wanted = (
            f"{shape.least_rows:,}"
            if shape.least_rows == shape.most_rows
            else f"{shape.least_rows:,} to {shape.most_rows:,}"
        )
        raise Refused(f"{name}: {metadata.num_rows:,} rows in place of {wanted}")
    if metadata.num_columns != len(shape.schema):
        raise Refused(f"{name}: {_columns(shape)}, not {metadata.num_columns:,} columns")
    groups = metadata.num_row_groups
    if groups > metadata.num_rows // _ROWS_A_GROUP + _SPARE_GROUPS:
        raise Refused(f"{name}: {groups:,} row groups are more than its rows need")
    if fault_in_name(metadata.created_by or "-"):
        raise Refused(f"{name}: it names no program that wrote it")
    if set(metadata.metadata or {}) - {b"ARROW:schema"}:
        raise Refused(f"{name}: it has notes of its own, which no run has")
    rows = size = 0
    for number in range(groups):
        group = metadata.row_group(number)
        rows += group.num_rows
        sizes = [group.column(place).total_uncompressed_size for place in range(len(shape.schema))]
        if group.num_rows < 0 or min(sizes, default=0) < 0:
            raise Refused(f"{name}: it contradicts itself")
        size += sum(sizes)
    if rows != metadata.num_rows:
        raise Refused(f"{name}: its row groups have {rows:,} rows, not {metadata.num_rows:,}")
    if size > shape.most_bytes:
        raise Refused(f"{name}: its values have {size:,} bytes, more than its rows need")


def _check_schema(schema: pa.Schema, name: str, shape: Shape) -> None:
    if schema.names != shape.schema.names:
        raise Refused(f"{name}: {_columns(shape)}")
    if schema.metadata:
        raise Refused(f"{name}: it has notes of its own, which no run has")
    for given, expected in zip(schema, shape.schema, strict=True):
        if not same_type(given.type, expected.type):
            raise Refused(
                f"{name}, field {expected.name!r}: must be of type {expected.type}, not "
                f"{quoted(str(given.type))}"
            )
        if set(given.metadata or {}) - {b"PARQUET:field_id"}:
            raise Refused(f"{name}, field {expected.name!r}: it has notes, which no run has")


def _check_values(table: pa.Table, name: str, shape: Shape) -> None:
    for field in shape.schema:
        place = f"{name}, field {field.name!r}"
        column = table[field.name]
        if column.null_count and field.name not in shape.nullable:
            raise Refused(f"{place}: a row has no value")
        for chunk in column.chunks:
            _check_chunk(chunk, place)


def _check_chunk(chunk: pa.Array, place: str) -> None:
    if pa.types.is_fixed_size_list(chunk.type):
        chunk = chunk.flatten()
        if chunk.null_count:
            raise Refused(f"{place}: a list has no value in a place")
    if pa.types.is_floating(chunk.type):
        if not np.isfinite(chunk.drop_null().to_numpy(zero_copy_only=False)).all():
            raise Refused(f"{place}: a value is NaN or infinite")
    elif pa.types.is_string(chunk.type):
        for text in chunk.unique().to_pylist():
            fault = None if text is None else fault_in_name(text)
            if fault:
                raise Refused(f"{place}: a text {fault}")


def _columns(shape: Shape) -> str:
    return f"its columns must be {', '.join(shape.schema.names)}"


def _width(kind: pa.DataType) -> int:
    """Bytes of a value."""
    if pa.types.is_fixed_size_list(kind):
        return int(kind.list_size) * _width(kind.value_type)
    if pa.types.is_dictionary(kind):
        return _width(kind.value_type)
    return _TEXT_BYTES if pa.types.is_string(kind) else max(1, int(kind.bit_width) // 8)
