"""Which documents of the corpus are relevant to a query, from labels alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_ABSENT = -1


class Codes(NamedTuple):
    """A facet's labels of queries and corpus, numbered together; -1 where there is none."""

    queries: NDArray[np.int64]
    corpus: NDArray[np.int64]


def codes_of(queries: Sequence[str | None], corpus: Sequence[str | None]) -> Codes:
    """Number labels after stripping and case-folding them.

    Examples
    --------
    >>> codes_of(["Maps", None], ["maps ", "Atlases"])
    Codes(queries=array([ 1, -1]), corpus=array([1, 0]))
    """
    folded = [[(label or "").strip().casefold() for label in side] for side in (queries, corpus)]
    names = sorted({label for side in folded for label in side if label})
    number = {name: position for position, name in enumerate(names)}
    sides = [np.array([number.get(label, _ABSENT) for label in side], np.int64) for side in folded]
    return Codes(*sides)


def same(codes: Codes, position: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the document at each rank has the query's label; an absent label is never the same.

    Parameters
    ----------
    codes : Codes
        The facet.
    position : ndarray of int64, shape (n_queries, depth)
        Positions in the corpus.

    Returns
    -------
    ndarray of bool, shape (n_queries, depth)
    """
    query = codes.queries[:, None]
    found: NDArray[np.bool_] = (codes.corpus[position] == query) & (query != _ABSENT)
    return found


def count_same(codes: Codes) -> NDArray[np.int64]:
    """Number of corpus documents with each query's label, shape (n_queries,)."""
    present = codes.corpus[codes.corpus != _ABSENT]
    size = int(max(codes.queries.max(initial=0), present.max(initial=0))) + 1
    counts = np.bincount(present, minlength=size)
    return np.where(codes.queries == _ABSENT, 0, counts[codes.queries]).astype(np.int64)


def count_same_in_both(first: Codes, second: Codes) -> NDArray[np.int64]:
    """Number of corpus documents with the query's label in both facets, shape (n_queries,)."""
    width = int(max(second.queries.max(initial=0), second.corpus.max(initial=0))) + 1
    return count_same(Codes(*(_joined(a, b, width) for a, b in zip(first, second, strict=True))))


def _joined(first: NDArray[np.int64], second: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    absent = (first == _ABSENT) | (second == _ABSENT)
    return np.where(absent, _ABSENT, first * width + second)
