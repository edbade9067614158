"""What an aggregate says of tasks, metrics and labels, from the registry."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from evaluate_shelf.aggregate.evidence import UNREADABLE, told
from evaluate_shelf.aggregate.schema.tasks import LabelEntry, MetricEntry, TaskEntry
from evaluate_shelf.aggregate.schema.values import MOST_LABELS
from evaluate_shelf.aggregate.task_words import question_of
from evaluate_shelf.bounded import one_line
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.registry.taxonomy import load_taxonomy
from evaluate_shelf.release.documents import Release


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


def label_entries(releases: Sequence[Release]) -> tuple[tuple[LabelEntry, ...], list[str]]:
    """The labels that are codes, which classes are.

    Parameters
    ----------
    releases : sequence of Release
        Those whose labels are shown; without any, the labels are those of the installation.

    Returns
    -------
    tuple of LabelEntry
        Each code once. One that means one thing in one release and another in another has no
        entry, nor have those beyond the two thousandth.
    list of str
        The releases whose labels cannot be read, and why.
    """
    taxonomies, unread = [], []
    for release in releases:
        try:
            taxonomies.append(release.taxonomy)
        except UNREADABLE as error:
            identity = release.manifest.release_id
            unread.append(one_line(f"labels of release {identity}: {told(error, (), release)}"))
    names: dict[str, set[str]] = {}
    for taxonomy in taxonomies or [load_taxonomy()]:
        for own in taxonomy.classes:
            names.setdefault(one_line(own.code), set()).add(one_line(own.name))
    entries = (
        LabelEntry(field="lcc_code", code=code, name=min(own))
        for code, own in names.items()
        if len(own) == 1
    )
    return tuple(itertools.islice(entries, MOST_LABELS)), unread
