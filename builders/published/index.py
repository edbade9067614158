"""What is known of every published row before the first is taken over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from builders.published.batches import Batch, batches_of, typed
from builders.published.blank import is_blank
from builders.published.corpora import Taken
from builders.published.documents import body_of
from builders.published.files import SourceFile
from builders.published.findings import Finding, Findings
from builders.published.labels import label_spaces

EMPTY = Finding("dropped, the body is empty")
UNCLASSED = Finding("dropped, the class is none of the taxonomy's", "lcc_code")


@dataclass(frozen=True)
class Index:
    """Published rows in the order of their files.

    Attributes
    ----------
    files : tuple of SourceFile
        Where the rows are.
    table : pyarrow.Table
        Of every row `id`, `lcc_code` as the taxonomy writes it, `published_split`, and what else
        was asked for.
    kept : ndarray of bool, shape (n_rows,)
        Which rows are taken over.
    """

    files: tuple[SourceFile, ...]
    table: pa.Table
    kept: NDArray[np.bool_]

    def without(
        self, dropped: NDArray[np.bool_], values: pa.Array, finding: Finding, findings: Findings
    ) -> Index:
        """The index without some of the rows that are taken over, counted by a value.

        `dropped` and `values` are of shape (n_kept,).
        """
        rows = np.flatnonzero(self.kept)[dropped]
        ids = self.table["id"].take(rows).to_pylist()
        for identity, value in zip(ids, values.filter(pa.array(dropped)).to_pylist(), strict=True):
            findings.add(finding, identity, str(value))
        kept = self.kept.copy()
        kept[rows] = False
        return replace(self, kept=kept)

    def column(self, name: str) -> pa.Array:
        """A column of the rows that are taken over."""
        return self.table[name].filter(pa.array(self.kept)).combine_chunks()

    def batches(self, columns: Sequence[str]) -> Iterator[tuple[Batch, NDArray[np.bool_]]]:
        """The rows batch by batch, with which of them are taken over."""
        done = 0
        for batch in batches_of(self.files, columns):
            yield batch, self.kept[done : done + batch.rows.num_rows]
            done += batch.rows.num_rows


def read_index(
    taken: Taken, files: Sequence[SourceFile], further: Sequence[str], findings: Findings
) -> Index:
    """Read what decides on each row.

    Parameters
    ----------
    taken : Taken
        The config.
    files : sequence of SourceFile
        Its files.
    further : sequence of str
        Columns that are wanted besides `id` and `lcc_code`.
    findings : Findings
        Where rows without a body or a class are counted.

    Returns
    -------
    Index
        Without the rows that have an empty body, or a class that the taxonomy does not have.
    """
    fields = list(dict.fromkeys(["id", "lcc_code", "body", "text", *further]))
    schema = pa.schema([taken.schema.field(name) for name in fields])
    kept: list[bool] = []
    tables = [_outcome(schema.empty_table(), "", further)]
    for batch in batches_of(files, fields):
        everything = np.ones(batch.rows.num_rows, np.bool_)
        rows = typed(batch, schema, everything, Findings())
        kept.extend(_is_usable(row, findings) for row in rows.to_pylist())
        tables.append(_outcome(rows, batch.file.split, further))
    return Index(tuple(files), pa.concat_tables(tables), np.array(kept, np.bool_))


def _is_usable(row: dict[str, Any], findings: Findings) -> bool:
    if is_blank(body_of(row) or ""):
        findings.add(EMPTY, row["id"])
        return False
    if label_spaces()["lcc_code"].found(row["lcc_code"] or "") is None:
        findings.add(UNCLASSED, row["id"], row["lcc_code"] or "")
        return False
    return True


def _outcome(rows: pa.Table, split: str, further: Sequence[str]) -> pa.Table:
    space = label_spaces()["lcc_code"]
    codes = [space.found(code or "") for code in rows["lcc_code"].to_pylist()]
    columns = {
        "id": rows["id"],
        "lcc_code": pa.array(codes, pa.string()),
        "published_split": pa.array([split] * rows.num_rows, pa.string()),
        **{name: rows[name] for name in further},
    }
    return pa.table(columns)
