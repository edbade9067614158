"""Hashes of rows that do not depend on the library that wrote the Parquet file."""

from __future__ import annotations

import hashlib
import itertools
import json
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evaluate_shelf.files import sha256_of_json

_ABSENT_CHECK = 0xFFFFFFFF


class Content(NamedTuple):
    """What a table says, as hashes.

    Attributes
    ----------
    sha256 : str
        SHA-256 over the number of rows and the columns' hashes by name; their order plays no part.
    field_sha256 : dict of str to str
        The hash of each column's values, in the order of the rows.
    rows : int
        Number of rows.
    """

    sha256: str
    field_sha256: dict[str, str]
    rows: int


class ContentHasher:
    """Hashes the rows of a table that comes in parts.

    A column is hashed as the SHA-256 of three streams: which values are there (a byte each), how
    long they are (strings and lists, as little-endian int64) and what they are (UTF-8; integers
    and truth values as little-endian int64; other numbers as IEEE 754 double), with the kind of
    its values. Lists and structs are hashed through their items. So equal rows give equal hashes,
    whatever stored them and in whatever parts they come.

    Examples
    --------
    >>> hasher = ContentHasher()
    >>> hasher.update(pa.table({"a": [1, 2]}))
    >>> hasher.update(pa.table({"a": [3]}))
    >>> hasher.content() == content_of(pa.table({"a": [1, 2, 3]}))
    True
    """

    def __init__(self) -> None:
        self._columns: dict[str, _ColumnHasher] = {}
        self._rows = 0

    def update(self, table: pa.Table) -> None:
        """Add rows.

        Raises
        ------
        ValueError
            If a value is NaN or infinite, or the columns are not those of the rows before.
        """
        if not self._columns:
            self._columns = {name: _ColumnHasher(kind) for name, kind in _kinds(table.schema)}
        if list(self._columns) != table.column_names:
            raise ValueError("the parts of a table have different columns")
        for name, hasher in self._columns.items():
            for chunk in table[name].chunks:
                hasher.update(chunk)
        self._rows += table.num_rows

    @property
    def hashed_bytes(self) -> int:
        """How many bytes of values were hashed."""
        return sum(hasher.hashed_bytes for hasher in self._columns.values())

    def content(self) -> Content:
        """The hashes of all rows so far."""
        fields = {name: hasher.hexdigest() for name, hasher in self._columns.items()}
        return Content(sha256_of_json([self._rows, fields]), fields, self._rows)


def content_of(table: pa.Table) -> Content:
    """Hash a table's rows and columns.

    Parameters
    ----------
    table : pyarrow.Table
        Any table of JSON-like values (null, bool, integer, float, string, list, struct).

    Returns
    -------
    Content
        Equal for equal rows in the same order, whatever wrote or stored them.

    Raises
    ------
    ValueError
        If a value is NaN or infinite.

    Examples
    --------
    >>> content_of(pa.table({"a": [1, 2]})) == content_of(pa.table({"a": [1, 2]}))
    True
    """
    hasher = ContentHasher()
    hasher.update(table)
    return hasher.content()


def cell_checks(table: pa.Table) -> NDArray[np.uint32]:
    """Each value's CRC-32, shape (n_rows, n_columns), to find the row and column that differ.

    Of a string's UTF-8, of other values' canonical JSON; all bits set where there is no value.

    Examples
    --------
    >>> cell_checks(pa.table({"a": ["x", "x", None]})).tolist()
    [[2363233923], [2363233923], [4294967295]]
    """
    checks = np.empty((table.num_rows, table.num_columns), dtype=np.uint32)
    for number, column in enumerate(table.columns):
        start = 0
        for chunk in column.chunks:
            checks[start : start + len(chunk), number] = _checks_of(chunk)
            start += len(chunk)
    return checks


def canonical_json(value: Any) -> str:
    """JSON with sorted keys, no spaces and no escapes; numbers in Python's shortest form.

    Examples
    --------
    >>> canonical_json({"b": [1, 0.5], "a": None})
    '{"a":null,"b":[1,0.5]}'
    """
    return json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )


def _kinds(schema: pa.Schema) -> Iterator[tuple[str, pa.DataType]]:
    return ((field.name, field.type) for field in schema)


class _ColumnHasher:
    """The three streams of a column, and the hashers of what lies inside its values."""

    def __init__(self, kind: pa.DataType) -> None:
        self._present, self._lengths, self._values = (hashlib.sha256() for _ in range(3))
        self._kind = _name_of(kind)
        self._inner: dict[str, _ColumnHasher] = {}
        self._own_bytes = 0
        if _is_list(kind):
            self._inner["item"] = _ColumnHasher(kind.value_type)
        elif pa.types.is_struct(kind):
            fields = (kind.field(number) for number in range(kind.num_fields))
            self._inner = {field.name: _ColumnHasher(field.type) for field in fields}

    @property
    def hashed_bytes(self) -> int:
        return self._own_bytes + sum(inner.hashed_bytes for inner in self._inner.values())

    def update(self, array: pa.Array) -> None:
        """Add values."""
        self._present.update(np.asarray(array.is_valid()).astype(np.uint8).tobytes())
        if _is_string(array.type):
            lengths, data = _string_parts(array)
            self._add(self._lengths, lengths.astype("<i8").tobytes())
            self._add(self._values, data)
        elif _is_list(array.type):
            lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False)
            self._add(self._lengths, lengths.astype("<i8").tobytes())
            self._inner["item"].update(array.flatten())
        elif pa.types.is_struct(array.type):
            for inner, values in zip(self._inner.values(), array.flatten(), strict=True):
                inner.update(values)
        elif not pa.types.is_null(array.type):
            self._add(self._values, _number_bytes(array))

    def hexdigest(self) -> str:
        """Hash of the streams and of what lies inside."""
        streams = [part.hexdigest() for part in (self._present, self._lengths, self._values)]
        inner = {name: own.hexdigest() for name, own in self._inner.items()}
        return sha256_of_json([self._kind, *streams, inner])

    def _add(self, stream: Any, data: bytes | memoryview) -> None:
        stream.update(data)
        self._own_bytes += len(data)


def _name_of(kind: pa.DataType) -> str:
    """The kind of values, whatever their width."""
    for name, is_kind in _KINDS.items():
        if is_kind(kind):
            return name
    raise ValueError(f"values of type {kind} cannot be part of a release")


def _is_string(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


_KINDS = {
    "null": pa.types.is_null,
    "boolean": pa.types.is_boolean,
    "integer": pa.types.is_integer,
    "number": pa.types.is_floating,
    "string": _is_string,
    "list": _is_list,
    "struct": pa.types.is_struct,
}


def _string_parts(array: pa.Array) -> tuple[NDArray[np.int64], memoryview]:
    """Lengths in bytes, 0 for null, and the UTF-8 of all values behind one another."""
    whole = pc.fill_null(array, "") if array.null_count else array
    offset_type = np.int64 if pa.types.is_large_string(whole.type) else np.int32
    _, offsets, data = whole.buffers()
    if not len(whole) or offsets is None:
        return np.zeros(len(whole), dtype=np.int64), memoryview(b"")
    ends = np.frombuffer(offsets, dtype=offset_type)[whole.offset : whole.offset + len(whole) + 1]
    text = memoryview(data)[int(ends[0]) : int(ends[-1])] if data is not None else memoryview(b"")
    return np.diff(ends).astype(np.int64), text


def _number_bytes(array: pa.Array) -> bytes:
    if pa.types.is_floating(array.type):
        values = np.asarray(pc.fill_null(array.cast(pa.float64()), 0.0))
        if not np.isfinite(values).all():
            raise ValueError("a number is NaN or infinite")
        # Adding 0 makes -0.0 the 0.0 that it equals.
        return (values + 0.0).astype("<f8").tobytes()
    return np.asarray(pc.fill_null(array.cast(pa.int64()), 0)).astype("<i8").tobytes()


def _checks_of(array: pa.Array) -> NDArray[np.uint32]:
    if pa.types.is_null(array.type) or not len(array):
        return np.full(len(array), _ABSENT_CHECK, dtype=np.uint32)
    if pa.types.is_nested(array.type):
        return np.array([_check_of(value) for value in array.to_pylist()], dtype=np.uint32)
    # Most columns have few values, each of which is looked at once.
    encoded = array.dictionary_encode()
    if _is_string(array.type):
        lengths, data = _string_parts(encoded.dictionary)
        ends = np.concatenate(([0], np.cumsum(lengths))).tolist()
        own = [zlib.crc32(data[a:b]) for a, b in itertools.pairwise(ends)]
    else:
        own = [_check_of(value) for value in encoded.dictionary.to_pylist()]
    known = np.array([*own, _ABSENT_CHECK], dtype=np.uint32)
    checks: NDArray[np.uint32] = known[np.asarray(pc.fill_null(encoded.indices, len(own)))]
    return checks


def _check_of(value: Any) -> int:
    return _ABSENT_CHECK if value is None else zlib.crc32(canonical_json(value).encode("utf-8"))
