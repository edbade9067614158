"""Columns of `transfer_lcshbench`."""

from __future__ import annotations

import pyarrow as pa

_STRING = pa.string()

# The published columns in their order, then what every other corpus has and the published one
# lacks.
LCSHBENCH = pa.schema(
    [
        ("id", _STRING),
        ("title", _STRING),
        ("body", _STRING),
        ("text", _STRING),
        ("lcc_code", _STRING),
        ("language", _STRING),
        ("word_count", pa.int64()),
        ("corpus", _STRING),
        ("is_synthetic", pa.bool_()),
        ("n_agencies", pa.int64()),
        ("catalogs", pa.list_(_STRING)),
        ("lcc_name", _STRING),
        ("lcc_uri", _STRING),
        ("group_id", _STRING),
    ]
)
