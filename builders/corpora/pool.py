"""The pooled corpus `all`: every synthetic slice, each document in its own split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from builders.corpora.built import BuiltConfig, tables_by_split
from builders.corpora.columns import pooled_schema
from builders.corpora.synthetic import COUNTED
from evaluate_shelf.release.manifest import Split

SOURCE_VERSION = "0.4.0"


def build_pool(sources: Sequence[BuiltConfig]) -> BuiltConfig:
    """Pool synthetic configs.

    Parameters
    ----------
    sources : sequence of BuiltConfig
        The first one to hold a text keeps it; a later row with the same text, ignoring case and
        white space, is dropped and counted.

    Returns
    -------
    BuiltConfig
        With `source_config`, `source_version` and `split` in every row; columns that a source
        lacks are null.
    """
    schema = pooled_schema()
    rows: list[dict[str, Any]] = []
    splits: list[Split] = []
    seen: set[str] = set()
    dropped = 0
    for source in sources:
        for split, table in source.splits.items():
            for row in table.to_pylist():
                text = " ".join(row["body"].lower().split())
                if text in seen:
                    dropped += 1
                    continue
                seen.add(text)
                origin = {
                    "source_config": source.name,
                    "source_version": SOURCE_VERSION,
                    "split": split,
                }
                rows.append({name: {**row, **origin}.get(name) for name in schema.names})
                splits.append(split)
    names = ", ".join(source.name for source in sources)
    return BuiltConfig(
        name="all",
        kind="documents",
        splits=tables_by_split(rows, splits, schema),
        group_column="spec_id",
        source=f"pool of {names}",
        seeds={name: seed for source in sources for name, seed in source.seeds.items()},
        counted=(*COUNTED, "source_config"),
        notes=(f"{dropped} documents whose text a source before had were dropped",),
    )
