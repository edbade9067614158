"""A finished run on the release that ships, copied to be sent, forged or damaged."""

from __future__ import annotations

import functools
import shutil
import tempfile
from pathlib import Path

from evaluate_shelf.evaluation import evaluate, prepare, run_folder
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import load_protocol

QUICK = ("lcc_retrieval", "lcc_classification", "same_lcc_pairs")
"""Tasks of three formulations whose scores take a second to compute."""


def kept_run(model: str = "wordllama", tasks: tuple[str, ...] = QUICK) -> Path:
    """Folder of a model's run, made once in a process; nobody may change it."""
    return _made(model, tasks)


@functools.cache
def _made(model: str, tasks: tuple[str, ...]) -> Path:
    place = Path(tempfile.mkdtemp(dir=_temporary().name))
    asked = prepare(
        shipped_release(),
        "all",
        task_ids=tasks,
        protocol=load_protocol(),
        runs=place / "runs",
        store=place / "store",
    )
    evaluate([model], asked)
    return run_folder(resolve_model(model, asked.protocol), asked)


def copied_run(folder: Path, model: str = "wordllama", tasks: tuple[str, ...] = QUICK) -> Path:
    """A copy of such a run, at `runs/MODEL/RUN_ID` below a folder."""
    kept = kept_run(model, tasks)
    copy = folder / "runs" / kept.parent.name / kept.name
    shutil.copytree(kept, copy)
    return copy


@functools.cache
def _temporary() -> tempfile.TemporaryDirectory[str]:
    """Removed when the process ends."""
    return tempfile.TemporaryDirectory(prefix="shelf-submitted-runs-")
