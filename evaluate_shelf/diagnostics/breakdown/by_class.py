"""Each class of a classification against all others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evaluate_shelf.diagnostics.breakdown.results import LEAST_ITEMS, TOO_FEW, Stratum, Value
from evaluate_shelf.diagnostics.breakdown.subsets import value_of
from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations import classification, multilabel
from evaluate_shelf.formulations.data import TaskData, labelled
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.statistics.bootstrap import units
from evaluate_shelf.statistics.resamples import copies_matrix
from evaluate_shelf.statistics.sums import (
    GroupSums,
    macro_f1_sums,
    multilabel_macro_f1_sums,
    totals_of,
)

METRICS = ("f1", "precision", "recall")

Floats = NDArray[np.float64]

_AT_ONCE = 250


class _Counted(NamedTuple):
    """What is counted of each class.

    Attributes
    ----------
    names : list of str
        Of the classes.
    sums : GroupSums
        Right, gold and predicted items of each, those of all classes after one another.
    unit : str
        What a group is.
    """

    names: list[str]
    sums: GroupSums
    unit: str


def class_strata(
    task: Task, data: TaskData, items: pa.Table, protocol: Protocol
) -> tuple[Stratum, ...]:
    """F1, precision and recall of each class that gold has, with intervals.

    Parameters
    ----------
    task, data, items, protocol
        As for `subsets.items_of_run`; a classification.

    Returns
    -------
    tuple of Stratum
        In the order of the names; a stratum's items are those whose gold label the class is. A
        class that is never predicted has F1 0 and no precision.

    Raises
    ------
    UnsupportedError
        If the task is no classification.
    """
    if task.formulation == "classification":
        counted = _of_labels(task, data, items)
    elif task.formulation == "multilabel_classification":
        counted = _of_label_sets(task, data, items)
    else:
        raise UnsupportedError(f"{task.formulation} predicts no classes")
    n_units = counted.sums.n_units
    once = next(totals_of([counted.sums], np.ones((n_units, 1), dtype=np.uint16)))
    values = _measured(once.astype(np.float64))[..., 0]
    replicates = _replicates(task, counted.sums, protocol)
    gold = np.split(once[:, 0], 3)[1].astype(np.int64)
    in_units = np.split(np.diff(counted.sums.sums.indptr), 3)[1]
    return tuple(
        _stratum(
            name,
            int(gold[number]),
            counted.unit,
            int(in_units[number]),
            values[:, number],
            replicates[:, number],
            protocol.bootstrap.level,
        )
        for number, name in enumerate(counted.names)
        if gold[number]
    )


def _of_labels(task: Task, data: TaskData, items: pa.Table) -> _Counted:
    documents, gold, predicted, n_labels = classification.predictions(task, data, items)
    names = sorted(set(labelled(task, data.test).labels))
    sums = macro_f1_sums(gold, predicted, n_labels, units(documents.groups))
    return _Counted(names, sums, documents.group_column or "document")


def _of_label_sets(task: Task, data: TaskData, items: pa.Table) -> _Counted:
    gold, scores = multilabel.label_scores(task, data, items)
    groups = units(data.test.groups)
    sums = multilabel_macro_f1_sums(gold, scores >= multilabel.THRESHOLD, groups)
    names = _label_names(task, data)
    assert len(names) == gold.shape[1]
    return _Counted(names, sums, data.test.group_column or "document")


def _label_names(task: Task, data: TaskData) -> list[str]:
    """Names of the labels of both splits as `multilabel.memberships` orders them."""
    spelled: dict[str, str] = {}
    for documents in (data.train, data.test):
        for label in pc.list_flatten(documents.arrow(task.label_field)).to_pylist():
            if label and label.strip():
                spelled.setdefault(label.strip().casefold(), label.strip())
    return [spelled[name] for name in sorted(spelled)]


def _replicates(task: Task, sums: GroupSums, protocol: Protocol) -> Floats:
    """The metrics of each class in each resample, shape (3, n_labels, replicates)."""
    settings = protocol.bootstrap
    copies = copies_matrix(
        sums.n_units, task=task.id, seed=settings.seed, replicates=settings.replicates
    )
    parts = [
        _measured(next(totals_of([sums], copies[start : start + _AT_ONCE].T)).astype(np.float64))
        for start in range(0, len(copies), _AT_ONCE)
    ]
    return np.concatenate(parts, axis=2)


def _measured(totals: Floats) -> Floats:
    """F1, precision and recall from counts, shape (3 * n_labels, n); NaN where not defined."""
    right, gold, predicted = np.split(totals, 3)
    pairs = ((2 * right, gold + predicted), (right, predicted), (right, gold))
    return np.stack(
        [
            np.divide(top, bottom, out=np.full_like(top, np.nan), where=bottom > 0)
            for top, bottom in pairs
        ]
    )


def _stratum(
    name: str,
    n: int,
    unit: str,
    n_units: int,
    values: Floats,
    replicates: Floats,
    level: float,
) -> Stratum:
    if n < LEAST_ITEMS:
        return Stratum(name, n, unit, n_units, reason=TOO_FEW)
    shown = tuple(
        Value(metric, None)
        if np.isnan(value)
        else value_of(metric, float(value), drawn, n_units, level)
        for metric, value, drawn in zip(METRICS, values, replicates, strict=True)
    )
    never = any(value.value is None for value in shown)
    return Stratum(name, n, unit, n_units, None, shown, "never predicted" if never else None)
