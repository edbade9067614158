"""Pair classification: pairs with a common label should score above the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError, UnsupportedError
from evaluate_shelf.formulations.controls import mean_under_shuffling
from evaluate_shelf.formulations.data import TaskData, checked_items, items_of
from evaluate_shelf.formulations.scores import Score
from evaluate_shelf.formulations.sides import texts_of as texts_of
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.metrics.average_precision import average_precision
from evaluate_shelf.metrics.estimates import Estimate
from evaluate_shelf.metrics.pairs import auc_roc
from evaluate_shelf.metrics.rank_correlation import spearman
from evaluate_shelf.models.checks import checked_pair_scores
from evaluate_shelf.models.ordering import cosines_of_rows
from evaluate_shelf.models.protocol import Searcher
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.release.documents import Documents
from evaluate_shelf.statistics.dyadic import dyadic_variance, normal_interval


def predict(task: Task, data: TaskData, work: Workspace) -> pa.Table:
    """Score each test pair: the cosine of its texts, or a searcher's own pair score.

    The text of a side is its title, a blank line and its body, as published.

    Returns
    -------
    pyarrow.Table
        A row a pair: its score. `outcome` is null, since the AUC is no mean over items.
    """
    if isinstance(work.model, Searcher):
        with work.notes.stage("score"):
            first, second = (data.side_texts(side) for side in ("a", "b"))
            scores = checked_pair_scores(work.model.score_pairs(first, second), len(first))
    else:
        scores = _cosines(data, work)
    return items_of(
        data.test,
        {
            "score": pa.array(scores, pa.float64()),
            "outcome": pa.nulls(len(scores), pa.float64()),
        },
    )


def score(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> list[Score]:
    """AUC, average precision and, where labels are counts, Spearman's correlation with the count.

    Intervals come from the dyadic variance over the pairs' documents. A label above 0 is positive.
    F1 and accuracy are not given: they need a threshold, and the published ones had theirs chosen
    on the very test labels that they were scored on.

    Returns
    -------
    list of Score
        `auc_roc`, `average_precision`, and for a task with more than two labels
        `spearman_overlap`: Spearman's correlation of the scores with the number of shared topics,
        which a label stops counting at three.

    Raises
    ------
    ShelfError
        If all test pairs are positive, none is, or a pair has no label.
    """
    found = estimates_of(task, data, items)
    first, second, n_documents = documents_of(data.test)

    def with_interval(metric: str, estimate: Estimate) -> Score:
        variance = dyadic_variance(estimate.influence, first, second)
        bounds = (-1.0, 1.0) if metric == "spearman_overlap" else (0.0, 1.0)
        low, high = normal_interval(estimate.value, variance, protocol.bootstrap.level, bounds)
        unit = "document (dyadic)"
        return Score(metric, estimate.value, low, high, unit, n_documents, len(data.test))

    return [with_interval(metric, estimate) for metric, estimate in found.items()]


def chance(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> dict[str, float]:
    """The same metrics with the scores dealt out to the pairs anew, the mean of several times."""
    truth, scores = _truth(task, data), _scores(data, items)

    def shuffled(random: np.random.Generator) -> dict[str, float]:
        found = _estimates(truth, random.permutation(scores))
        return {metric: estimate.value for metric, estimate in found.items()}

    return mean_under_shuffling(task, protocol, shuffled)


class PairDocuments(NamedTuple):
    """The documents that pairs are made of.

    Attributes
    ----------
    first, second : ndarray of int, shape (n_pairs,)
        Numbers of each pair's two documents.
    number : int
        How many documents there are.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    number: int


def documents_of(pairs: Documents) -> PairDocuments:
    """Number the documents of pairs, in the order of their ids."""
    ids = [*pairs.column("doc_a_id"), *pairs.column("doc_b_id")]
    names, documents = np.unique(np.array(ids, dtype=str), return_inverse=True)
    first, second = np.split(documents, 2)
    return PairDocuments(first, second, len(names))


def estimates_of(task: Task, data: TaskData, items: pa.Table) -> dict[str, Estimate]:
    """Each metric that `score` gives, with every test pair's influence on it.

    Raises
    ------
    ShelfError
        As `score`.
    """
    return _estimates(_truth(task, data), _scores(data, items))


class _Truth(NamedTuple):
    """Which pairs are positive and, where that is graded, how many topics each pair shares."""

    positive: NDArray[np.bool_]
    overlap: NDArray[np.int64] | None


def _truth(task: Task, data: TaskData) -> _Truth:
    positive = _counts(data, "label") > 0
    if positive.all() or not positive.any():
        raise UnsupportedError(f"config {data.config!r}: all test pairs have one label")
    if task.n_labels == 2:
        return _Truth(positive, None)
    overlap = _counts(data, "overlap_count")
    if len(set(overlap.tolist())) < 2:
        raise UnsupportedError(f"config {data.config!r}: all test pairs have one overlap_count")
    return _Truth(positive, overlap)


def _counts(data: TaskData, name: str) -> NDArray[np.int64]:
    column = data.test.arrow(name)
    if column.null_count:
        raise ShelfError(f"config {data.config!r}, field {name!r}: a test pair has none")
    counts: NDArray[np.int64] = column.to_numpy().astype(np.int64)
    return counts


def _scores(data: TaskData, items: pa.Table) -> NDArray[np.float64]:
    scores: NDArray[np.float64] = checked_items(data.test, items)["score"].to_numpy()
    return scores


def _estimates(truth: _Truth, scores: NDArray[np.float64]) -> dict[str, Estimate]:
    found = {
        "auc_roc": auc_roc(truth.positive, scores),
        "average_precision": average_precision(truth.positive, scores),
    }
    if truth.overlap is not None:
        found["spearman_overlap"] = spearman(truth.overlap, scores)
    return found


def _cosines(data: TaskData, work: Workspace) -> NDArray[np.float64]:
    sides = [data.test.column(f"doc_{side}_id") for side in ("a", "b")]
    ids = sorted({*sides[0], *sides[1]})

    def texts() -> list[str]:
        both = [data.side_texts(side) for side in ("a", "b")]
        of_id = dict(zip([*sides[0], *sides[1]], [*both[0], *both[1]], strict=True))
        return [of_id[identity] for identity in ids]

    if work.needs_fit:
        with work.notes.stage("fit the encoder"):
            vectors = work.fit_and_encode(ids, texts())[1]
    else:
        vectors = work.encode(data, "title_and_body", ids, texts)
    with work.notes.stage("score"):
        row = {identity: number for number, identity in enumerate(ids)}
        a, b = ([row[identity] for identity in side] for side in sides)
        return cosines_of_rows(vectors, a, b)
