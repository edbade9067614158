"""Hashes of rows that do not depend on the library that wrote the Parquet file."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa


class Content(NamedTuple):
    """What a table says, as hashes.

    Attributes
    ----------
    sha256 : str
        SHA-256 over the rows' canonical JSON lines, in order.
    field_sha256 : dict of str to str
        The same for the values of each column.
    cell_checks : ndarray of uint32, shape (n_rows, n_columns)
        Each value's CRC-32, to find the row and column that differ.
    """

    sha256: str
    field_sha256: dict[str, str]
    cell_checks: np.ndarray[tuple[int, int], np.dtype[np.uint32]]


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


def content_of(table: pa.Table) -> Content:
    """Hash a table's rows, columns and values.

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
    >>> content_of(pa.table({"a": [1, 2]})).sha256 == content_of(pa.table({"a": [1, 2]})).sha256
    True
    """
    fields: dict[str, str] = {}
    checks = np.empty((table.num_rows, table.num_columns), dtype=np.uint32)
    for number, name in enumerate(table.column_names):
        values = [canonical_json(value).encode("utf-8") for value in table[name].to_pylist()]
        fields[name] = _sha256_of_lines(values)
        checks[:, number] = [zlib.crc32(value) for value in values]
    lines = (canonical_json(row).encode("utf-8") for row in table.to_pylist())
    return Content(_sha256_of_lines(lines), fields, checks)


def _sha256_of_lines(lines: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line)
        digest.update(b"\n")
    return digest.hexdigest()
