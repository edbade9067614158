"""Multi-label classification: one probe a label on frozen vectors."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evaluate_shelf.errors import ItemsError, UnsupportedError
from evaluate_shelf.formulations.data import TaskData, checked_items, items_of
from evaluate_shelf.formulations.labels import ABSENT, label_numbers
from evaluate_shelf.formulations.probing import design_of, note_fit, shuffled_order
from evaluate_shelf.formulations.scores import Score
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.metrics.multilabel import (
    AveragePrecision,
    Floats,
    cardinalities,
    empty_predictions,
    exact_matches,
    hamming_losses,
    item_mean,
    label_ranking_precisions,
    macro_f1,
    micro_f1,
    multilabel_counts,
    samples_f1,
    weighted_f1,
)
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.statistics.bootstrap import bootstrap_weights, units
from evaluate_shelf.statistics.intervals import Interval, percentile_intervals, stated_interval

Memberships = NDArray[np.bool_]
"""Which document has which label, shape (n_documents, n_labels)."""

THRESHOLD = 0.5
"""A label is predicted where its own probe gives it at least this probability."""

_REPLICATES_AT_ONCE = 200


def predict(task: Task, data: TaskData, work: Workspace) -> pa.Table:
    """Fit a probe a label on the training split and score the test split's documents.

    Classes are weighted so that the documents with a label weigh as much as those without it, as
    published. A label that no training document has is never predicted.

    Returns
    -------
    pyarrow.Table
        A row a test document: the probability of each label, in the order of the labels' names
        over both splits, and those of probes that were fitted on shuffled labels.
    """
    train, _ = memberships(task, data)
    design, test = design_of(task, data, work)
    with work.notes.stage("probe"):
        probe = design.one_vs_rest(train, work.protocol.probe)
        scores = probe.sigmoid_probabilities(test)
    note_fit(work, task.label_field, probe.fit)
    with work.notes.stage("control"):
        shuffled = train[shuffled_order(task, work, len(train))]
        control = design.one_vs_rest(shuffled, work.protocol.probe)
        of_control = control.sigmoid_probabilities(test)
    note_fit(work, f"{task.label_field}, shuffled", control.fit)
    return items_of(
        data.test,
        {
            "scores": _lists(scores),
            "control_scores": _lists(of_control),
            "outcome": pa.nulls(len(scores), pa.float64()),
        },
    )


def score(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> list[Score]:
    """F1 in four means, LRAP, mAP and error rates with bootstrap intervals.

    F1 and what else depends on a threshold take the one of 0.5 on each label's own probability,
    which is fixed and looks at no label. LRAP (label ranking average precision) and mAP (mean of
    the labels' average precisions) need none. Means over labels are over those that gold has.

    mAP has no interval: a document that is drawn twice stands twice at one place of a ranking, and
    labels that a resample loses are the rare ones, which raises its mean in every resample.
    """
    measured = _Measured(task, data, items, "scores")
    resampled = units(data.test.groups)
    draws = bootstrap_weights(
        resampled,
        task=task.id,
        seed=protocol.bootstrap.seed,
        replicates=protocol.bootstrap.replicates,
    )
    bounds: dict[str, Interval] = {}
    if resampled.number > 1:
        parts = []
        while rows := list(islice(draws, _REPLICATES_AT_ONCE)):
            parts.append(measured.resampled(np.array(rows)))
        columns = np.concatenate([np.stack(list(part.values()), axis=1) for part in parts])
        intervals = percentile_intervals(columns, protocol.bootstrap.level)
        bounds = dict(zip(parts[0], intervals or [], strict=False))
    unit, n = data.test.group_column or "document", len(data.test)
    scores = []
    for metric, value in measured.values().items():
        own = bounds.get(metric)
        low, high = stated_interval(metric, value, own) if own else (None, None)
        scores.append(Score(metric, value, low, high, unit, resampled.number, n))
    return scores


def chance(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> dict[str, float]:
    """The same metrics of the probes that were fitted on shuffled labels."""
    return _Measured(task, data, items, "control_scores").values()


def memberships(task: Task, data: TaskData) -> tuple[Memberships, Memberships]:
    """Which document of the training and of the test split has which label.

    Returns
    -------
    tuple of ndarray of bool, shapes (n_train, n_labels) and (n_test, n_labels)
        Labels in the order of their names, after stripping and case-folding them.

    Raises
    ------
    UnsupportedError
        If the config has no such lists of labels.
    """
    columns = []
    for documents in (data.train, data.test):
        name = task.label_field
        if name not in documents.table.column_names:
            raise UnsupportedError(f"the config has no column {name!r}")
        column = documents.table[name].combine_chunks()
        if not pa.types.is_list(column.type):
            raise UnsupportedError(f"the config's {name!r} is no list of labels")
        columns.append(column)
    numbers, n_labels = label_numbers(*(pc.list_flatten(column) for column in columns))
    if n_labels < 2:
        raise UnsupportedError(
            f"config {data.config!r}: fewer than two labels in {task.label_field!r}"
        )
    train, test = (
        _members(column, own, n_labels) for column, own in zip(columns, numbers, strict=True)
    )
    return train, test


def label_scores(
    task: Task, data: TaskData, items: pa.Table, column: str = "scores"
) -> tuple[Memberships, NDArray[np.float32]]:
    """Which test document has which label, and how probable the items say each is.

    Parameters
    ----------
    task, data, items
        As for `score`.
    column : {'scores', 'control_scores'}, default='scores'
        Of the probes, or of those that were fitted on shuffled labels.

    Returns
    -------
    tuple of ndarray of bool and ndarray of float32, both of shape (n_test, n_labels)
        A label is predicted where its probability is at least `THRESHOLD`.

    Raises
    ------
    ItemsError
        If the items are not those of the test split, or do not hold a score for each label.
    """
    _, gold = memberships(task, data)
    return gold, _table(checked_items(data.test, items)[column], gold.shape)


class _Measured:
    """The metrics of one set of scores, under any weights of the items."""

    def __init__(self, task: Task, data: TaskData, items: pa.Table, column: str) -> None:
        self._gold, scores = label_scores(task, data, items, column)
        self._predicted = scores >= THRESHOLD
        self._precisions = AveragePrecision(self._gold, scores)
        self._of_items = {
            "samples_f1": samples_f1(self._gold, self._predicted),
            "subset_accuracy": exact_matches(self._gold, self._predicted),
            "lrap": label_ranking_precisions(self._gold, scores),
            "hamming_loss": hamming_losses(self._gold, self._predicted),
            "empty_prediction_rate": empty_predictions(self._predicted),
            "label_cardinality": cardinalities(self._gold),
            "label_cardinality_predicted": cardinalities(self._predicted),
        }

    def values(self) -> dict[str, float]:
        """Each metric."""
        found = {**self.resampled(None), "map_macro": self._precisions.macro()}
        return {metric: float(value) for metric, value in found.items()}

    def resampled(self, weights: NDArray[np.float64] | None) -> dict[str, Floats]:
        """Each metric that has an interval, for weights of shape (n_replicates, n) or all 1."""
        counts = multilabel_counts(self._gold, self._predicted, weights)
        return {
            "macro_f1": macro_f1(counts),
            "micro_f1": micro_f1(counts),
            "weighted_f1": weighted_f1(counts),
            **{name: item_mean(values, weights) for name, values in self._of_items.items()},
        }


def _members(column: pa.Array, numbers: NDArray[np.int64], n_labels: int) -> Memberships:
    members = np.zeros((len(column), n_labels), dtype=np.bool_)
    rows = np.asarray(pc.list_parent_indices(column))
    there = numbers != ABSENT
    members[rows[there], numbers[there]] = True
    return members


def _lists(scores: NDArray[np.floating]) -> pa.Array:
    flat = pa.array(scores.astype(np.float32).ravel(), pa.float32())
    return pa.FixedSizeListArray.from_arrays(flat, scores.shape[1])


def _table(column: pa.ChunkedArray, shape: tuple[int, int]) -> NDArray[np.float32]:
    lists = column.combine_chunks()
    if not pa.types.is_fixed_size_list(lists.type) or lists.type.list_size != shape[1]:
        raise ItemsError(f"the run's items do not hold the scores of {shape[1]} labels")
    scores: NDArray[np.float32] = lists.flatten().to_numpy(zero_copy_only=False).reshape(shape)
    if not np.isfinite(scores).all():
        raise ItemsError("the run's items hold a score that is NaN or infinite")
    return scores
