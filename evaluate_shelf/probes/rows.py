"""Training vectors, read in fixed blocks of rows by several threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.parallel import in_order, workers

_BLOCK = 1024

Precision = type[np.float32] | type[np.float64]
Block = tuple[slice, NDArray[Any]]


class Rows(Protocol):
    """Vectors that an objective is a sum over.

    Attributes
    ----------
    mean : ndarray of float64, shape (dimension,)
        What was taken away from each.
    """

    mean: NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        """Number and dimension of the vectors."""

    def sums(
        self, parts: Callable[[slice, Any], Sequence[Any]], precision: Precision
    ) -> list[NDArray[np.float64]]:
        """Sum over all vectors, in float64, what a function gives of some of them."""


class Principal(NamedTuple):
    """Vectors with their principal axes.

    Attributes
    ----------
    rows : Rows
        The vectors.
    axes : ndarray or sparse array of float64, shape (dimension, dimension)
    sums : ndarray of float64, shape (dimension,)
        How much the vectors vary along each: a sum of squares.
    """

    rows: Rows
    axes: Any
    sums: NDArray[np.float64]


class CentredRows:
    """Vectors less their mean, in float32 as a copy and in float64 as they are asked for.

    Parameters
    ----------
    vectors : ndarray of float32 or float64, shape (n, dimension)
    threads : int or None
        How many work at a time; all usable cores without it. No result depends on it.

    Attributes
    ----------
    mean : ndarray of float64, shape (dimension,)
    """

    def __init__(self, vectors: NDArray[Any], threads: int | None) -> None:
        self._vectors = vectors
        starts = range(0, len(vectors), _BLOCK)
        self._blocks = [slice(start, start + _BLOCK) for start in starts]
        self._threads = min(threads or workers(), len(self._blocks))
        totals = self._each(lambda rows: (vectors[rows].sum(axis=0, dtype=np.float64),))
        self.mean: NDArray[np.float64] = totals[0] / len(vectors)
        if not np.isfinite(self.mean).all():
            raise ValueError("vectors must be finite")
        self._single = np.empty(vectors.shape, np.float32)

        def fill(rows: slice) -> tuple[NDArray[np.float64]]:
            centred = vectors[rows].astype(np.float64) - self.mean
            self._single[rows] = centred
            return (centred.T @ centred if self.is_tall else np.zeros(1),)

        (self._gram,) = self._each(fill)

    @property
    def shape(self) -> tuple[int, int]:
        """Number and dimension of the vectors."""
        n, dimension = self._vectors.shape
        return n, dimension

    @property
    def is_tall(self) -> bool:
        """Whether there are at least as many vectors as dimensions."""
        return self.shape[0] >= self.shape[1]

    def principal_axes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Orthonormal axes of the space that the centred vectors span.

        Returns
        -------
        axes : ndarray of float64, shape (dimension, r)
            `r` is the smaller of number and dimension.
        sums : ndarray of float64, shape (r,)
            Sum of squares along each axis.
        """
        import scipy.linalg

        if self.is_tall:
            sums, axes = scipy.linalg.eigh(self._gram)
            return axes, np.maximum(sums, 0.0)
        # Few vectors: nothing of the size dimension x dimension is formed.
        everything = slice(0, len(self._vectors))
        span, triangle = np.linalg.qr(self.block(everything, np.float64).T)
        sums, turned = scipy.linalg.eigh(triangle @ triangle.T)
        return span @ turned, np.maximum(sums, 0.0)

    def block(self, rows: slice, precision: Precision) -> NDArray[Any]:
        """Some of the centred vectors, shape (m, dimension)."""
        if precision is np.float32:
            return self._single[rows]
        centred: NDArray[np.float64] = self._vectors[rows].astype(np.float64) - self.mean
        return centred

    def sums(
        self, parts: Callable[[slice, NDArray[Any]], Sequence[Any]], precision: Precision
    ) -> list[NDArray[np.float64]]:
        """Sum over all blocks, in float64, what a function gives of each of them.

        Parameters
        ----------
        parts : callable
            From rows and their centred vectors to a few arrays, the same number and shapes for
            every block.
        precision : type
            float32 or float64: of the vectors that it is given.
        """
        return self._each(lambda rows: parts(rows, self.block(rows, precision)))

    def _each(self, parts: Callable[[slice], Sequence[Any]]) -> list[NDArray[np.float64]]:
        return total_of(in_order(parts, self._blocks, self._threads))


def total_of(found: Iterable[Sequence[Any]]) -> list[NDArray[np.float64]]:
    """Sum arrays in float64, in their order, so that the number of threads changes no bit.

    Parameters
    ----------
    found : iterable of sequence of ndarray
        Of each block the same number of arrays, of the same shapes.

    Examples
    --------
    >>> total_of([(1.0, [1.0, 2.0]), (2.0, [3.0, 4.0])])
    [array(3.), array([4., 6.])]
    """
    totals: list[NDArray[np.float64]] = []
    for parts in found:
        if not totals:
            totals = [np.array(part, dtype=np.float64) for part in parts]
        else:
            for total, part in zip(totals, parts, strict=True):
                total += part
    return totals
