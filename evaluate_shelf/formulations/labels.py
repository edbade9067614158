"""Labels as they are compared: numbered after stripping and case-folding them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

ABSENT = -1
"""The number of a label that is not there."""

Labels: TypeAlias = Sequence[str | None] | pa.Array | pa.ChunkedArray
"""A label a document, None or blank where it has none."""

LabelLists: TypeAlias = Sequence[Sequence[str | None] | None] | pa.Array | pa.ChunkedArray
"""A list of labels a document, None or empty where it has none."""


class Sets(NamedTuple):
    """A facet of several labels a document, queries and corpus numbered together.

    Attributes
    ----------
    queries : scipy.sparse.csr_array of int64, shape (n_queries, n_labels)
        Not zero where the query has the label.
    corpus : scipy.sparse.csr_array of int64, shape (n_documents, n_labels)
        The same for the corpus.
    """

    queries: Any
    corpus: Any


def label_numbers(*sides: Labels) -> tuple[list[NDArray[np.int64]], int]:
    """Number labels in the order of their names, after stripping and case-folding them.

    Parameters
    ----------
    *sides : sequence of str or None, or Arrow strings
        Columns that are numbered together.

    Returns
    -------
    tuple of list of ndarray of int64 and int
        A number a label, `ABSENT` where there is none, and how many labels there are.

    Examples
    --------
    >>> label_numbers(["Maps", None], ["maps ", "Atlases"])
    ([array([ 1, -1]), array([1, 0])], 2)
    """
    columns = [_array(side, pa.string()) for side in sides]
    encoded = pa.concat_arrays(columns).dictionary_encode()
    # Few values are distinct, and each is folded once.
    folded = [label.strip().casefold() for label in encoded.dictionary.to_pylist()]
    names = sorted({label for label in folded if label})
    number = {name: position for position, name in enumerate(names)}
    of_value = np.array([*(number.get(label, ABSENT) for label in folded), ABSENT], np.int64)
    numbers = of_value[np.asarray(pc.fill_null(encoded.indices, len(folded)))]
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(numbers, ends), len(names)


def sets_of(queries: LabelLists, corpus: LabelLists) -> Sets:
    """Number the labels of queries and corpus together.

    Examples
    --------
    >>> topics = sets_of([["Maps", "Ice"], None], [["maps "], ["Atlases", ""]])
    >>> topics.queries.toarray()
    array([[0, 1, 1],
           [0, 0, 0]])
    """
    lists = [_array(side, pa.list_(pa.string())) for side in (queries, corpus)]
    numbers, n_labels = label_numbers(*(pc.list_flatten(side) for side in lists))
    return Sets(
        *(
            incidence(np.asarray(pc.list_parent_indices(side)), own, (len(side), n_labels))
            for side, own in zip(lists, numbers, strict=True)
        )
    )


def incidence(rows: NDArray[np.int64], numbers: NDArray[np.int64], shape: tuple[int, int]) -> Any:
    """Which row has which label, as a sparse matrix; absent labels are left out.

    Parameters
    ----------
    rows, numbers : ndarray of int64, shape (n_labels_given,)
        Row and number of each label.
    shape : tuple of int
        Rows and labels.

    Returns
    -------
    scipy.sparse.csr_array of int64
        Not zero where the row has the label.
    """
    from scipy.sparse import csr_array

    there = numbers != ABSENT
    cells = (rows[there], numbers[there])
    return csr_array((np.ones(int(there.sum()), np.int64), cells), shape=shape)


def _array(labels: Labels | LabelLists, kind: pa.DataType) -> pa.Array:
    if isinstance(labels, pa.ChunkedArray):
        labels = labels.combine_chunks()
    return labels.cast(kind) if isinstance(labels, pa.Array) else pa.array(labels, kind)
