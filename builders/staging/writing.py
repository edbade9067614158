"""Write a config's rows as Parquet shards, hashed as they pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from builders.staging.config import ConfigInfo, StagedConfig, StagedFile
from evaluate_shelf.release.content import ContentHasher, cell_checks
from evaluate_shelf.release.manifest import SPLITS, Kind, Split
from evaluate_shelf.release.reading import label_counts

_SHARD_BYTES = 500_000_000
# Small groups and the page index let the Hub's viewer page through texts; rows that are three
# short values have groups that are worth compressing.
_ROWS_A_GROUP: dict[Kind, int] = {"qrels": 1_000_000}
_ROWS_A_GROUP_OF_TEXT = 1000
# Their rows follow from another config, which verification compares them with.
_WITHOUT_ROW_CHECKS: tuple[Kind, ...] = ("selection", "qrels", "instructions")


def stage(
    info: ConfigInfo, tables: Mapping[Split, Iterable[pa.Table]], folder: Path
) -> StagedConfig:
    """Write a config.

    Parameters
    ----------
    info : ConfigInfo
        What it is.
    tables : mapping of str to iterable of pyarrow.Table
        The rows of each split in their order, in parts of any size; each is read once.
    folder : pathlib.Path
        Where the files go, under the config's name.

    Returns
    -------
    StagedConfig
        Of as many shards as stay under 500 MB of values each. The same rows give the same files,
        whatever parts they came in.
    """
    files: list[StagedFile] = []
    counts: dict[str, dict[str, dict[str, int]]] = {}
    for split in SPLITS:
        writer = _ShardWriter(info, split, folder / info.name)
        counter: dict[str, Counter[str]] = {column: Counter() for column in info.counted}
        for table in tables.get(split, ()):
            rows = table.select(info.schema.names).cast(info.schema)
            writer.write(rows)
            for column, counted in counter.items():
                counted.update(label_counts(rows[column]))
        own = writer.close()
        if own:
            files.extend(own)
            counts[split] = {
                column: dict(sorted(counted.items())) for column, counted in counter.items()
            }
    return StagedConfig(info, tuple(files), counts)


def stage_rows(
    info: ConfigInfo, rows: Sequence[Mapping[str, Any]], splits: Sequence[Split], folder: Path
) -> StagedConfig:
    """Write a config whose rows are few enough to be Python objects, in the order of their ids.

    Ids are hashes, so the order of rows tells nothing of their labels.
    """
    tables: dict[Split, list[pa.Table]] = {}
    for split in SPLITS:
        members = [row for row, own in zip(rows, splits, strict=True) if own == split]
        if members:
            members.sort(key=lambda row: str(row["id"]))
            tables[split] = [pa.Table.from_pylist(members, schema=info.schema)]
    return stage(info, tables, folder)


def with_features(schema: pa.Schema) -> pa.Schema:
    """The schema with the metadata from which `load_dataset` takes its features."""
    from datasets import Features

    return Features.from_arrow_schema(schema).arrow_schema


class _ShardWriter:
    """Writes rows in groups of a fixed size, and a new file where one has grown too big."""

    def __init__(self, info: ConfigInfo, split: Split, folder: Path) -> None:
        self._info, self._split, self._folder = info, split, folder
        self._schema = with_features(info.schema)
        self._group = _ROWS_A_GROUP.get(info.kind, _ROWS_A_GROUP_OF_TEXT)
        self._waiting: list[pa.Table] = []
        self._waiting_rows = 0
        self._shard: _Shard | None = None
        self._shards: list[_Shard] = []

    def write(self, table: pa.Table) -> None:
        self._waiting.append(table)
        self._waiting_rows += table.num_rows
        if self._waiting_rows >= self._group:
            self._flush(self._waiting_rows // self._group * self._group)

    def close(self) -> list[StagedFile]:
        self._flush(self._waiting_rows)
        count = len(self._shards)
        return [shard.finished(number, count) for number, shard in enumerate(self._shards)]

    def _flush(self, rows: int) -> None:
        if not rows:
            return
        whole = pa.concat_tables(self._waiting)
        for start in range(0, rows, self._group):
            group = whole.slice(start, min(self._group, rows - start)).combine_chunks()
            if self._shard is None or self._shard.hasher.hashed_bytes > _SHARD_BYTES:
                self._shard = _Shard(self._info, self._split, self._folder, len(self._shards))
                self._shards.append(self._shard)
            self._shard.write(group.cast(self._schema))
        self._waiting = [whole.slice(rows)]
        self._waiting_rows -= rows


class _Shard:
    """One Parquet file with its row checks beside it, under a name that does not count yet."""

    def __init__(self, info: ConfigInfo, split: Split, folder: Path, number: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"{split}-{number:05d}.parquet"
        self._split = split
        self._writer: pq.ParquetWriter | None = None
        self._checks_path = None
        if info.kind not in _WITHOUT_ROW_CHECKS:
            self._checks_path = self._path.with_suffix(".crc32")
            self._checks_path.write_bytes(b"")
        self.hasher = ContentHasher()
        self._arrow_bytes = 0

    def write(self, group: pa.Table) -> None:
        if self._writer is None:
            self._writer = pq.ParquetWriter(
                self._path,
                group.schema,
                compression="zstd",
                write_page_index=True,
                dictionary_pagesize_limit=8_000_000,
            )
        self._writer.write_table(group, row_group_size=max(1, group.num_rows))
        self.hasher.update(group)
        self._arrow_bytes += group.nbytes
        if self._checks_path:
            with self._checks_path.open("ab") as checks:
                checks.write(cell_checks(group).astype("<u4").tobytes())

    def finished(self, number: int, count: int) -> StagedFile:
        if self._writer:
            self._writer.close()
        name = f"{self._split}-{number:05d}-of-{count:05d}"
        path = self._path.rename(self._path.with_name(f"{name}.parquet"))
        checks = self._checks_path and self._checks_path.rename(
            self._path.with_name(f"{name}.crc32")
        )
        content = self.hasher.content()
        return StagedFile(
            self._split,
            path,
            checks,
            content.rows,
            self._arrow_bytes,
            content.sha256,
            content.field_sha256,
        )
