"""`eval.yaml`: the tasks for which the Hub may keep a leaderboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from builders.release.label_counts import label_counts
from builders.release.origins import documents_of, pooled_names
from builders.release.task_of import task_of
from builders.staging.config import StagedConfig
from evaluate_shelf.registry.tasks import Task, load_tasks

_ON_DOCUMENTS = ("classification", "clustering")
_BALANCED = "v0_4_core"


def evaluation(configs: Sequence[StagedConfig]) -> str:
    """`eval.yaml` for the Hub's community evaluations.

    The Hub takes the frameworks that it lists and no others; of these, mteb runs tasks of these
    forms. A task is named for each corpus that is one to compare models on: a slice that is in
    the pool too is left out, but for the one that is balanced over generators. Tasks that are at
    chance by nature are left out.

    Parameters
    ----------
    configs : sequence of StagedConfig
        The release's.

    Returns
    -------
    str
        YAML. Each task has its id, its config and its split.
    """
    tasks = [task for task in load_tasks().values() if task.available and not task.control]
    value = {
        "name": "SHELF",
        "description": (
            "Bibliographic work: what a document is about, what kind of document it is, for whom "
            "and in which register it is written, in the labels that libraries use."
        ),
        "evaluation_framework": "mteb",
        "tasks": [*_on_documents(configs, tasks), *_on_other_configs(configs, tasks)],
    }
    return yaml.safe_dump(value, sort_keys=False, width=100)


def _on_documents(
    configs: Sequence[StagedConfig], tasks: Sequence[Task]
) -> Iterator[dict[str, Any]]:
    left_out = pooled_names(configs) - {_BALANCED}
    for config in documents_of(configs):
        if config.name in left_out or not {"train", "test"} <= set(config.splits):
            continue
        for task in tasks:
            if task.formulation in _ON_DOCUMENTS and _is_labelled(config, task.label_field):
                yield _entry(f"{task.id}.{config.name}", config.name)


def _on_other_configs(
    configs: Sequence[StagedConfig], tasks: Sequence[Task]
) -> Iterator[dict[str, Any]]:
    """Pairs and searches, whose configs are named after their tasks."""
    for config in configs:
        task = task_of(config)
        if task is None or task not in tasks:
            continue
        if config.info.kind in ("pairs", "qrels") and "test" in config.splits:
            yield _entry(f"{task.id}.{config.info.derived_from}", config.name)


def _is_labelled(config: StagedConfig, column: str) -> bool:
    """Whether every document has a label, and not all the same."""
    counts = label_counts(config, column)
    everyone = all(sum(counts.get(own, {}).values()) == config.rows(own) for own in config.splits)
    return everyone and len(set().union(*counts.values())) > 1


def _entry(task: str, config: str) -> dict[str, Any]:
    return {"id": task, "config": config, "split": "test"}
