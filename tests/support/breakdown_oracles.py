"""What a breakdown should come to, straight from a run's files and the release's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from evaluate_shelf.files import sha256_of_file, write_json
from evaluate_shelf.release.documents import Documents
from evaluate_shelf.runs.folder import write_parquet
from evaluate_shelf.statistics.streams import stream

DOCUMENT_TASKS = (
    "lcc_classification",
    "topic_classification",
    "lcc_retrieval",
    "form_retrieval",
    "instruction_same_subject_diff_form",
    "lcc_clustering",
    "geographic_clustering",
    "geographic_clustering_conditional",
)
PAIR_TASKS = ("same_lcc_pairs", "same_topic_pairs")
"""What the run is scored on that the tests break down."""


def columns_of(documents: Documents, *names: str) -> dict[str, list[Any]]:
    """Some columns of documents."""
    return {name: documents.column(name) for name in names}


def split_rows(release: Path, config: str, split: str = "test") -> list[dict[str, Any]]:
    """The rows of a config's split, as they are stored."""
    files = sorted((release / "data" / config).glob(f"{split}-*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def items(run: Path, task: str) -> list[dict[str, Any]]:
    """The item rows of a task."""
    rows: list[dict[str, Any]] = pq.read_table(run / "items" / f"{task}.parquet").to_pylist()
    return rows


def length_of(characters: int) -> str:
    """Name of a length bucket."""
    if characters < 500:
        return "under 500"
    return "500 to 1,999" if characters < 2000 else "2,000 and over"


def naive_interval(
    statistic: Any, groups: Sequence[str], task: str, replicates: int = 2000
) -> tuple[float, float]:
    """Percentile interval of a statistic of items, resampling groups one by one."""
    names = sorted(set(groups))
    members = {name: [n for n, own in enumerate(groups) if own == name] for name in names}
    values = []
    for replicate in range(replicates):
        drawn = stream(42, task, replicate).integers(len(names), size=len(names))
        values.append(statistic([row for unit in drawn for row in members[names[unit]]]))
    known = [value for value in values if not np.isnan(value)]
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)


def forge_items(run: Path, task: str, table: pa.Table) -> None:
    """Put items in place and their hash into `run.json`, as a forger would."""
    _forge(run, f"items/{task}.parquet", table)


def score_of(run: Path, task: str) -> float:
    """A task's recorded primary score."""
    table = pq.read_table(run / "scores.parquet")
    [row] = [row for row in table.to_pylist() if row["task"] == task and row["primary"]]
    return float(row["value"])


def forge_score(run: Path, task: str, value: float | None) -> None:
    """Record another primary score of a task, or none, with its hash in `run.json`."""
    table = pq.read_table(run / "scores.parquet")
    rows = [
        {**row, "value": value} if row["task"] == task and row["primary"] else row
        for row in table.to_pylist()
    ]
    known = [row for row in rows if row["value"] is not None]
    _forge(run, "scores.parquet", pa.Table.from_pylist(known, schema=table.schema))


def _forge(run: Path, name: str, table: pa.Table) -> None:
    write_parquet(run / name, table)
    value = json.loads((run / "run.json").read_text())
    value["files"][name] = sha256_of_file(run / name)
    write_json(run / "run.json", value)
