"""Rows of published files, in the types of this project, a bounded number at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from builders.published.conversion import UnfitError, converted, unknown_fields
from builders.published.corpora import Taken
from builders.published.files import SourceFile
from builders.published.findings import Finding, Findings
from evaluate_shelf.errors import ShelfError

_ROWS_A_BATCH = 1000
_LONGEST_TEXT = 20_000_000

_LACKING = Finding("filled with nulls, the published files have no such column")
_FOREIGN = Finding("left out, a column that is not among the known ones")


class Batch(NamedTuple):
    """Some rows of a file, as published.

    Attributes
    ----------
    file : SourceFile
        Where they are from.
    first_row : int
        Number of the first of them in the file.
    rows : pyarrow.RecordBatch
        Some of its columns, not yet converted.
    """

    file: SourceFile
    first_row: int
    rows: pa.RecordBatch


def batches_of(files: Sequence[SourceFile], columns: Sequence[str]) -> Iterator[Batch]:
    """Some columns of all rows of some files, as far as each file has them.

    Raises
    ------
    ShelfError
        If a file is damaged, or holds bytes that are no text where text is said to be.
    """
    for file in files:
        first_row = 0
        try:
            with pq.ParquetFile(file.path) as parquet:
                own = [name for name in columns if name in parquet.schema_arrow.names]
                for rows in parquet.iter_batches(batch_size=_ROWS_A_BATCH, columns=own):
                    rows.validate(full=True)
                    yield Batch(file, first_row, rows)
                    first_row += rows.num_rows
        except (pa.ArrowException, OSError) as error:
            reason = " ".join(str(error).split())
            raise ShelfError(
                f"{file.path}, row {first_row} or after: damaged, it cannot be read: {reason:.200}"
            ) from error


def check_columns(taken: Taken, files: Sequence[SourceFile], findings: Findings) -> None:
    """Refuse files without what a config needs; count the columns that are lacking and foreign.

    Raises
    ------
    ShelfError
        Names the file and all that it lacks.
    """
    lacking: set[str] = set()
    foreign: set[str] = set()
    for file in files:
        names = pq.read_schema(file.path).names
        if len(set(names)) < len(names):
            raise ShelfError(f"{file.path}: two of its columns have one name")
        missing = sorted(taken.required - set(names))
        if not {"body", "text"} & set(names):
            missing.append("body (or text)")
        if missing:
            raise ShelfError(
                f"{file.path}: {taken.name} cannot be taken over without the columns "
                f"{', '.join(missing)}"
            )
        derived = {"text", "body", "word_count", "lcc_name", "lcc_uri"}
        lacking |= set(taken.read.names) - set(names) - derived
        foreign |= set(names) - set(taken.read.names)
    for finding, columns in ((_LACKING, lacking), (_FOREIGN, foreign)):
        for column in sorted(columns):
            findings.add(finding, value=column)


def typed(batch: Batch, schema: pa.Schema, kept: NDArray[np.bool_], findings: Findings) -> pa.Table:
    """Some of a batch's rows with the columns and types of a schema; missing columns are null.

    Raises
    ------
    ShelfError
        Names the first value that has no meaning in the column's type, with file, row and field.
    """
    positions = np.flatnonzero(kept)
    given = batch.rows.take(pa.array(positions))
    columns = {}
    for field in schema:
        if field.name not in given.schema.names:
            columns[field.name] = pa.nulls(len(positions), field.type)
            continue
        values = given.column(field.name)
        columns[field.name] = _converted(values, field, batch, positions)
        if pa.types.is_struct(field.type):
            _count_unknown(values, field, findings)
    return pa.table(columns, schema=schema)


def _converted(
    values: pa.Array, field: pa.Field, batch: Batch, positions: NDArray[np.intp]
) -> pa.Array:
    try:
        found = converted(values, field.type)
    except UnfitError as unfit:
        name = f"{field.name}.{unfit.field}" if unfit.field else field.name
        raise ShelfError(
            f"{batch.file.path}, row {batch.first_row + int(positions[unfit.row])}, field "
            f"{name!r}: {unfit.reason}"
        ) from unfit
    if pa.types.is_string(field.type):
        _check_length(found, field.name, batch, positions)
    return found


def _check_length(values: pa.Array, name: str, batch: Batch, positions: NDArray[np.intp]) -> None:
    too_long = np.flatnonzero(
        pc.fill_null(pc.greater(pc.binary_length(values), _LONGEST_TEXT), False)
    )
    for row in too_long[:1].tolist():
        raise ShelfError(
            f"{batch.file.path}, row {batch.first_row + int(positions[row])}, field {name!r}: "
            f"longer than {_LONGEST_TEXT:,} bytes"
        )


def _count_unknown(values: pa.Array, field: pa.Field, findings: Findings) -> None:
    given = values.type
    if pa.types.is_struct(given):
        names = {given.field(n).name for n in range(given.num_fields)}
        unknown = names - {field.type.field(n).name for n in range(field.type.num_fields)}
    elif pa.types.is_string(given) or pa.types.is_large_string(given):
        unknown = unknown_fields(values.to_pylist(), field.type)
    else:
        return
    for name in sorted(unknown):
        finding = Finding("left out, a field that is not among the known ones", field.name)
        findings.add(finding, value=name, count=len(values))
