"""Read a config's rows a bounded number at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evaluate_shelf.release.manifest import DataFile, Manifest, Split

_ROWS_A_BATCH = 4000
_ROWS_A_BATCH_OF_LABELS = 200_000


class Part(NamedTuple):
    """Some rows of a data file.

    Attributes
    ----------
    place : str
        The file's path, for messages.
    split : str
        Its split.
    first_row : int
        Number of the first row in its file.
    table : pyarrow.Table
        The rows.
    """

    place: str
    split: Split
    first_row: int
    table: pa.Table


def batches_of(
    path: Path, columns: Sequence[str] | None = None, rows: int = _ROWS_A_BATCH
) -> Iterator[pa.Table]:
    """Rows of a Parquet file, some columns or all, at most `rows` at a time."""
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=rows, columns=columns and list(columns)):
            table = pa.Table.from_batches([batch])
            yield table.select(columns) if columns else table


def parts_of(
    folder: Path, manifest: Manifest, config: str, columns: Sequence[str] | None = None
) -> Iterator[Part]:
    """All rows of a config, file by file in the order of their paths."""
    files: list[tuple[str, DataFile]] = sorted(
        (path, file) for path, file in manifest.data_files.items() if file.config == config
    )
    for path, file in files:
        first_row = 0
        for table in batches_of(folder / path, columns):
            yield Part(str(folder / path), file.split, first_row, table)
            first_row += table.num_rows


def label_counts(column: pa.ChunkedArray) -> dict[str, int]:
    """How often each label stands in a column; null is none.

    Examples
    --------
    >>> label_counts(pa.chunked_array([["A", "B", None, "A"]]))
    {'A': 2, 'B': 1}
    """
    counted = pc.value_counts(column).to_pylist()
    return {str(own["values"]): own["counts"] for own in counted if own["values"] is not None}


def columns_of(folder: Path, manifest: Manifest, config: str, columns: Sequence[str]) -> pa.Table:
    """Some columns of all rows of a config, and `split`; meant for labels, not for texts."""
    tables = [
        table.append_column("split", pa.array([file.split] * table.num_rows, pa.string()))
        for path, file in sorted(manifest.data_files.items())
        if file.config == config
        for table in batches_of(folder / path, columns, _ROWS_A_BATCH_OF_LABELS)
    ]
    return pa.concat_tables(tables)
