"""What an aggregate says of tasks, metrics and labels, from the registry."""

from __future__ import annotations

from typing import NamedTuple

from evaluate_shelf.aggregate.schema.tasks import LabelEntry, MetricEntry, TaskEntry
from evaluate_shelf.aggregate.task_words import question_of
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.registry.taxonomy import load_taxonomy


class _Words(NamedTuple):
    label: str
    help: str
    least: float
    greatest: float


_METRICS = {
    "macro_f1": _Words(
        "macro-F1",
        "How well each label is assigned, from 0 to 1: the mean over labels of F1, which is high "
        "only if a label is given to the documents that have it and to no others. Rare labels "
        "count as much as common ones.",
        0.0,
        1.0,
    ),
    "ndcg_at_10": _Words(
        "nDCG@10",
        "How good the first ten documents of a search are, from 0 to 1: 1 where all that can be "
        "relevant is, and stands first. What stands lower counts less.",
        0.0,
        1.0,
    ),
    "ari": _Words(
        "ARI",
        "Adjusted Rand index: how well groups that were found without labels are those of the "
        "labels. 1 where they are the same, about 0 where they were dealt out by chance; below 0 "
        "is worse than chance.",
        -0.5,
        1.0,
    ),
    "ari_pooled": _Words(
        "pooled ARI",
        "The adjusted Rand index of groups that were found inside each class by itself: what is "
        "told apart there is not the class. 1 where the groups are those of the labels, about 0 "
        "by chance.",
        -0.5,
        1.0,
    ),
    "auc_roc": _Words(
        "ROC AUC",
        "How often a pair that shares the label is held to be more alike than a pair that does "
        "not: 1 always, 0.5 as often as by chance.",
        0.0,
        1.0,
    ),
}


def task_entries() -> tuple[TaskEntry, ...]:
    """All tasks that this version scores, in the registry's order."""
    return tuple(
        TaskEntry(
            id=task.id,
            formulation=task.formulation,
            facet=task.facet,
            label_field=task.label_field,
            metric=task.primary_metric,
            control=task.control,
            optional=task.optional,
            question=question_of(task),
            note=task.note,
            chance=task.chance_level,
        )
        for task in load_tasks().values()
    )


def metric_entries() -> tuple[MetricEntry, ...]:
    """The primary metrics in plain words."""
    return tuple(MetricEntry(id=name, **words._asdict()) for name, words in _METRICS.items())


def label_entries() -> tuple[LabelEntry, ...]:
    """The labels that are codes: the main classes of the Library of Congress."""
    return tuple(
        LabelEntry(field="lcc_code", code=own.code, name=own.name)
        for own in load_taxonomy().classes
    )
