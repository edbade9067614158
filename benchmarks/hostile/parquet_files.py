# ruff: noqa: D103 - the names of attacks say what is wrong
"""Parquet files that are none, that lie about themselves, or have other types than a run's."""

from __future__ import annotations

import json
import struct

import pyarrow as pa

from benchmarks.hostile.forging import (
    CLUSTERS,
    LABELS,
    PAIRS,
    RETRIEVAL,
    TASKS,
    Contents,
    parquet_of,
    resealed,
    table_of,
    zipped,
)
from benchmarks.hostile.payloads import TEXTS
from builders.draws import Draws
from evaluate_shelf.runs.folder import RUN, SCORES
from evaluate_shelf.submissions.contents import items_name

_ROWS_AT_ONCE = 3_000_000


def another_type(draws: Draws, run: Contents) -> bytes:
    name, column, kind = draws.choice(
        [
            (items_name(LABELS), "row", pa.int64()),
            (items_name(LABELS), "row", pa.uint32()),
            (items_name(LABELS), "row", pa.string()),
            (items_name(LABELS), "predicted", pa.string()),
            (items_name(LABELS), "predicted", pa.large_string()),
            (items_name(LABELS), "predicted", pa.dictionary(pa.int8(), pa.string())),
            (items_name(LABELS), "predicted", pa.dictionary(pa.int32(), pa.large_string())),
            (items_name(LABELS), "probability", pa.float64()),
            (items_name(LABELS), "outcome", pa.float32()),
            (items_name(RETRIEVAL), "ranked", pa.list_(pa.int32())),
            (items_name(RETRIEVAL), "ranked", pa.list_(pa.int64(), 100)),
            (items_name(RETRIEVAL), "scores", pa.list_(pa.float64(), 100)),
            (items_name(CLUSTERS), "cluster_seed_42", pa.int32()),
            (items_name(PAIRS), "score", pa.float32()),
            (items_name(PAIRS), "score", pa.string()),
            (SCORES, "value", pa.float32()),
            (SCORES, "n", pa.float64()),
            (SCORES, "n", pa.int32()),
            (SCORES, "task", pa.large_string()),
            (SCORES, "metric", pa.dictionary(pa.int32(), pa.string())),
            (SCORES, "primary", pa.int8()),
            (SCORES, "value", pa.decimal128(38, 20)),
        ]
    )
    table = table_of(run, name)
    values = table[column].combine_chunks().cast(kind, safe=False)
    number = table.column_names.index(column)
    return _zipped(run, name, parquet_of(table.set_column(number, column, values)))


def a_type_of_its_own(draws: Draws, run: Contents) -> bytes:
    """An extension type: what it is made of may be anything."""
    name = items_name(draws.choice(TASKS))
    table = table_of(run, name)
    kind = draws.integer(4)
    field = table.schema.field("row")
    if kind == 0:
        metadata = {"ARROW:extension:name": "arrow.json", "ARROW:extension:metadata": ""}
        field = pa.field("row", pa.int32(), metadata=metadata)
    elif kind == 1:
        metadata = {
            "ARROW:extension:name": "arrow.py_extension_type",
            "ARROW:extension:metadata": "cos\nsystem\n(S'id'\ntR.",
        }
        field = pa.field("row", pa.int32(), metadata=metadata)
    elif kind == 2:
        text = draws.choice([own for own in TEXTS if "\ud800" not in own and "\x00" not in own])
        field = pa.field("row", pa.int32(), metadata={"note": text})
    else:
        storage = pa.array([bytes(16)] * len(table), pa.binary(16))
        values = pa.ExtensionArray.from_storage(pa.uuid(), storage)
        return _zipped(run, name, parquet_of(table.set_column(0, "row", values)))
    return _zipped(run, name, parquet_of(table.cast(table.schema.set(0, field))))


def notes_of_its_own(draws: Draws, run: Contents) -> bytes:
    name = draws.choice(sorted(set(run) - {RUN}))
    text = draws.choice([own for own in TEXTS if "\ud800" not in own])
    notes = {draws.choice(["pandas", "note", "huggingface"]): text}
    return _zipped(run, name, parquet_of(table_of(run, name).replace_schema_metadata(notes)))


def other_columns(draws: Draws, run: Contents) -> bytes:
    name = draws.choice(sorted(set(run) - {RUN}))
    table = table_of(run, name)
    kind = draws.integer(5)
    if kind == 0:
        table = table.append_column(draws.choice(["x", "<script>", "=1+1"]), table.column(0))
    elif kind == 1:
        table = table.drop_columns([draws.choice(table.column_names)])
    elif kind == 2:
        table = table.select(table.column_names[::-1])
    elif kind == 3:
        table = table.rename_columns([*table.column_names[:-1], draws.choice(["x", "row", ""])])
    else:
        more = draws.between(50, 2_000)
        names = [*table.column_names, *(f"x{number}" for number in range(more))]
        table = pa.table([*table.columns, *[table.column(0)] * more], names=names)
    return _zipped(run, name, parquet_of(table))


def deep_types(draws: Draws, run: Contents) -> bytes:
    name = items_name(draws.choice(TASKS))
    table = table_of(run, name)
    kind: pa.DataType = pa.int32()
    for level in range(draws.choice([2, 20, 100])):
        kind = pa.list_(kind) if level % 2 else pa.struct([("x", kind)])
    values = pa.nulls(len(table), kind)
    return _zipped(run, name, parquet_of(table.append_column("x", values)))


def a_group_for_each_row(draws: Draws, run: Contents) -> bytes:
    name = items_name(draws.choice(TASKS))
    size = draws.between(1, 4)
    return _zipped(run, name, parquet_of(table_of(run, name), row_group_size=size))


def millions_of_rows(draws: Draws, run: Contents) -> bytes:
    """All alike, so that they take no room."""
    name = items_name(draws.choice(TASKS))
    table = table_of(run, name)
    many = table.take(pa.array([0] * draws.choice([100_000, 500_000])))
    return _zipped(run, name, parquet_of(many, compression="zstd"))


def more_rows_than_it_says(draws: Draws, run: Contents) -> bytes:
    """The footer says as many rows as there should be; the pages hold millions."""
    name = items_name(PAIRS)
    table = table_of(run, name)
    column = pa.array([1] * _ROWS_AT_ONCE, pa.int32())
    score = pa.array([0.5] * _ROWS_AT_ONCE, pa.float64())
    empty = pa.nulls(_ROWS_AT_ONCE, pa.float64())
    many = pa.table([column, score, empty], schema=table.schema)
    data = bytearray(parquet_of(many, compression="zstd", row_group_size=_ROWS_AT_ONCE))
    start = len(data) - 8 - struct.unpack_from("<L", data, len(data) - 8)[0]
    said = _padded(2 * len(table), len(_varint(2 * _ROWS_AT_ONCE)))
    data[start:-8] = data[start:-8].replace(_varint(2 * _ROWS_AT_ONCE), said)
    return _zipped(run, name, bytes(data))


def a_label_that_is_longer_than_it_says(draws: Draws, run: Contents) -> bytes:
    """A label of many megabytes that compress to nothing; the footer says little."""
    name = items_name(LABELS)
    table = table_of(run, name)
    length = draws.choice([8, 100, 300]) * 10**6
    labels = pa.array([*table["predicted"].chunk(0).dictionary.to_pylist(), "a" * length])
    indices = pa.array([len(labels) - 1] * len(table), pa.int32())
    forged = pa.DictionaryArray.from_arrays(indices, labels)
    number = table.column_names.index("predicted")
    data = bytearray(parquet_of(table.set_column(number, "predicted", forged), compression="zstd"))
    start = len(data) - 8 - struct.unpack_from("<L", data, len(data) - 8)[0]
    footer = bytes(data[start:-8])
    for size in range(length, length + 2_000):
        # The column's size is the one number of the footer that is so large.
        large = _varint(2 * size)
        footer = footer.replace(large, _padded(2_000, len(large)))
    data[start:-8] = footer
    return _zipped(run, name, bytes(data))


def no_parquet(draws: Draws, run: Contents) -> bytes:
    name = draws.choice(sorted(set(run) - {RUN}))
    data = run[name]
    kind = draws.integer(9)
    forged = [
        data[: len(data) // 2],
        data[:-1],
        b"PAR1" + data[-8:],
        b"PAR1PAR1",
        b"PARE" + data[4:-4] + b"PARE",
        data[:-8] + struct.pack("<L", 2**31 - 1) + b"PAR1",
        data[:-8] + struct.pack("<L", 4) + b"PAR1",
        b"ARROW1\x00\x00" + data,
        json.dumps(table_of(run, name).slice(0, 1).schema.names).encode(),
    ][kind]
    return _zipped(run, name, forged)


def pages_that_are_damaged(draws: Draws, run: Contents) -> bytes:
    """Noise in the place of a column's first page, header and all."""
    name = draws.choice(sorted(set(run) - {RUN}))
    data = bytearray(run[name])
    start = 4
    data[start : start + 60] = bytes(draws.integer(256) for _ in range(60))
    return _zipped(run, name, bytes(data))


def an_empty_footer(draws: Draws, run: Contents) -> bytes:
    name = draws.choice(sorted(set(run) - {RUN}))
    size = draws.choice([0, 1, 100, 60_000])
    noise = bytes(draws.integer(256) for _ in range(size))
    return _zipped(run, name, b"PAR1" + noise + struct.pack("<L", size) + b"PAR1")


def a_flipped_footer(draws: Draws, run: Contents) -> bytes:
    """A byte of what a file says of itself, with new hashes: it may say the same all the same."""
    name = draws.choice(sorted(set(run) - {RUN}))
    data = bytearray(run[name])
    size = struct.unpack_from("<L", data, len(data) - 8)[0]
    data[len(data) - 8 - size + draws.integer(size)] ^= 1 << draws.integer(8)
    return _zipped(run, name, bytes(data))


def _zipped(run: Contents, name: str, data: bytes) -> bytes:
    return zipped(resealed({**run, name: data}))


def _varint(number: int) -> bytes:
    """A whole number as Thrift's compact protocol has it; signed ones are doubled before."""
    parts = []
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def _padded(number: int, length: int) -> bytes:
    """The same number in more bytes than it needs."""
    data = bytearray(_varint(number))
    if len(data) < length:
        data[-1] |= 0x80
        data += b"\x80" * (length - len(data) - 1) + b"\x00"
    return bytes(data)


ATTACKS = (
    another_type,
    a_type_of_its_own,
    notes_of_its_own,
    other_columns,
    deep_types,
    a_group_for_each_row,
    millions_of_rows,
    more_rows_than_it_says,
    a_label_that_is_longer_than_it_says,
    no_parquet,
    pages_that_are_damaged,
    an_empty_footer,
)
"""Each takes draws and a run's files, and gives an archive."""

FUZZED = (a_flipped_footer,)
"""The same; what is accepted of it has to hold what the run held before."""
