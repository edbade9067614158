"""Retrieval: documents with the query's label are relevant."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.formulations.data import TaskData, label_names, labels_of
from evaluate_shelf.formulations.ranking import corpus_of, positions, ranked_items
from evaluate_shelf.formulations.relevance import Relevance, codes_of, count_relevant, relevant
from evaluate_shelf.formulations.scores import Score, bootstrapped, weighted_mean
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.metrics.ranking import ndcg_at, recall_at, reciprocal_rank
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task


def predict(task: Task, data: TaskData, work: Workspace) -> pa.Table:
    """Rank the corpus (train and validation) for each test document.

    Returns
    -------
    pyarrow.Table
        A row a query: id, ranked ids and scores, and `outcome`, its nDCG (null where the corpus
        has no relevant document).
    """
    _labels(task, data)
    items = ranked_items(data, work, queries=None)
    return with_outcome(items, per_query(task, data, items, work.protocol)["ndcg_at_10"])


def score(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> list[Score]:
    """nDCG@10, mean reciprocal rank and recall, with bootstrap intervals.

    A query without a relevant document in the corpus has no score; it is left out of the mean,
    and its `outcome` is null.
    """
    return mean_scores(task, data, per_query(task, data, items, protocol), protocol)


def per_query(
    task: Task, data: TaskData, items: pa.Table, protocol: Protocol
) -> dict[str, NDArray[np.float64]]:
    """Each metric's value of each query, NaN where the corpus has no relevant document."""
    relevance = Relevance(codes_of(*_labels(task, data)))
    return ranking_metrics(relevant(relevance, positions(data, items)), count_relevant(relevance))


def ranking_metrics(
    relevance: NDArray[np.bool_], n_relevant: NDArray[np.int64]
) -> dict[str, NDArray[np.float64]]:
    """The metrics that every retrieval task reports, read off one ranking."""
    return {
        "ndcg_at_10": ndcg_at(10, relevance, n_relevant),
        "mrr": reciprocal_rank(relevance, n_relevant),
        "recall_at_10": recall_at(10, relevance, n_relevant),
        "recall_at_100": recall_at(100, relevance, n_relevant),
    }


def with_outcome(items: pa.Table, outcome: NDArray[np.float64]) -> pa.Table:
    """Append each query's outcome, null where it has none."""
    values = [None if np.isnan(value) else float(value) for value in outcome]
    return items.append_column("outcome", pa.array(values, pa.float64()))


def mean_scores(
    task: Task, data: TaskData, values: dict[str, NDArray[np.float64]], protocol: Protocol
) -> list[Score]:
    """Means over queries, with intervals from resampling the queries' groups."""
    columns = list(values.values())

    def means(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array([weighted_mean(column, weights) for column in columns])

    named = dict(zip(values, means(np.ones(len(data.test))).tolist(), strict=True))
    return bootstrapped(task, protocol, named, means, data.test.groups, data.test.group_column)


def _labels(task: Task, data: TaskData) -> tuple[list[str], list[str]]:
    of_queries = labels_of(data.test, task.label_field)
    of_corpus = labels_of(corpus_of(data), task.label_field)
    label_names([*of_queries, *of_corpus], f"config {data.config!r}")
    return of_queries, of_corpus
