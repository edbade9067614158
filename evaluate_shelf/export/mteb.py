"""A run as mteb's result files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.export.refusals import primary_rows, refuse_smoke_run, write_once
from evaluate_shelf.mteb_form.names import mteb_name
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.runs.names import safe_name
from evaluate_shelf.runs.reading import Run

_OWNER_AND_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[\w.-]{1,96}")
_FRAMEWORKS = {"encoder": ["Sentence Transformers", "PyTorch"]}
_TYPES = {"reranker": "cross-encoder"}


def export_mteb(run: Run, out: Path, model_name: str | None = None) -> list[Path]:
    """Write a run's scores as mteb 2 writes its own: a file a task, and `model_meta.json`.

    `mteb.ResultCache(out).load_results()` reads them. Scores under another protocol than the
    default one stand in an experiment of the model, which mteb keeps apart.

    Parameters
    ----------
    run : Run
        A finished run.
    out : pathlib.Path
        What mteb calls a cache: files go to `results/<model>/<revision>/` below it.
    model_name : str, default=None
        `owner/name`, as mteb asks for. Without it the run's own, with `local/` before a name that
        has no owner.

    Returns
    -------
    list of pathlib.Path
        What was written: a file a task in the order of the run's, then `model_meta.json`.

    Raises
    ------
    ShelfError
        If it is a smoke run or has no score, the name is not `owner/name`, or other results
        stand there already.
    """
    refuse_smoke_run(run)
    meta = _model_meta(run, model_name)
    folder = out / "results" / meta["name"].replace("/", "__") / meta["revision"]
    if meta["experiment_kwargs"]:
        folder = folder / "experiments" / f"protocol_{meta['experiment_kwargs']['protocol']}"
    files = {f"{_name(run, row['task'])}.json": _result(run, row) for row in primary_rows(run)}
    files["model_meta.json"] = meta
    for name, value in files.items():
        text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
        write_once(folder / name, text)
    return [folder / name for name in files]


def _name(run: Run, task_id: str) -> str:
    return mteb_name(task_id, run.file.data.config)


def _result(run: Run, primary: dict[str, Any]) -> dict[str, Any]:
    """A task's scores as mteb's `TaskResult`."""
    task_id = primary["task"]
    metrics = {
        row["metric"]: row["value"] for row in run.scores.to_pylist() if row["task"] == task_id
    }
    scores = {
        **metrics,
        "main_score": primary["value"],
        "main_score_low": primary["low"],
        "main_score_high": primary["high"],
        "chance_level": primary["chance_level"],
        "hf_subset": "default",
        "languages": ["eng-Latn"],
    }
    return {
        "dataset_revision": run.file.data.release_id,
        "task_name": _name(run, task_id),
        # Not mteb computed them.
        "mteb_version": None,
        "scores": {"test": [scores]},
        "evaluation_time": run.file.tasks[task_id].seconds,
        "kg_co2_emissions": None,
        "date": None,
        "evaluation_phases": None,
    }


def _model_meta(run: Run, model_name: str | None) -> dict[str, Any]:
    """What mteb's `ModelMeta` asks for; what a run does not know is null."""
    model, protocol = run.file.model, run.file.protocol
    is_default = protocol.key == load_protocol().key
    return {
        "loader": None,
        "loader_kwargs": {},
        "name": _owner_and_name(model.name, model_name),
        "revision": safe_name(model.revision),
        "release_date": None,
        "languages": None,
        "n_parameters": model.parameters,
        "n_embedding_parameters": None,
        "memory_usage_mb": None,
        "max_tokens": model.max_tokens,
        "embed_dim": model.dimension,
        "license": None,
        "open_weights": None,
        "public_training_code": None,
        "public_training_data": None,
        "framework": _FRAMEWORKS.get(model.kind, []),
        "reference": None,
        "similarity_fn_name": None,
        "use_instructions": None,
        "training_datasets": None,
        "adapted_from": None,
        "superseded_by": None,
        "modalities": ["text"],
        "model_type": [_TYPES.get(model.kind, "dense")],
        "citation": None,
        "contacts": None,
        "experiment_kwargs": None
        if is_default
        else {"protocol": f"{protocol.id}-v{protocol.version}"},
    }


def _owner_and_name(own: str, given: str | None) -> str:
    if given is not None:
        if not _OWNER_AND_NAME.fullmatch(given):
            raise ShelfError(f"model name {given!r:.200}: mteb asks for owner/name")
        return given
    return own if _OWNER_AND_NAME.fullmatch(own) else f"local/{safe_name(own)}"
