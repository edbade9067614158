"""Which item rows a task of a run has to have: columns, types, labels, and who was asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.formulations.clustering import cluster_columns, members_of
from evaluate_shelf.formulations.data import TaskData, labelled
from evaluate_shelf.formulations.multilabel import memberships
from evaluate_shelf.formulations.rankers import sampled_queries
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.runs.folder import RUN
from evaluate_shelf.runs.schema import RunModel
from evaluate_shelf.submissions.parquet_reading import Shape
from evaluate_shelf.submissions.refusals import Refused

GREATEST_SCORE = 1e9
"""No pair has a greater score: cosines, BM25 and cross-encoders stay far below."""

_LABEL = pa.dictionary(pa.int32(), pa.string())
_RANKED = ("retrieval", "instruction_retrieval")
_CLUSTERED = ("clustering", "conditional_clustering")


def shape_of_items(task: Task, data: TaskData, protocol: Protocol, model: RunModel) -> Shape:
    """What the file of a task's item rows has to hold.

    Parameters
    ----------
    task, data, protocol
        What was evaluated.
    model : RunModel
        A reranker's settings say how deep its rankings are.

    Returns
    -------
    Shape
        A row a test document or pair.
    """
    columns, nullable = _columns(task, data, protocol, model)
    schema = pa.schema([("row", pa.int32()), *columns.items(), ("outcome", pa.float64())])
    rows = len(data.test)
    return Shape(schema, rows, rows, frozenset({*nullable, "outcome"}))


def check_items(
    task: Task, data: TaskData, protocol: Protocol, model: RunModel, items: pa.Table, name: str
) -> None:
    """Refuse item rows that no evaluation writes, though scores would follow from them.

    Raises
    ------
    Refused
        If labels are none of those that a probe can predict; if queries were left out, which would
        choose those that a model is good at; if there are more clusters than labels; or if a pair's
        score is none.
    """
    if task.formulation == "classification":
        _check_labels(task, data, items, name)
    elif task.formulation in _RANKED:
        _check_asked(data, model, items, name)
    elif task.formulation in _CLUSTERED:
        _check_clusters(task, data, protocol, items, name)
    elif task.formulation == "pair_classification":
        scores = items["score"].to_numpy()
        if len(scores) and np.abs(scores).max() > GREATEST_SCORE:
            raise Refused(f"{name}, field 'score': no pair has a score above {GREATEST_SCORE:g}")
    elif task.formulation == "multilabel_classification":
        for column in ("scores", "control_scores"):
            values = _flat(items[column])
            if len(values) and (values.min() < 0 or values.max() > 1):
                raise Refused(f"{name}, field {column!r}: a value is no probability")


def _columns(
    task: Task, data: TaskData, protocol: Protocol, model: RunModel
) -> tuple[dict[str, pa.DataType], tuple[str, ...]]:
    """Columns between row and outcome, and those of them whose values may be absent."""
    if task.formulation == "classification":
        return {"predicted": _LABEL, "probability": pa.float32(), "control": _LABEL}, ()
    if task.formulation == "multilabel_classification":
        n_labels = memberships(task, data)[1].shape[1]
        kind = pa.list_(pa.float32(), n_labels)
        return {"scores": kind, "control_scores": kind}, ()
    if task.formulation in _CLUSTERED:
        # The order in which an evaluation writes them.
        names = sorted(set(cluster_columns(task, protocol)), key=_seed_of)
        return dict.fromkeys(names, pa.int16()), tuple(names)
    if task.formulation == "pair_classification":
        return {"score": pa.float64()}, ()
    depth = _depth(data, protocol, model)
    kinds = {"ranked": pa.list_(pa.int32(), depth), "scores": pa.list_(pa.float32(), depth)}
    return kinds, tuple(kinds)


def _seed_of(column: str) -> int:
    seed = column.rpartition("_")[2]
    return int(seed) if seed.isdecimal() else 0


def _depth(data: TaskData, protocol: Protocol, model: RunModel) -> int:
    deepest = min(protocol.ranking_depth, len(data.corpus))
    return min(deepest, _setting(model, "depth") or deepest)


def _setting(model: RunModel, name: str) -> int | None:
    """A reranker's setting that is a number above 0, where it has one."""
    value: Any = model.settings.get(name) if model.kind == "reranker" else None
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise Refused(f"{RUN}, field model.settings.{name}: must be a whole number above 0")
    return value


def _check_labels(task: Task, data: TaskData, items: pa.Table, name: str) -> None:
    known = set(labelled(task, data.train).labels)
    for column in ("predicted", "control"):
        for chunk in items[column].chunks:
            # Values that no row points to are in the file all the same.
            if chunk.dictionary.null_count or set(chunk.dictionary.to_pylist()) - known:
                raise Refused(
                    f"{name}, field {column!r}: a label that no training document of the release "
                    "has"
                )


def _check_asked(data: TaskData, model: RunModel, items: pa.Table, name: str) -> None:
    asked = np.flatnonzero(items["ranked"].combine_chunks().is_valid())
    expected = sampled_queries(data.test.ids, _setting(model, "queries"))
    if not np.array_equal(asked, expected):
        raise Refused(
            f"{name}, field 'ranked': {len(asked):,} queries were asked, which are not the "
            f"{len(expected):,} that such a run asks"
        )


def _check_clusters(
    task: Task, data: TaskData, protocol: Protocol, items: pa.Table, name: str
) -> None:
    members = members_of(task, data)
    # Inside classes, every class has clusters of its own.
    within = task.formulation == "conditional_clustering" or task.algorithm == "hdbscan"
    most = len(members.positions) if within else members.n_labels
    least = -1 if task.algorithm == "hdbscan" else 0
    for column in cluster_columns(task, protocol):
        found = items[column].drop_null().to_numpy()
        if len(found) and (found.min() < least or found.max() >= most):
            raise Refused(f"{name}, field {column!r}: a cluster that there is not")


def _flat(column: pa.ChunkedArray) -> NDArray[np.float32]:
    values: NDArray[np.float32] = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return values
