"""A config that was built and is ready to be written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa

from evaluate_shelf.release.manifest import SPLITS, Split


@dataclass(frozen=True)
class BuiltConfig:
    """Rows by split, with what the manifest says of them.

    Attributes
    ----------
    name : str
        Of the config.
    kind : {'documents', 'pairs'}
        What a row is.
    splits : dict of str to pyarrow.Table
        A table a split that has rows; rows in the order of their ids.
    group_column : str or None
        The column whose values lie in one split each.
    source : str
        What the documents come from, in a few words.
    seeds : dict of str to int
        Every seed that was used.
    counted : tuple of str
        Columns whose labels the manifest counts.
    derived_from : str or None
        For pairs, the config that was paired.
    notes : tuple of str
        What was dropped and why, shortfalls, whatever a user must know.
    """

    name: str
    kind: Literal["documents", "pairs"]
    splits: dict[Split, pa.Table]
    group_column: str | None
    source: str
    seeds: dict[str, int]
    counted: tuple[str, ...]
    derived_from: str | None = None
    notes: tuple[str, ...] = field(default=())


def tables_by_split(
    rows: list[dict[str, Any]], splits: list[Split], schema: pa.Schema
) -> dict[Split, pa.Table]:
    """Sort rows by id into one table a split.

    Ids are hashes, so the order of rows tells nothing of their labels.
    """
    tables: dict[Split, pa.Table] = {}
    for split in SPLITS:
        members = [row for row, own in zip(rows, splits, strict=True) if own == split]
        if members:
            members.sort(key=lambda row: str(row["id"]))
            tables[split] = pa.Table.from_pylist(members, schema=schema)
    return tables
