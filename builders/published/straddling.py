"""Groups of documents that were published on two sides of the splits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from builders.published.findings import Finding, Findings
from builders.published.index import Index
from evaluate_shelf.release.manifest import SPLITS


def straddlers(groups: pa.Array, splits: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Find the rows that have to go for every group to lie in one split.

    A group stays where it tests, else where it validates: what was published for testing is
    tested with, and the rows that would give it away are not learned from.

    Parameters
    ----------
    groups : pyarrow.Array of string, shape (n_rows,)
        The group of each row; null for a row that is in none.
    splits : ndarray of int8, shape (n_rows,)
        The number of each row's split in `SPLITS`.

    Returns
    -------
    ndarray of bool, shape (n_rows,)
        True where a row of the same group is in a later split.

    Examples
    --------
    >>> straddlers(pa.array(["a", "a", "b", None]), np.array([0, 2, 0, 0], np.int8)).tolist()
    [True, False, False, False]
    """
    encoded = groups.dictionary_encode()
    if not len(encoded.dictionary):
        return np.zeros(len(groups), np.bool_)
    codes = np.asarray(pc.fill_null(encoded.indices, len(encoded.dictionary)))
    latest = np.full(len(encoded.dictionary) + 1, -1, np.int8)
    np.maximum.at(latest, codes, splits)
    latest[-1] = -1
    late: NDArray[np.bool_] = splits < latest[codes]
    return late


def without_straddlers(
    index: Index, groups: pa.Array, field: str, findings: Findings
) -> tuple[Index, NDArray[np.bool_]]:
    """Drop published rows whose group is in a later split too, counted by group.

    Parameters
    ----------
    index : Index
        Published rows.
    groups : pyarrow.Array of string, shape (n_kept,)
        The group of each row that is taken over.
    field : str
        What the groups are called.
    findings : Findings
        Where the rows are counted.

    Returns
    -------
    tuple of Index and ndarray of bool, shape (n_kept,)
        The index without them, and which they were.
    """
    splits = numbers_of(index.column("published_split").to_pylist())
    dropped = straddlers(groups, splits)
    finding = Finding("dropped, the group was published in a later split too", field)
    return index.without(dropped, groups, finding, findings), dropped


def numbers_of(splits: Sequence[str]) -> NDArray[np.int8]:
    """The number of each split in `SPLITS`.

    Examples
    --------
    >>> numbers_of(["test", "train"]).tolist()
    [2, 0]
    """
    number = {str(split): code for code, split in enumerate(SPLITS)}
    return np.array([number[split] for split in splits], np.int8)
