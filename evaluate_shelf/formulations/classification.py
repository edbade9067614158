"""Classification: a logistic-regression probe on frozen vectors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.errors import ItemsError
from evaluate_shelf.formulations.data import (
    TaskData,
    checked_items,
    items_of,
    label_names,
    labelled,
    numbered,
)
from evaluate_shelf.formulations.probing import design_of, note_fit, shuffled_order
from evaluate_shelf.formulations.scores import Score, bootstrapped
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.metrics.classification import accuracy, confusion_matrix, macro_f1, weighted_f1
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.release.documents import Documents

_METRICS = ("macro_f1", "accuracy", "weighted_f1")


class Predictions(NamedTuple):
    """What was predicted for the documents that a task is about.

    Attributes
    ----------
    documents : Documents
        Those of the test split that have the task's label.
    gold, predicted : ndarray of int, shape (n,)
        Numbers of their labels and of the predicted ones.
    n_labels : int
        One more than there are labels in gold: the last number stands for all others.
    """

    documents: Documents
    gold: NDArray[np.intp]
    predicted: NDArray[np.intp]
    n_labels: int


def predict(task: Task, data: TaskData, work: Workspace) -> pa.Table:
    """Fit the probe on the training split and predict the test split's labels.

    Returns
    -------
    pyarrow.Table
        A row a test document: predicted label, its probability, and the label that a probe
        predicts which was fitted on shuffled labels. Documents that are no part of the task have
        predictions too, which no score looks at. `outcome` is null, since macro-F1 is no mean over
        items.
    """
    train, test = labelled(task, data.train), labelled(task, data.test)
    names = label_names(train.labels, f"config {data.config!r}, train split")
    gold = numbered(train.labels, names)
    design, vectors = design_of(task, data, work)
    work.notes.left_out = len(data.test) - len(test.positions)
    with work.notes.stage("probe"):
        probe = design.softmax(gold, len(names), work.protocol.probe)
        probability = probe.softmax_probabilities(vectors)
    note_fit(work, task.label_field, probe.fit)
    with work.notes.stage("control"):
        shuffled = gold[shuffled_order(task, work, len(gold))]
        control = design.softmax(shuffled, len(names), work.protocol.probe)
        of_control = control.softmax_probabilities(vectors).argmax(axis=1)
    note_fit(work, f"{task.label_field}, shuffled", control.fit)
    best = probability.argmax(axis=1)
    return items_of(
        data.test,
        {
            "predicted": _labels(best, names),
            "probability": pa.array(probability.max(axis=1), pa.float32()),
            "control": _labels(of_control, names),
            "outcome": pa.nulls(len(best), pa.float64()),
        },
    )


def score(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> list[Score]:
    """Macro-F1, accuracy and weighted F1 with bootstrap intervals.

    Macro-F1 is over the labels that occur in gold. A null prediction counts as wrong; a
    predicted label that gold does not have is wrong as well.
    """
    found = predictions(task, data, items)
    asked = found.documents

    def metrics(weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        return _values(found, weights)

    named = dict(zip(_METRICS, metrics().tolist(), strict=True))
    return bootstrapped(task, protocol, named, metrics, asked.groups, asked.group_column)


def chance(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> dict[str, float]:
    """The same metrics of the probe that was fitted on shuffled labels."""
    control = predictions(task, data, items, "control")
    return dict(zip(_METRICS, _values(control, None).tolist(), strict=True))


def predictions(
    task: Task, data: TaskData, items: pa.Table, column: str = "predicted"
) -> Predictions:
    """What item rows say was predicted, beside the release's labels.

    Parameters
    ----------
    task, data, items
        As for `score`.
    column : {'predicted', 'control'}, default='predicted'
        Of the probe, or of the one that was fitted on shuffled labels.

    Raises
    ------
    ItemsError
        If the items are not those of the test split, or hold a probability that is none.
    """
    test = labelled(task, data.test)
    names = label_names(test.labels, f"config {data.config!r}, test split")
    checked = checked_items(data.test, items)
    certainty = checked["probability"].to_numpy()
    if not ((certainty >= 0) & (certainty <= 1)).all():
        raise ItemsError("the run's items hold a probability that is none")
    of_all = checked[column].cast(pa.string()).to_pylist()
    predicted = [of_all[position] for position in test.positions]
    asked = data.test.take(test.positions.tolist())
    # The last number stands for all that gold does not have.
    gold = numbered(test.labels, names)
    return Predictions(asked, gold, numbered(predicted, names), len(names) + 1)


def _values(found: Predictions, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    confusion = confusion_matrix(found.gold, found.predicted, found.n_labels, weights)
    return np.array([macro_f1(confusion), accuracy(confusion), weighted_f1(confusion)])


def _labels(numbers: NDArray[np.intp], names: list[str]) -> pa.Array:
    indices = pa.array(numbers, pa.int32())
    return pa.DictionaryArray.from_arrays(indices, pa.array(names, pa.string()))
