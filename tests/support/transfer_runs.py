"""Runs on several corpora whose scores are chosen, to rank models by."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from made_runs import run

from evaluate_shelf.runs.reading import Run
from evaluate_shelf.runs.schema import SCORES_SCHEMA
from evaluate_shelf.transfer.settings import load_transfer

Scores = Mapping[tuple[str, str], float]


def scored(model: str, corpus: str, scores: Scores, **changes: Any) -> Run:
    """A run of a model on a corpus with a value by (task, metric).

    Changes are those of `made_runs.run`, and any field of the model.
    """
    fields = {name: changes.pop(name) for name in _MODEL_FIELDS & changes.keys()}
    made = run(model, {}, **changes)
    data = made.file.data.model_copy(update={"config": corpus})
    identity = made.file.model.model_copy(update={"revision": model, **fields})
    rows = [
        {
            **dict.fromkeys(SCORES_SCHEMA.names),
            "task": task,
            "metric": metric,
            "primary": True,
            "value": value,
        }
        for (task, metric), value in scores.items()
    ]
    return dataclasses.replace(
        made,
        folder=Path("runs") / corpus / model,
        file=made.file.model_copy(update={"data": data, "model": identity}),
        scores=pa.Table.from_pylist(rows, schema=SCORES_SCHEMA),
    )


_MODEL_FIELDS = {"spec", "kind", "revision", "settings"}


def ranked(orders: Mapping[str, Mapping[str, Sequence[float]]]) -> list[Run]:
    """Runs of models m00, m01, ... whose scores are given by corpus and formulation."""
    settings = load_transfer()
    runs = []
    for corpus, of_formulation in orders.items():
        for number in range(max(map(len, of_formulation.values()), default=0)):
            scores = {
                (settings.formulation(name).task, settings.formulation(name).metric): values[number]
                for name, values in of_formulation.items()
                if number < len(values)
            }
            runs.append(scored(f"m{number:02}", corpus, scores))
    return runs
