"""Columns of a corpus of a library's own records."""

from __future__ import annotations

import pyarrow as pa

_STRING, _STRINGS = pa.string(), pa.list_(pa.string())

CATALOGUE = pa.schema(
    [
        ("id", _STRING),
        ("title", _STRING),
        ("text", _STRING),
        ("body", _STRING),
        ("word_count", pa.int64()),
        ("lcc_code", _STRING),
        ("lcc_name", _STRING),
        ("lcc_uri", _STRING),
        ("lcc_subclass", _STRING),
        ("lcsh", _STRINGS),
        ("genres", _STRINGS),
        ("language", _STRING),
        ("author", _STRING),
        ("year", pa.int64()),
        ("corpus", _STRING),
        ("is_synthetic", pa.bool_()),
        ("control_number", _STRING),
        ("source_file", _STRING),
        ("source_position", pa.int64()),
        ("group_id", _STRING),
    ]
)
