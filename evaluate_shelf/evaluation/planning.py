"""What an evaluation will do, from the manifest and the runs that are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluate_shelf.evaluation.request import Evaluation
from evaluate_shelf.models.resolve import NamedModel
from evaluate_shelf.runs.folder import RunFolder
from evaluate_shelf.runs.names import safe_name


@dataclass(frozen=True)
class Plan:
    """What is to be done for one model.

    Attributes
    ----------
    model : str
        Its name.
    tasks : tuple of str
        Tasks that are not done.
    documents : int
        Documents of the config, over all splits, that these tasks read.
    pairs : int
        Test pairs that they read.
    instructed : int
        Queries with an instruction, which are texts of their own.
    """

    model: str
    tasks: tuple[str, ...]
    documents: int
    pairs: int
    instructed: int


def run_folder(model: NamedModel, evaluation: Evaluation) -> Path:
    """Where a model's run lies."""
    identity = model.identity
    return evaluation.runs / safe_name(identity.name) / evaluation.run_id(identity)


def each_once(models: Sequence[NamedModel], evaluation: Evaluation) -> dict[Path, NamedModel]:
    """Models by their run's folder: one that is named twice has one run."""
    found: dict[Path, NamedModel] = {}
    for model in models:
        found.setdefault(run_folder(model, evaluation), model)
    return found


def plan_of(model: NamedModel, evaluation: Evaluation) -> Plan:
    """Count what a model's run lacks; no document is read and nothing is loaded."""
    settled = RunFolder(run_folder(model, evaluation)).settled()
    pending = [task for task in evaluation.tasks if task.id not in settled]
    instructed = sum(task.formulation == "instruction_retrieval" for task in pending)
    pair_tasks = [task for task in pending if task.formulation == "pair_classification"]
    reads_documents = len(pending) > len(pair_tasks)
    return Plan(
        model=model.identity.name,
        tasks=tuple(task.id for task in pending),
        documents=_rows(evaluation, evaluation.config) if reads_documents else 0,
        pairs=sum(_rows(evaluation, evaluation.config_of(task), "test") for task in pair_tasks),
        instructed=instructed * _rows(evaluation, evaluation.config, "test"),
    )


def _rows(evaluation: Evaluation, config: str | None, split: str | None = None) -> int:
    files = evaluation.release.manifest.data_files.values()
    sizes: dict[str, int] = {}
    for file in files:
        if file.config == config and split in (None, file.split):
            sizes[file.split] = sizes.get(file.split, 0) + file.rows
    limit = evaluation.limit
    return sum(size if limit is None else min(size, limit) for size in sizes.values())
