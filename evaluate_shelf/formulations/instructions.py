"""Instruction retrieval: match the query in one facet and differ from it in another."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.formulations.ranking import (
    Ranked,
    of_all_queries,
    ranked_columns,
    ranked_items,
    ranked_of,
)
from evaluate_shelf.formulations.relevance import (
    count_relevant,
    count_same,
    relevance_of,
    same,
)
from evaluate_shelf.formulations.retrieval import PerQuery, means_of_shuffled, ranking_metrics
from evaluate_shelf.formulations.scores import Score, mean_scores
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task

_RANDOM = "contrast_share_of_corpus"
_LIFT = {"contrast_violation_lift_at_10": ("contrast_violation_at_10", _RANDOM)}


def predict(task: Task, data: TaskData, work: Workspace) -> pa.Table:
    """Rank the corpus for each test document with the instruction put before its text.

    Returns
    -------
    pyarrow.Table
        As for retrieval; `outcome` is the query's nDCG.
    """
    judged = _Judged(task, data)
    ranked, columns = ranked_columns(data, work, task.instruction)
    return ranked_items(data, columns, ranked, judged.per_query(ranked)["ndcg_at_10"])


def score(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> list[Score]:
    """nDCG@10 with the diagnostics of what the first ten documents match and violate.

    Relevant is a document that shares an anchor label with the query and has another contrast
    label; a document without a contrast label differs. `anchor_match_at_10` is the share of the
    first ten with the anchor label, `contrast_violation_at_10` the share with the contrast label,
    and its lift that share over the share of the whole corpus: 1 for a random ranking. Queries
    without a relevant document are left out of every mean.
    """
    ranked = ranked_of(data, items)
    asked = data.test.take(ranked.asked.tolist())
    values = _Judged(task, data).per_query(ranked)
    return mean_scores(task, protocol, values, asked.groups, asked.group_column, _LIFT)


def chance(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> dict[str, float]:
    """Means of the same metrics where the corpus documents' labels are shuffled."""
    ranked, judged = ranked_of(data, items), _Judged(task, data)
    means = means_of_shuffled(task, data, ranked, judged.per_query, protocol)
    for lift, (top, bottom) in _LIFT.items():
        means[lift] = means[top] / means[bottom] if means[bottom] else 0.0
    return means


def outcomes(task: Task, data: TaskData, items: pa.Table) -> NDArray[np.float64]:
    """nDCG@10 of each query, NaN where it has none."""
    ranked = ranked_of(data, items)
    return of_all_queries(data, ranked, _Judged(task, data).per_query(ranked)["ndcg_at_10"])


class _Judged:
    """A task's relevance, computed once for its labels."""

    def __init__(self, task: Task, data: TaskData) -> None:
        if task.anchor_field is None or task.contrast_field is None:
            raise UnsupportedError(f"{task.id}: the registry names no anchor or no contrast")
        self._relevance = relevance_of(task, data.test.table, data.corpus.table)
        self._n_relevant = count_relevant(self._relevance)
        if not self._n_relevant.any():
            raise UnsupportedError(
                f"no query has a document with its {task.anchor_field} and another "
                f"{task.contrast_field}"
            )
        contrast = self._relevance.contrast
        assert contrast is not None
        self._contrast_share = count_same(contrast) / len(data.corpus)

    def per_query(self, ranked: Ranked) -> PerQuery:
        relevance = self._relevance.of(ranked.asked)
        assert relevance.contrast is not None
        anchor = same(relevance.anchor, ranked.position)
        contrast = same(relevance.contrast, ranked.position)
        n_relevant = self._n_relevant[ranked.asked]
        answered = n_relevant > 0
        shares = {
            "anchor_match_at_10": anchor[:, :10].mean(axis=1),
            "contrast_violation_at_10": contrast[:, :10].mean(axis=1),
            _RANDOM: self._contrast_share[ranked.asked],
        }
        return {
            **ranking_metrics(anchor & ~contrast, n_relevant),
            **{name: np.where(answered, share, np.nan) for name, share in shares.items()},
        }
