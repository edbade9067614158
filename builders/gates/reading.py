"""What the gates say of a release, read back: `reports/gates.parquet`."""

from __future__ import annotations

import functools
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from builders.budget.folder import ledger_file
from builders.gates.rates import DIMENSIONS
from builders.gates.refused import NEEDED
from builders.gates.report import DOCUMENTS
from builders.gates.table import GATE_TABLE, VERDICTS
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.release.manifest import Manifest

MOST_BYTES, MOST_ROWS, MOST_GENERATORS = 1 << 30, 2_000_000, 500
"""The largest table that is read, and the most generators that are compared."""

COLUMNS = tuple(name for name in GATE_TABLE.names if name in {*NEEDED, *DIMENSIONS.values()})
_MAY_BE_ABSENT = frozenset({"spec_id", *DIMENSIONS.values()} - {"model"})


def check_release(folder: Path) -> None:
    """Refuse a corpus that `shelf write` wrote, which has been through no gate yet.

    Raises
    ------
    ShelfError
        With the command that makes a release of it.
    """
    if ledger_file(folder).is_file():
        raise ShelfError(
            f"{folder}: a corpus of `shelf write`, which no gate has judged yet; "
            f"`shelf build all v0_4_core --written {folder} --out RELEASE` does, then "
            "`shelf gates RELEASE`"
        )


def read_gate_table(folder: Path, manifest: Manifest) -> pa.Table:
    """Read what the gates say of each document that was written for a release.

    Parameters
    ----------
    folder : pathlib.Path
        The release.
    manifest : Manifest
        Its manifest.

    Returns
    -------
    pyarrow.Table
        The columns of `GATE_TABLE` that rates are counted on.

    Raises
    ------
    ShelfError
        If the release has none, or it is not what the manifest says, too large, of other columns
        or at odds with itself.
    """
    file = folder / DOCUMENTS
    if DOCUMENTS not in manifest.other_files:
        raise ShelfError(
            f"{folder}: the release has no {DOCUMENTS}: no gate has judged its documents. "
            "`shelf build` writes it for what `shelf write` or the lexical writer wrote; build "
            "the release again with this version"
        )
    if not file.is_file():
        raise ShelfError(f"{file}: the file is missing; build the release again")
    if file.stat().st_size > MOST_BYTES or sha256_of_file(file) != (
        manifest.other_files[DOCUMENTS].sha256
    ):
        raise ShelfError(
            f"{file}: its bytes are not those of the manifest, or too many; build the release again"
        )
    try:
        with pq.ParquetFile(file) as parquet:
            _check_form(parquet, file)
            table = parquet.read(columns=list(COLUMNS))
    except (pa.ArrowException, OSError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ShelfError(f"{file}: not a Parquet file that can be read: {reason}") from error
    _check_rows(table, file)
    return table


def _check_form(parquet: pq.ParquetFile, file: Path) -> None:
    meta = parquet.metadata
    held = sum(meta.row_group(number).total_byte_size for number in range(meta.num_row_groups))
    if meta.num_rows > MOST_ROWS or held > MOST_BYTES:
        raise ShelfError(
            f"{file}: {meta.num_rows:,} rows of {held:,} bytes; {MOST_ROWS:,} rows and "
            f"{MOST_BYTES:,} bytes are read at most"
        )
    if not parquet.schema_arrow.equals(GATE_TABLE):
        raise ShelfError(
            f"{file}: not the columns that this version writes; build the release again with it"
        )


def _check_rows(table: pa.Table, file: Path) -> None:
    generators = pc.count_distinct(table["model"]).as_py()
    if generators > MOST_GENERATORS:
        raise ShelfError(
            f"{file}, field 'model': {generators:,} generators; {MOST_GENERATORS} are read at most"
        )
    for name in COLUMNS:
        if table[name].null_count and name not in _MAY_BE_ABSENT:
            row = pc.index(pc.is_null(table[name]), True).as_py()
            raise ShelfError(
                f"{file}, row {row}, field {name!r}: no value; build the release again"
            )
    share = table["qc_topic_coverage"]
    bad = pc.invert(pc.and_(pc.greater_equal(share, 0.0), pc.less_equal(share, 1.0)))
    every = functools.reduce(pc.and_, (table[verdict] for verdict in VERDICTS))
    for name, wrong, what in (
        ("qc_topic_coverage", bad, "not a share"),
        ("passed", pc.not_equal(every, table["passed"]), "not what the gates' verdicts come to"),
    ):
        row = pc.index(wrong, True).as_py()
        if row >= 0:
            raise ShelfError(f"{file}, row {row}, field {name!r}: {what}; build the release again")
