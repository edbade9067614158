"""A config that lies written beside the release that it will be part of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from evaluate_shelf.release.manifest import SPLITS, Kind, Split
from evaluate_shelf.release.reading import batches_of

# Rows that are in memory at once when a config is read: some tens of megabytes of text.
ROWS_A_BATCH = 5000


@dataclass(frozen=True)
class ConfigInfo:
    """What a config is, besides its rows.

    Attributes
    ----------
    name : str
        Of the config.
    kind : {'documents', 'pairs', 'selection', 'qrels', 'instructions'}
        What a row is.
    schema : pyarrow.Schema
        Columns and types.
    source : str
        What the rows come from, in a few words.
    group_column : str or None
        The column whose values lie in one split each.
    seeds : dict of str to int
        Every seed that was used.
    counted : tuple of str
        Columns whose labels the manifest counts.
    derived_from : str or None
        The config of documents that the rows follow from; None for documents themselves.
    notes : tuple of str
        What was dropped and why, shortfalls, whatever a user must know.
    """

    name: str
    kind: Kind
    schema: pa.Schema
    source: str
    group_column: str | None = None
    seeds: dict[str, int] | None = None
    counted: tuple[str, ...] = ()
    derived_from: str | None = None
    notes: tuple[str, ...] = ()


class StagedFile(NamedTuple):
    """A written Parquet file and what is known of it.

    Attributes
    ----------
    split : str
        Its split.
    path : pathlib.Path
        Where it lies.
    row_checks : pathlib.Path or None
        Where the CRC-32 of each of its values lies.
    rows, arrow_bytes : int
        Its size in rows, and in memory.
    content_sha256 : str
        Hash of its rows.
    field_sha256 : dict of str to str
        Hash of each column.
    """

    split: Split
    path: Path
    row_checks: Path | None
    rows: int
    arrow_bytes: int
    content_sha256: str
    field_sha256: dict[str, str]


@dataclass(frozen=True)
class StagedConfig:
    """A config's description and its written files; rows are read when they are asked for.

    Attributes
    ----------
    info : ConfigInfo
        What it is.
    files : tuple of StagedFile
        In the order of splits and shards.
    counts : dict
        Split, facet, label: number of rows.
    """

    info: ConfigInfo
    files: tuple[StagedFile, ...]
    counts: dict[str, dict[str, dict[str, int]]]

    @property
    def name(self) -> str:
        """The config's name."""
        return self.info.name

    @property
    def splits(self) -> tuple[Split, ...]:
        """The splits that have rows."""
        return tuple(split for split in SPLITS if any(file.split == split for file in self.files))

    def rows(self, split: Split | None = None) -> int:
        """Number of rows of a split, or of all."""
        return sum(file.rows for file in self.files if split in (None, file.split))

    def batches(
        self,
        columns: Sequence[str] | None = None,
        splits: Sequence[Split] = SPLITS,
        rows: int = ROWS_A_BATCH,
    ) -> Iterator[pa.Table]:
        """Rows of some splits in their order, a bounded number at a time."""
        for split in splits:
            for file in self.files:
                if file.split == split:
                    yield from batches_of(file.path, columns, rows)

    def table(self, columns: Sequence[str], splits: Sequence[Split] = SPLITS) -> pa.Table:
        """Some columns of all rows of some splits; meant for labels, not for texts."""
        schema = pa.schema([self.info.schema.field(name) for name in columns])
        tables = [table.select(columns) for table in self.batches(columns, splits, 50_000)]
        return pa.concat_tables([schema.empty_table(), *(t.cast(schema) for t in tables)])
