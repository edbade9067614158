"""One ranking of the corpus for each query, the same for every kind of relevance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.errors import ItemsError
from evaluate_shelf.formulations.data import TaskData, checked_items, items_of
from evaluate_shelf.formulations.rankers import ranked_hits
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.models.protocol import Hits


class Ranked(NamedTuple):
    """What a model ranked.

    Attributes
    ----------
    asked : ndarray of int64, shape (n_asked,)
        Positions in the test split of the queries that were ranked; all, or as many as a
        reranker's cap allows.
    position : ndarray of int64, shape (n_asked, depth)
        Positions in the corpus, best first.
    """

    asked: NDArray[np.int64]
    position: NDArray[np.int64]


def ranked_columns(
    data: TaskData, work: Workspace, instruction: str | None = None
) -> tuple[Ranked, dict[str, pa.Array]]:
    """Rank the corpus for each test document.

    Parameters
    ----------
    data : TaskData
        A config of documents.
    work : Workspace
        The model.
    instruction : str, default=None
        Put before the queries' texts.

    Returns
    -------
    Ranked
        What was ranked.
    dict of str to pyarrow.Array
        Item columns: `ranked`, rows of the documents (those of the training split, and behind
        them those of the validation split), best first, and `scores`; null where a query was not
        asked.
    """
    asked, hits = ranked_hits(data, work, instruction)
    rows = data.corpus.rows[hits.position].astype(np.int32)
    columns = {
        "ranked": _lists(asked, len(data.test), rows, pa.int32()),
        "scores": _lists(asked, len(data.test), hits.score.astype(np.float32), pa.float32()),
    }
    return Ranked(asked, hits.position), columns


def ranked_items(
    data: TaskData, columns: dict[str, pa.Array], ranked: Ranked, outcome: NDArray[np.float64]
) -> pa.Table:
    """Item rows of a ranking with each query's outcome, null where it has none."""
    of_all = of_all_queries(data, ranked, outcome)
    outcomes = pa.array(of_all, pa.float64(), from_pandas=True)
    return items_of(data.test, {**columns, "outcome": outcomes})


def of_all_queries(
    data: TaskData, ranked: Ranked, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Values of the queries that were asked, NaN for the others; shape (n_test,)."""
    of_all = np.full(len(data.test), np.nan)
    of_all[ranked.asked] = values
    return of_all


def ranked_of(data: TaskData, items: pa.Table) -> Ranked:
    """What item rows say was ranked.

    Raises
    ------
    ItemsError
        If a row is none of the corpus, or stands twice for a query.
    """
    column = checked_items(data.test, items)["ranked"].combine_chunks()
    if not pa.types.is_fixed_size_list(column.type):
        raise ItemsError("the run's items hold no rankings of one depth")
    asked = np.flatnonzero(column.is_valid())
    _check_scores(items["scores"].combine_chunks(), asked, column.type.list_size)
    depth = column.type.list_size
    rows = column.take(pa.array(asked)).flatten().to_numpy(zero_copy_only=False)
    position = _positions(data, rows.astype(np.int64)).reshape(len(asked), depth)
    ordered = np.sort(position, axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        raise ItemsError("the run's items rank a document twice for one query")
    return Ranked(asked, position)


def _check_scores(column: pa.Array, asked: NDArray[np.int64], depth: int) -> None:
    """Refuse scores that are not finite, or not best first."""
    same = pa.types.is_fixed_size_list(column.type) and column.type.list_size == depth
    if not same or not np.array_equal(np.flatnonzero(column.is_valid()), asked):
        raise ItemsError("the run's items do not hold a score for each ranked document")
    flat = column.take(pa.array(asked)).flatten().to_numpy(zero_copy_only=False)
    scores = flat.reshape(len(asked), depth)
    if not np.isfinite(scores).all() or (scores[:, 1:] > scores[:, :-1]).any():
        raise ItemsError("the run's items hold scores that are not finite, or not best first")


def _positions(data: TaskData, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    known = data.corpus.rows
    order = np.argsort(known)
    place = order[np.minimum(np.searchsorted(known, rows, sorter=order), len(known) - 1)]
    found = known[place] == rows
    if not found.all():
        raise ItemsError(
            f"the run's items rank row {rows[~found][0]}, which is no document of the corpus"
        )
    return place


def _lists(
    asked: NDArray[np.int64], n_queries: int, values: NDArray[np.generic], kind: pa.DataType
) -> pa.Array:
    depth = values.shape[1]
    filled = np.zeros((n_queries, depth), dtype=values.dtype)
    filled[asked] = values
    absent = np.ones(n_queries, dtype=bool)
    absent[asked] = False
    flat = pa.array(filled.ravel(), kind)
    mask = pa.array(absent) if absent.any() else None
    return pa.FixedSizeListArray.from_arrays(flat, depth, mask=mask)


__all__ = ["Hits", "Ranked", "ranked_columns", "ranked_items", "ranked_of"]
