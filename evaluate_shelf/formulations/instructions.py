"""Instruction retrieval: match the query in one facet and differ from it in another."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations.data import TaskData, labels_of
from evaluate_shelf.formulations.ranking import corpus_of, positions, ranked_items
from evaluate_shelf.formulations.relevance import Relevance, codes_of, count_relevant, same
from evaluate_shelf.formulations.retrieval import mean_scores, ranking_metrics, with_outcome
from evaluate_shelf.formulations.scores import Score
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task


def predict(task: Task, data: TaskData, work: Workspace) -> pa.Table:
    """Rank the corpus for each test document with the instruction put before its text.

    Returns
    -------
    pyarrow.Table
        As for retrieval; `outcome` is the query's nDCG.
    """
    _relevance(task, data)
    queries = [f"Instruct: {task.instruction}\nQuery: {text}" for text in data.test.column("text")]
    items = ranked_items(data, work, queries)
    return with_outcome(items, _per_query(task, data, items)["ndcg_at_10"])


def score(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> list[Score]:
    """nDCG@10 with the diagnostics of what the first ten documents match and violate.

    Relevant is a document with the query's anchor label and another contrast label; a document
    without a contrast label differs. `anchor_match_at_10` is the share of the first ten with the
    anchor label, `contrast_violation_at_10` the share with the contrast label. Queries without a
    relevant document are left out of every mean.
    """
    return mean_scores(task, data, _per_query(task, data, items), protocol)


def _per_query(task: Task, data: TaskData, items: pa.Table) -> dict[str, NDArray[np.float64]]:
    relevance = _relevance(task, data)
    position = positions(data, items)
    anchor, contrast = (same(facet, position) for facet in relevance if facet is not None)
    n_relevant = count_relevant(relevance)
    answered = n_relevant > 0
    return {
        **ranking_metrics(anchor & ~contrast, n_relevant),
        "anchor_match_at_10": np.where(answered, anchor[:, :10].mean(axis=1), np.nan),
        "contrast_violation_at_10": np.where(answered, contrast[:, :10].mean(axis=1), np.nan),
    }


def _relevance(task: Task, data: TaskData) -> Relevance:
    if task.anchor_field is None or task.contrast_field is None:
        raise UnsupportedError(f"{task.id}: the registry names no anchor or no contrast")
    corpus = corpus_of(data)
    fields = (task.anchor_field, task.contrast_field)
    return Relevance(
        *(codes_of(labels_of(data.test, field), labels_of(corpus, field)) for field in fields)
    )
