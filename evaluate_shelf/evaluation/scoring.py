"""A task's scores as rows of `scores.parquet`."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa

from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.formulations.registry import formulation_of
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task


def score_rows(
    task: Task, data: TaskData, items: pa.Table, protocol: Protocol
) -> list[dict[str, Any]]:
    """A task's scores as rows of `scores.parquet`, computed from items and labels alone.

    Raises
    ------
    ValueError
        If a score is not finite.
    """
    rows = []
    for score in formulation_of(task).score(task, data, items, protocol):
        if not math.isfinite(score.value):
            raise ValueError(f"{score.metric} is {score.value}")
        rows.append(
            {
                "task": task.id,
                "metric": score.metric,
                "primary": score.metric == task.primary_metric,
                "value": score.value,
                "low": score.low,
                "high": score.high,
                "level": protocol.bootstrap.level,
                "unit": score.unit,
                "n_units": score.n_units,
                "n": score.n,
                "chance_level": task.chance_level if score.metric == task.primary_metric else None,
            }
        )
    return rows
