"""The pooled corpus `all`: every synthetic slice, each document in its own split."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from builders.corpora.columns import pooled_schema
from builders.corpora.synthetic.slices import COUNTED
from builders.staging.config import ConfigInfo, StagedConfig
from builders.staging.ordering import by_split_and_id, split_codes
from builders.staging.writing import stage
from evaluate_shelf.release.manifest import Split

# The first generation is older than the slices that were added to it.
_VERSIONS = {"default": "0.3.1"}
_VERSION = "0.4.0"


def build_pool(sources: Sequence[StagedConfig], staging: Path) -> StagedConfig:
    """Pool synthetic configs.

    Parameters
    ----------
    sources : sequence of StagedConfig
        The first one to hold a text keeps it; a later row with the same text, ignoring case and
        white space, is dropped and counted.
    staging : pathlib.Path
        Where the pool is written.

    Returns
    -------
    StagedConfig
        With `source_config`, `source_version` and `split` in every row, and with `group_id`: the
        minimal pair, else the specification, else nothing; columns that a source lacks are null.
    """
    ids, splits, dropped = _index(sources)
    tables = by_split_and_id(lambda: _rows(sources), ids, split_codes(splits), staging / "buckets")
    names = ", ".join(source.name for source in sources)
    seeds = {name: seed for own in sources for name, seed in (own.info.seeds or {}).items()}
    info = ConfigInfo(
        name="all",
        kind="documents",
        schema=pooled_schema(),
        source=f"pool of {names}",
        group_column="group_id",
        seeds=seeds,
        counted=(*COUNTED, "source_config"),
        notes=(f"{dropped} documents dropped whose text another slice has already",),
    )
    return stage(info, tables, staging / "configs")


def _index(sources: Sequence[StagedConfig]) -> tuple[pa.Array, list[Split | None], int]:
    """Ids of all rows, the split of each, none for a repeated text, and how many of these."""
    ids: list[pa.ChunkedArray] = []
    splits: list[Split | None] = []
    seen: set[bytes] = set()
    for source in sources:
        for split in source.splits:
            for table in source.batches(["id", "body"], [split]):
                ids.extend(table["id"].chunks)
                for body in table["body"].to_pylist():
                    text = " ".join(body.lower().split())
                    key = hashlib.blake2b(text.encode("utf-8"), digest_size=16).digest()
                    splits.append(None if key in seen else split)
                    seen.add(key)
    return pa.chunked_array(ids).combine_chunks(), splits, splits.count(None)


def _rows(sources: Sequence[StagedConfig]) -> Iterator[pa.Table]:
    schema = pooled_schema()
    for source in sources:
        origin = {
            "source_config": source.name,
            "source_version": _VERSIONS.get(source.name, _VERSION),
        }
        for split in source.splits:
            for table in source.batches(splits=[split]):
                constants = {**origin, "split": split}
                columns = {
                    field.name: _column(table, field, constants.get(field.name)) for field in schema
                }
                columns["group_id"] = pc.coalesce(columns["pair_id"], columns["spec_id"])
                yield pa.table(columns, schema=schema)


def _column(table: pa.Table, field: pa.Field, constant: str | None) -> pa.ChunkedArray:
    if constant is not None:
        return pa.chunked_array([pa.repeat(constant, table.num_rows)])
    if field.name in table.column_names:
        return table[field.name].cast(field.type)
    return pa.chunked_array([pa.nulls(table.num_rows, field.type)])
