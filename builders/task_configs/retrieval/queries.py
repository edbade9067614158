"""The fixed stratified sample of test documents that are asked as queries."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations.labels import ABSENT, Labels, label_numbers
from evaluate_shelf.formulations.relevance import label_fields
from evaluate_shelf.registry.tasks import Task

N_QUERIES = 500


class QuerySample(NamedTuple):
    """Which documents are asked, and why others could not be.

    Attributes
    ----------
    positions : ndarray of int64
        Of the sampled documents, in the order of their ids.
    unlabelled : int
        Documents without a label.
    unanswered : int
        Documents with a label that no document of the corpus is relevant to.
    """

    positions: NDArray[np.int64]
    unlabelled: int
    unanswered: int


def sampled_queries(
    ids: Sequence[str],
    labels: Labels,
    *,
    seed: int,
    key: str,
    n: int = N_QUERIES,
    answered: NDArray[np.bool_] | None = None,
) -> QuerySample:
    """Draw test documents, stratified by label.

    The documents of a label are ordered by a hash of seed, key and id, and the first of them are
    taken, as many as the label's quota says. So the sample depends on nothing but ids and labels,
    and a document more in the corpus changes little of it.

    Parameters
    ----------
    ids : sequence of str
        Of the test documents, in any order.
    labels : sequence of str or None
        Their strata. A document without one is not asked.
    seed : int
        Another seed gives another sample.
    key : str
        What the sample is for.
    n : int, default=500
        Size of the sample; all documents where there are no more.
    answered : ndarray of bool, shape (n_documents,), default=None
        Whether any document of the corpus is relevant. One that has none is not asked.

    Returns
    -------
    QuerySample
        The sample and what was left out of the draw.

    Examples
    --------
    >>> sample = sampled_queries(["b", "a", "c"], ["Maps", "Maps", None], seed=42, key="x")
    >>> sample.positions.tolist(), sample.unlabelled
    ([1, 0], 1)
    """
    (strata,), n_labels = label_numbers(labels)
    labelled = strata != ABSENT
    usable = labelled if answered is None else labelled & answered
    quota = quotas(np.bincount(strata[usable], minlength=n_labels), n)
    left = quota.tolist()
    taken = []
    for position in sorted(
        np.flatnonzero(usable).tolist(), key=lambda place: _hash(seed, key, ids[place])
    ):
        if left[strata[position]]:
            left[strata[position]] -= 1
            taken.append(position)
    return QuerySample(
        np.array(sorted(taken, key=ids.__getitem__), np.int64),
        unlabelled=int((~labelled).sum()),
        unanswered=int((labelled & ~usable).sum()),
    )


def strata_of(task: Task, documents: pa.Table) -> Labels:
    """The labels that a task's sample is stratified by: of several labels, the first.

    Parameters
    ----------
    task : Task
        A retrieval or instruction retrieval; of the latter, the anchor decides.
    documents : pyarrow.Table
        With the task's label column.

    Returns
    -------
    list of str or None, or pyarrow.ChunkedArray of string
        One a document.

    Raises
    ------
    UnsupportedError
        If the column is missing.
    """
    field, _ = label_fields(task)
    if field not in documents.column_names:
        raise UnsupportedError(f"the config has no column {field!r}")
    column = documents[field]
    return first_labels(column.to_pylist()) if pa.types.is_list(column.type) else column


def first_labels(lists: Sequence[Sequence[str | None] | None]) -> list[str | None]:
    """The first label of each list that is not blank.

    Examples
    --------
    >>> first_labels([["", "Maps", "Ice"], [], None])
    ['Maps', None, None]
    """
    return [next((label for label in own or () if label and label.strip()), None) for own in lists]


def quotas(counts: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Share out `n` places in proportion to counts, by largest remainders.

    Parameters
    ----------
    counts : ndarray of int64, shape (n_labels,)
        Documents of each label.
    n : int
        Places.

    Returns
    -------
    ndarray of int64, shape (n_labels,)
        None above its count; all counts where they are no more than `n` together. A label whose
        share is less than one place has one, if there are as many places as labels. Of equal
        remainders, the label that comes first has the place.

    Examples
    --------
    >>> quotas(np.array([70, 29, 1]), 10)
    array([6, 3, 1])
    """
    if counts.sum() <= n:
        return counts.copy()
    quota = np.zeros_like(counts)
    sharing = counts > 0
    if n >= sharing.sum():
        # A place for a small label takes from the others' shares, so that more may be small.
        while (small := sharing & (counts * (n - quota.sum()) < counts[sharing].sum())).any():
            quota[small] = 1
            sharing &= ~small
    places = int(n - quota.sum())
    shared, remainder = np.divmod(counts * places, counts[sharing].sum())
    quota[sharing] = shared[sharing]
    by_remainder = np.argsort(np.where(sharing, -remainder, 1), kind="stable")
    quota[by_remainder[: n - int(quota.sum())]] += 1
    return quota


def _hash(seed: int, key: str, identity: str) -> bytes:
    return hashlib.sha256(f"{seed}\x1f{key}\x1f{identity}".encode()).digest()
