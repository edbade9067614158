"""The smallest finished run, written by hand so that a test can change any of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from evaluate_shelf.files import sha256_of_file, write_json
from evaluate_shelf.runs.folder import write_parquet
from evaluate_shelf.runs.schema import SCORES_SCHEMA

SCORE = {
    "task": "lcc_retrieval",
    "metric": "ndcg_at_10",
    "primary": True,
    "value": 0.5,
    "low": 0.4,
    "high": 0.6,
    "level": 0.95,
    "unit": "document",
    "n_units": 10,
    "n": 10,
    "chance_level": None,
}


def write_run(
    folder: Path, change: Callable[[dict[str, Any]], None], row: Mapping[str, Any]
) -> None:
    """A run with one row of scores, whose `run.json` is changed in place."""
    write_parquet(
        folder / "scores.parquet", pa.Table.from_pylist([dict(row)], schema=SCORES_SCHEMA)
    )
    value: dict[str, Any] = {
        "run_version": 2,
        "run_id": "0" * 12,
        "model": {
            "name": "m",
            "spec": "m",
            "kind": "encoder",
            "revision": "r",
            "settings": {},
            "parameters": None,
            "dimension": None,
            "max_tokens": None,
        },
        "data": {
            "release_id": "a",
            "release_name": "a",
            "config": "all",
            "content_sha256": {"all": "a"},
        },
        "protocol": {"id": "shelf-1", "version": 1, "key": "k"},
        "limit": None,
        "seeds": {},
        "threads": {},
        "versions": {},
        "hardware": {},
        "tokens": None,
        "money_usd": None,
        "tasks": {"lcc_retrieval": {"status": "done", "reason": None, "seconds": 1.0}},
        "files": {"scores.parquet": sha256_of_file(folder / "scores.parquet")},
    }
    change(value)
    write_json(folder / "run.json", value)
