from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.runs.folder import RunFolder
from evaluate_shelf.runs.names import safe_name
from evaluate_shelf.runs.schema import TaskRecord

Outcome = tuple[float, float, float] | str


@pytest.fixture(scope="session")
def write_run() -> Callable[..., Path]:
    """Write a finished run: an outcome a task, a score with its interval or why there is none."""

    def write(
        runs: Path,
        model: str,
        outcomes: Mapping[str, Outcome],
        *,
        config: str = "all",
        limit: int | None = None,
    ) -> Path:
        folder = RunFolder(runs / safe_name(model) / safe_name(f"{config}-{limit}"))
        for task, outcome in outcomes.items():
            folder.record(task, _record(outcome), None, _scores(task, outcome))
        folder.finish(_header(model, config, limit), list(load_tasks()))
        return folder.path

    return write


def _record(outcome: Outcome) -> TaskRecord:
    if isinstance(outcome, str):
        return TaskRecord(status="skipped", reason=outcome)
    return TaskRecord(status="done", seconds=1.0)


def _scores(task: str, outcome: Outcome) -> list[dict[str, Any]]:
    if isinstance(outcome, str):
        return []
    value, low, high = outcome
    row = {
        "task": task,
        "metric": load_tasks()[task].primary_metric,
        "primary": True,
        "value": value,
        "low": low,
        "high": high,
        "level": 0.95,
        "unit": "document",
        "n_units": 100,
        "n": 100,
        "chance_level": load_tasks()[task].chance_level,
    }
    # A second metric of the task, which no board may show.
    return [row, {**row, "metric": "accuracy", "primary": False, "value": 0.999}]


def _header(model: str, config: str, limit: int | None) -> dict[str, Any]:
    return {
        "run_version": 1,
        "run_id": "0123456789ab",
        "model": {
            "name": model,
            "spec": model,
            "kind": "encoder",
            "revision": "1",
            "settings": {},
            "parameters": 22_713_216,
            "dimension": 384,
            "max_tokens": 256,
        },
        "data": {
            "release_id": "1ece8e45368f",
            "release_name": "test",
            "config": config,
            "content_sha256": {config: "0" * 64},
        },
        "protocol": {"id": "shelf-1", "version": 1, "key": "0" * 64},
        "limit": limit,
        "seeds": {},
        "threads": {},
        "versions": {},
        "hardware": {},
        "tokens": None,
        "money_usd": None,
    }
