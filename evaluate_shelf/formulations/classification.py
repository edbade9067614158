"""Classification: a logistic-regression probe on frozen vectors."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.formulations.data import TaskData, in_order_of, label_names, labels_of, numbered
from evaluate_shelf.formulations.scores import Score, bootstrapped
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.metrics.classification import accuracy, confusion_matrix, macro_f1, weighted_f1
from evaluate_shelf.models.protocol import Vectors
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task


def predict(task: Task, data: TaskData, work: Workspace) -> pa.Table:
    """Fit the probe on the training split and predict the test split's labels.

    Returns
    -------
    pyarrow.Table
        A row a test document: id, predicted label and its probability. `outcome` is null, since
        macro-F1 is no mean over items.
    """
    gold_of_train = labels_of(data.train, task.label_field)
    labels_of(data.test, task.label_field)
    label_names(gold_of_train, f"config {data.config!r}, train split")
    vectors = work.document_vectors(data, fit_on=["train"])
    probe = fitted_probe(vectors["train"], gold_of_train, work.protocol)
    probability = probe.predict_proba(vectors["test"])
    best = probability.argmax(axis=1)
    return pa.table(
        {
            "id": pa.array(data.test.ids, pa.string()),
            "predicted": pa.array(probe.classes_[best].tolist(), pa.string()),
            "probability": pa.array(probability.max(axis=1).astype(np.float64), pa.float64()),
            "outcome": pa.nulls(len(best), pa.float64()),
        }
    )


def fitted_probe(vectors: Vectors, labels: Sequence[str], protocol: Protocol) -> Any:
    """Fit the protocol's probe.

    Parameters
    ----------
    vectors : ndarray of float32, shape (n_documents, dimension)
        Of the training split.
    labels : sequence of str, length n_documents
        At least two distinct ones.
    protocol : Protocol
        Gives the probe's settings and seed.

    Returns
    -------
    sklearn.linear_model.LogisticRegression
        Its `classes_` are the labels in order.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    settings = protocol.probe
    probe = LogisticRegression(
        C=settings.C,
        max_iter=settings.max_iter,
        class_weight=settings.class_weight,
        random_state=settings.seed,
    )
    with warnings.catch_warnings():
        # The published probe stops at max_iter as well; its scores are those of that stop.
        warnings.simplefilter("ignore", ConvergenceWarning)
        probe.fit(vectors, labels)
    return probe


def score(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> list[Score]:
    """Macro-F1, accuracy and weighted F1 with bootstrap intervals.

    Macro-F1 is over the labels that occur in gold. A null prediction counts as wrong; a
    predicted label that gold does not have is wrong as well.
    """
    gold_labels = labels_of(data.test, task.label_field)
    names = label_names(gold_labels, f"config {data.config!r}, test split")
    predicted_labels = in_order_of(data.test.ids, items)["predicted"].to_pylist()
    gold, predicted = numbered(gold_labels, names), numbered(predicted_labels, names)
    n_labels = len(names) + 1  # the last one stands for all that gold does not have

    def metrics(weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        confusion = confusion_matrix(gold, predicted, n_labels, weights)
        return np.array([macro_f1(confusion), accuracy(confusion), weighted_f1(confusion)])

    values = metrics()
    named = dict(zip(("macro_f1", "accuracy", "weighted_f1"), values.tolist(), strict=True))
    return bootstrapped(task, protocol, named, metrics, data.test.groups, data.test.group_column)
