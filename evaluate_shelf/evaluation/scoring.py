"""A task's scores as rows of `scores.parquet`."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.formulations.registry import formulation_of
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.runs.reading import is_score


def outcomes_of(task: Task, data: TaskData, items: pa.Table) -> pa.Array:
    """What the items' column `outcome` has to say, from the other columns and the labels."""
    outcomes = formulation_of(task).outcomes
    if outcomes is None:
        return pa.nulls(len(items), pa.float64())
    return pa.array(outcomes(task, data, items), pa.float64(), from_pandas=True)


def score_rows(
    task: Task, data: TaskData, items: pa.Table, protocol: Protocol
) -> list[dict[str, Any]]:
    """A task's scores as rows of `scores.parquet`, computed from items and labels alone.

    Chance is what the shuffled-label control gives with the same metrics.

    Raises
    ------
    ValueError
        If a score is not finite, or out of its metric's range.
    """
    rows = []
    formulation = formulation_of(task)
    chance = formulation.chance(task, data, items, protocol)
    for score in formulation.score(task, data, items, protocol):
        if not is_score(score.metric, score.value):
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
                "chance_level": chance.get(score.metric),
            }
        )
    return rows
