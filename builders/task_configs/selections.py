"""Configs that are some columns of a corpus: texts with their topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from builders.corpora.columns import TOPICS
from builders.staging.config import ConfigInfo, StagedConfig
from builders.staging.writing import stage
from evaluate_shelf.release.manifest import Split


def build_topic_classification(source: StagedConfig, name: str, staging: Path) -> StagedConfig:
    """Texts with all their topics; documents without topics are left out and counted."""
    labels = source.table(["topics"])["topics"]
    without = pc.sum(pc.equal(pc.fill_null(pc.list_value_length(labels), 0), 0)).as_py() or 0
    info = ConfigInfo(
        name=name,
        kind="selection",
        schema=TOPICS,
        source=f"documents of {source.name}",
        derived_from=source.name,
        notes=(f"{without} documents without a topic are left out",),
    )
    tables = {split: _with_topics(source, [split]) for split in source.splits}
    return stage(info, tables, staging / "configs")


def _with_topics(source: StagedConfig, splits: Sequence[Split]) -> Iterator[pa.Table]:
    for table in source.batches(TOPICS.names, splits):
        length = pc.fill_null(pc.list_value_length(table["topics"]), 0)
        yield table.filter(pc.greater(length, 0))
