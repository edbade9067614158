"""Pair classification: pairs with a common label should score above the others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.data import TaskData, in_order_of
from evaluate_shelf.formulations.scores import Score
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.metrics.pairs import auc_roc
from evaluate_shelf.models.checks import checked_pair_scores
from evaluate_shelf.models.ordering import normalised
from evaluate_shelf.models.protocol import Fittable, Searcher
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
        A row a pair: id and score. `outcome` is null, since the AUC is no mean over items.
    """
    first, second = (_texts(data.test, side) for side in ("a", "b"))
    if isinstance(work.model, Searcher):
        scores = checked_pair_scores(work.model.score_pairs(first, second), len(first))
    else:
        scores = _cosines(data, work, first, second)
    return pa.table(
        {
            "id": pa.array(data.test.ids, pa.string()),
            "score": pa.array(scores.astype(np.float64), pa.float64()),
            "outcome": pa.nulls(len(scores), pa.float64()),
        }
    )


def score(task: Task, data: TaskData, items: pa.Table, protocol: Protocol) -> list[Score]:
    """AUC with an interval from the dyadic variance over the pairs' documents."""
    label = np.array(data.test.column("label")) > 0
    if label.all() or not label.any():
        raise ShelfError(f"config {data.config!r}: all test pairs have one label")
    scores = in_order_of(data.test.ids, items)["score"].to_numpy()
    auc = auc_roc(label, scores)
    first, second = data.test.column("doc_a_id"), data.test.column("doc_b_id")
    variance = dyadic_variance(auc.influence, first, second)
    low, high = normal_interval(auc.value, variance, protocol.bootstrap.level)
    n_documents = len({*first, *second})
    return [
        Score("auc_roc", auc.value, low, high, "document (dyadic)", n_documents, len(data.test))
    ]


def _texts(pairs: Documents, side: str) -> list[str]:
    titles, bodies = pairs.column(f"doc_{side}_title"), pairs.column(f"doc_{side}_body")
    return [f"{title or ''}\n\n{body}" for title, body in zip(titles, bodies, strict=True)]


def _cosines(
    data: TaskData, work: Workspace, first: list[str], second: list[str]
) -> NDArray[np.float64]:
    ids_of_sides = [*data.test.column("doc_a_id"), *data.test.column("doc_b_id")]
    text_of = dict(sorted(zip(ids_of_sides, [*first, *second], strict=True)))
    ids, texts = list(text_of), list(text_of.values())
    if isinstance(work.model, Fittable):
        vectors = work.encode_fitted(ids, texts)
    else:
        key = (data, "title_and_body")
        vectors = work.encode(ids, texts, role="document", key=key)
    vectors = normalised(vectors)
    row = {identity: number for number, identity in enumerate(ids)}
    a, b = ([row[i] for i in data.test.column(f"doc_{side}_id")] for side in ("a", "b"))
    # Rounded like every cosine that is ordered, so that equal pairs tie.
    cosines: NDArray[np.float64] = np.einsum("ij,ij->i", vectors[a], vectors[b]).astype(np.float64)
    return np.round(cosines, 6)
