"""Cramér's V of a contingency table, corrected for its bias as if documents were independent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.number[Any]]


def why_undefined(table: Counts) -> str | None:
    """Why a table has no Cramér's V; None if it has one.

    Parameters
    ----------
    table : ndarray, shape (n_generators, n_labels)
        Counts.

    Examples
    --------
    >>> why_undefined(np.array([[3, 4]])), why_undefined(np.array([[3, 0], [4, 0]]))
    ('one generator alone', 'one value alone')
    >>> why_undefined(np.array([[1, 0], [0, 1]]))
    'no more occurrences than values or generators'
    """
    own = without_empty(table)
    if not own.size:
        return "no document"
    if len(own) < 2:
        return "one generator alone"
    if own.shape[1] < 2:
        return "one value alone"
    if own.sum() <= max(own.shape):
        return "no more occurrences than values or generators"
    return None


def bergsma_v(table: Counts) -> float:
    """Cramér's V less what chance alone would be expected to give.

    The correction is right for documents that are drawn one by one.

    Parameters
    ----------
    table : ndarray, shape (n_generators, n_labels)
        Counts, against which `why_undefined` has nothing. Empty rows and columns play no part.

    Returns
    -------
    float
        In [0, 1]; 0 where chi-square is no larger than expected by chance.

    References
    ----------
    Bergsma, "A bias-correction for Cramér's V and Tschuprow's T", Journal of the Korean
    Statistical Society 42 (2013).

    Examples
    --------
    >>> bergsma_v(np.array([[10, 20], [20, 40]])), bergsma_v(np.array([[50, 0], [0, 50]]))
    (0.0, 1.0)
    >>> round(bergsma_v(np.array([[20, 30], [30, 20]])), 4)
    0.1738
    """
    own = without_empty(table)
    others = float(own.sum()) - 1
    rows, columns = own.shape
    excess = max(0.0, phi_square(own) - (rows - 1) * (columns - 1) / others)
    most = min(size - 1 - (size - 1) ** 2 / others for size in own.shape)
    return min(1.0, math.sqrt(excess / most))


def phi_square(table: Counts) -> float:
    """Chi-square of independence for each document, of a table without empty rows and columns.

    Examples
    --------
    >>> round(phi_square(np.array([[20, 30], [30, 20]])), 4)
    0.04
    """
    return float((residuals(table) ** 2).sum())


def residuals(table: Counts) -> NDArray[np.float64]:
    """What each cell has more or less than under independence; their squares add up to phi square.

    Parameters
    ----------
    table : ndarray, shape (n_generators, n_labels)
        Counts, without empty rows and columns.
    """
    shares = np.asarray(table, dtype=np.float64) / table.sum()
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    own: NDArray[np.float64] = (shares - expected) / np.sqrt(expected)
    return own


def without_empty(table: Counts) -> Counts:
    """The table without rows and columns in which nothing stands."""
    filled: Counts = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    return filled
