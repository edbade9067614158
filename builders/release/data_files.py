"""Parquet files of a config, with their hashes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from builders.corpora.built import BuiltConfig
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.release.content import content_of
from evaluate_shelf.release.manifest import DataFile, PlainFile, Split

_SHARD_BYTES = 500_000_000


def write_config(config: BuiltConfig, folder: Path) -> tuple[dict[str, DataFile], list[str]]:
    """Write a config's splits as Parquet, with the checks of their rows beside them.

    Parameters
    ----------
    config : BuiltConfig
        What to write.
    folder : pathlib.Path
        The release folder, still under its temporary name.

    Returns
    -------
    tuple of dict and list
        The files by their path in the folder, and the paths of the row checks.
    """
    files: dict[str, DataFile] = {}
    checks: list[str] = []
    for split, table in config.splits.items():
        shards = _shards(table)
        for number, shard in enumerate(shards):
            name = f"{split}-{number:05d}-of-{len(shards):05d}"
            path = f"data/{config.name}/{name}.parquet"
            row_checks = f"checks/{config.name}/{name}.crc32"
            files[path] = _write(shard, folder, path, row_checks, config.name, split)
            checks.append(row_checks)
    return files, checks


def plain_file(path: Path) -> PlainFile:
    """Size and hash of a file that is not data."""
    return PlainFile(bytes=path.stat().st_size, sha256=sha256_of_file(path))


def _write(
    table: pa.Table, folder: Path, path: str, row_checks: str, config: str, split: Split
) -> DataFile:
    content = content_of(table)
    file, checks = folder / path, folder / row_checks
    for name in (file, checks):
        name.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        with_features(table),
        file,
        compression="zstd",
        row_group_size=1000,  # small groups and the page index let the Hub's viewer page
        write_page_index=True,
    )
    checks.write_bytes(content.cell_checks.astype("<u4").tobytes())
    return DataFile(
        config=config,
        split=split,
        bytes=file.stat().st_size,
        sha256=sha256_of_file(file),
        rows=table.num_rows,
        content_sha256=content.sha256,
        field_sha256=content.field_sha256,
        row_checks=row_checks,
    )


def with_features(table: pa.Table) -> pa.Table:
    """The table with the schema metadata from which `load_dataset` takes its features."""
    from datasets import Features

    return table.cast(Features.from_arrow_schema(table.schema).arrow_schema)


def _shards(table: pa.Table) -> list[pa.Table]:
    count = max(1, -(-table.nbytes // _SHARD_BYTES))
    size = -(-table.num_rows // count)
    return [table.slice(start, size) for start in range(0, table.num_rows, size)]
