"""Retrieval: documents with the query's label are relevant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations.controls import mean_under_shuffling
from evaluate_shelf.formulations.data import TaskData, label_names, labels_of
from evaluate_shelf.formulations.gains import Gains, graded
from evaluate_shelf.formulations.ranking import (
    Ranked,
    of_all_queries,
    ranked_columns,
    ranked_items,
    ranked_of,
)
from evaluate_shelf.formulations.relevance import Relevance, codes_of, count_relevant, relevant
from evaluate_shelf.formulations.scores import Score, mean_scores
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.metrics.ranking import (
    average_precision_at,
    graded_ndcg_at,
    ndcg_at,
    recall_at,
    reciprocal_rank,
)
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task

PerQuery = dict[str, NDArray[np.float64]]
"""Each metric's value of each query that was asked, NaN where it has none."""


def predict(task: Task, data: TaskData, work: Workspace) -> pa.Table:
    """Rank the corpus (train and validation) for each test document.

    All relevance kinds of a config's own queries are read off one ranking.

    Returns
    -------
    pyarrow.Table
        A row a query: rows and scores of the documents, and `outcome`, its nDCG (null where the
        corpus has no relevant document, or the query was not asked).
    """
    judged = _Judged(task, data)
    ranked, columns = work.once(("ranking", data.config), lambda: ranked_columns(data, work))
    return ranked_items(data, columns, ranked, judged.per_query(ranked)["ndcg_at_10"])


def score(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> list[Score]:
    """nDCG@10, binary and graded, mean reciprocal rank, recall and MAP, with intervals.

    A query without a relevant document in the corpus has no score; it is left out of the mean,
    and its `outcome` is null. So is a query that a reranker's cap left out.
    """
    ranked = ranked_of(data, items)
    asked = data.test.take(ranked.asked.tolist())
    values = _Judged(task, data).per_query(ranked)
    return mean_scores(task, protocol, values, asked.groups, asked.group_column)


def chance(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> dict[str, float]:
    """Means of the same metrics where the corpus documents' labels are shuffled."""
    ranked, judged = ranked_of(data, items), _Judged(task, data)
    return means_of_shuffled(task, data, ranked, judged.per_query, protocol)


def means_of_shuffled(
    task: Task,
    data: TaskData,
    ranked: Ranked,
    per_query: Callable[[Ranked], PerQuery],
    protocol: Protocol,
) -> dict[str, float]:
    """Mean over replicates of each metric's mean, with every document in another one's place."""

    def shuffled(random: np.random.Generator) -> dict[str, float]:
        place = random.permutation(len(data.corpus))
        values = per_query(ranked._replace(position=place[ranked.position]))
        return {name: float(np.nanmean(of_queries)) for name, of_queries in values.items()}

    return mean_under_shuffling(task, protocol, shuffled)


def outcomes(task: Task, data: TaskData, items: pa.Table) -> NDArray[np.float64]:
    """nDCG@10 of each query, NaN where it has none."""
    ranked = ranked_of(data, items)
    return of_all_queries(data, ranked, _Judged(task, data).per_query(ranked)["ndcg_at_10"])


class _Judged:
    """A task's relevance, computed once for its labels."""

    def __init__(self, task: Task, data: TaskData) -> None:
        of_queries = labels_of(data.test, task.label_field)
        of_corpus = labels_of(data.corpus, task.label_field)
        label_names([*of_queries, *of_corpus], f"config {data.config!r}")
        self._relevance = Relevance(codes_of(of_queries, of_corpus))
        self._n_relevant = count_relevant(self._relevance)
        if not self._n_relevant.any():
            raise UnsupportedError(f"no query has a document with its {task.label_field}")
        self._gains: Gains = graded(task.facet, data.test.table, data.corpus.table)
        self._counts = self._gains.counts()

    def per_query(self, ranked: Ranked) -> PerQuery:
        found = relevant(self._relevance.of(ranked.asked), ranked.position)
        values = ranking_metrics(found, self._n_relevant[ranked.asked])
        gains = self._gains.of(ranked.asked).at(ranked.position)
        for k in (10, 100):
            graded_ndcg = graded_ndcg_at(k, gains, self._counts[ranked.asked])
            values[f"graded_ndcg_at_{k}"] = graded_ndcg
        return values


def ranking_metrics(
    relevance: NDArray[np.bool_], n_relevant: NDArray[np.int64]
) -> dict[str, NDArray[np.float64]]:
    """The metrics that every retrieval task reports, read off one ranking."""
    return {
        "ndcg_at_10": ndcg_at(10, relevance, n_relevant),
        "mrr": reciprocal_rank(relevance, n_relevant),
        "recall_at_10": recall_at(10, relevance, n_relevant),
        "recall_at_100": recall_at(100, relevance, n_relevant),
        "map_at_10": average_precision_at(10, relevance, n_relevant),
    }
