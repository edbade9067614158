"""The best of many scores: who can be among them, and their order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.models.protocol import Hits

# A column's maximum over 16 columns is still a tight bound for the hundredth of some thousands.
_LARGEST_GROUP = 16
_GROUPS_A_HIT = 8

Slack = float | NDArray[np.float64]


class Candidates(NamedTuple):
    """Cells of a block of scores, ordered by row and, within a row, by column.

    Attributes
    ----------
    row, column : ndarray of int64, shape (n_candidates,)
        Where each stands in the block.
    """

    row: NDArray[np.int64]
    column: NDArray[np.int64]


def near_best(
    scores: NDArray[np.floating], k: int, *, absolute: Slack = 0.0, relative: Slack = 0.0
) -> Iterator[Candidates]:
    """All cells that may be among the `k` best of their row if scores are not exact.

    The columns of a row are dealt into groups, and the k-th largest of the groups' maxima is a
    bound that at least `k` scores reach: no row is sorted or partitioned as a whole, and nothing
    is left to chance. Neighbours are in different groups, since documents often stand ordered.

    Parameters
    ----------
    scores : ndarray of float, shape (n_rows, n_columns)
        Finite scores.
    k : int
        How many are looked for, at most n_columns.
    absolute, relative : float or ndarray of float64, shape (n_rows,)
        How far below the bound a score may lie: `absolute + relative * abs(bound)`.

    Yields
    ------
    Candidates
        Of consecutive rows, at most about a million cells at a time unless one row has more.

    Examples
    --------
    >>> [found] = near_best(np.array([[0.1, 0.5, 0.4999, 0.9]]), 2, absolute=0.001)
    >>> found.column
    array([1, 2, 3])
    """
    n_rows, n_columns = scores.shape
    if not n_rows or not k:
        return
    size = max(1, min(_LARGEST_GROUP, n_columns // (_GROUPS_A_HIT * k)))
    # So that fewer columns are left over than there are groups.
    size = min(size, math.isqrt(n_columns))
    n_groups = n_columns // size
    maxima = _maxima_of_groups(scores, size, n_groups)
    bound = np.partition(maxima, n_groups - k, axis=1)[:, n_groups - k].astype(np.float64)
    lowest = bound - absolute - relative * np.abs(bound)
    # Not above the float64 value when it is compared in the scores' own precision.
    limit = np.nextafter(lowest.astype(scores.dtype), scores.dtype.type(-np.inf))
    held = maxima >= limit[:, None]
    for first, last in _runs_of_rows(np.count_nonzero(held, axis=1) * size):
        yield _members(scores, held, limit, first, last)


def ordered(
    candidates: Candidates,
    score: NDArray[np.float64],
    k: int,
    tie_rank: NDArray[np.integer] | None = None,
) -> Hits:
    """The `k` best candidates of each row: higher score first, then the lower tie rank.

    Parameters
    ----------
    candidates : Candidates
        At least `k` of each of their rows.
    score : ndarray of float64, shape (n_candidates,)
        Rounded, so that what has to tie does.
    k : int
        How many.
    tie_rank : ndarray of int, shape (n_columns,), optional
        Who goes first among equal scores; the earlier column without it.

    Returns
    -------
    Hits
        A row for each row of the candidates.

    Raises
    ------
    ValueError
        If a row has fewer than `k` candidates, as it has if its scores are not finite.
    """
    starts = np.flatnonzero(np.diff(candidates.row, prepend=-1))
    if len(starts) == 0 or np.diff(starts, append=len(score)).min() < k:
        raise ValueError("fewer candidates than asked for: scores have to be finite")
    tie = candidates.column if tie_rank is None else tie_rank[candidates.column]
    order = np.lexsort((tie, -score, candidates.row))
    best = order[starts[:, None] + np.arange(k)]
    return Hits(candidates.column[best], score[best])


def stacked(parts: list[Hits], k: int) -> Hits:
    """Hits of consecutive queries as one; no query, no row."""
    empty = Hits(np.empty((0, k), np.int64), np.empty((0, k), np.float64))
    both = zip(*[empty, *parts], strict=True)
    return Hits(*(np.concatenate(part) for part in both))


def _maxima_of_groups(
    scores: NDArray[np.floating], size: int, n_groups: int
) -> NDArray[np.floating]:
    """Largest score of columns g, g + n_groups, g + 2 n_groups and so on, for each group g."""
    if size == 1:
        return scores
    whole = scores[:, : size * n_groups].reshape(len(scores), size, n_groups)
    maxima: NDArray[np.floating] = whole.max(axis=1)
    rest = scores[:, size * n_groups :]
    left_over = maxima[:, : rest.shape[1]]
    np.maximum(left_over, rest, out=left_over)
    return maxima


def _members(
    scores: NDArray[np.floating],
    held: NDArray[np.bool_],
    limit: NDArray[np.floating],
    first: int,
    last: int,
) -> Candidates:
    """Cells at or above their row's limit, from the groups that hold any."""
    n_groups, n_columns = held.shape[1], scores.shape[1]
    row, group = np.divmod(np.flatnonzero(held[first:last]), n_groups)
    column = group[:, None] + np.arange(0, n_columns, n_groups)
    cell = row[:, None] * n_columns + column
    # Only some groups have one of the columns that are left over.
    there = column < n_columns
    np.minimum(cell, (last - first) * n_columns - 1, out=cell)
    there &= scores[first:last].ravel()[cell] >= limit[first + row][:, None]
    found = cell[there]
    found.sort()
    row, column = np.divmod(found, n_columns)
    return Candidates(row + first, column)


def _runs_of_rows(sizes: NDArray[np.int64], longest: int = 1_000_000) -> Iterator[tuple[int, int]]:
    """First and last (excluded) row of runs with at most `longest` cells, or of one row."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        before = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + longest, side="right")))
        yield first, last
        first = last
