"""Runs of models on the release that ships."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evaluate_shelf.evaluation import evaluate, prepare, run_folder
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import load_protocol


def finished_runs(folder: Path, models: Sequence[str], task: str) -> dict[str, Path]:
    """Run models on a task, into `runs` and `store` of a folder; gives each model's run folder."""
    asked = prepare(
        shipped_release(),
        "all",
        task_ids=[task],
        protocol=load_protocol(),
        runs=folder / "runs",
        store=folder / "store",
    )
    evaluate(list(models), asked)
    return {model: run_folder(resolve_model(model, asked.protocol), asked) for model in models}
