"""The task that a config is for, by its name."""

from __future__ import annotations

from builders.staging.config import StagedConfig
from evaluate_shelf.registry.tasks import Task, load_tasks

_PARTS = ("-queries", "-qrels", "-instruction")


def subset_of(config: StagedConfig) -> str:
    """The config's name without the part that it is of a search."""
    for part in _PARTS:
        if config.name.endswith(part):
            return config.name.removesuffix(part)
    return config.name


def task_of(config: StagedConfig) -> Task | None:
    """The task that a config of pairs, queries, relevance or instructions is for.

    Parameters
    ----------
    config : StagedConfig
        Named after its task, with the corpus before it where that is not `all`.

    Returns
    -------
    Task or None
        None for a config of documents, and for one that no registered task asks for.
    """
    source = config.info.derived_from
    if source is None:
        return None
    subset = subset_of(config)
    tasks = load_tasks()
    return tasks.get(subset) or tasks.get(subset.removeprefix(f"{source}_"))
