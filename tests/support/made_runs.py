"""Runs that no model has left: any scores, under any conditions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from evaluate_shelf.runs.reading import Run
from evaluate_shelf.runs.schema import SCORES_SCHEMA, RunFile

Scores = dict[str, tuple[float, float, float]]


def run(name: str, scores: Scores, **changes: Any) -> Run:
    """A run with (value, low, high) by task."""
    tasks: dict[str, Any] = {task: {"status": "done", "seconds": 1.0} for task in scores}
    tasks.update(changes.get("tasks", {}))
    file = RunFile.model_validate(
        {
            "run_version": 1,
            "run_id": "0" * 12,
            "model": {
                "name": name,
                "spec": name,
                "kind": "encoder",
                "revision": "r",
                "settings": {},
                "parameters": None,
                "dimension": 3,
                "max_tokens": None,
            },
            "data": {
                "release_id": changes.get("release", "aaaa"),
                "release_name": "x",
                "config": "all",
                "content_sha256": {"all": changes.get("release", "aaaa")},
            },
            "protocol": {
                "id": changes.get("protocol", "shelf-1"),
                "version": 1,
                "key": changes.get("protocol", "k"),
            },
            "limit": changes.get("limit"),
            "seeds": {},
            "threads": {},
            "versions": {},
            "hardware": {},
            "tokens": None,
            "money_usd": None,
            "tasks": tasks,
            "files": {},
        }
    )
    rows = [
        {
            "task": task,
            "metric": "m",
            "primary": True,
            "value": value,
            "low": low,
            "high": high,
            "level": 0.95,
            "unit": "document",
            "n_units": 10,
            "n": 10,
            "chance_level": None,
        }
        for task, (value, low, high) in scores.items()
    ]
    return Run(Path("runs") / name, file, pa.Table.from_pylist(rows, schema=SCORES_SCHEMA))
