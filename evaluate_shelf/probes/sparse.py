"""Sparse training vectors, and the probes that are fitted on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.parallel import in_order, workers
from evaluate_shelf.probes.design import Design
from evaluate_shelf.probes.linear import LinearProbe, together
from evaluate_shelf.probes.rows import Precision, Principal, total_of
from evaluate_shelf.registry.protocol_settings import Probe

_ROWS = 4096
# Ten pairs of past steps of this many labels are held at a time.
_LABELS_AT_ONCE = 32


class SparseDesign(Design):
    """As `Design`, for vectors with many components of which most are 0.

    The objective, and with it the optimum, is the same. Vectors are not centred and not turned,
    either of which would fill the zeros; each component is scaled by its own curvature.

    Parameters
    ----------
    vectors : scipy.sparse.csr_matrix of float32 or float64, shape (n, dimension)
        Of the training split; at least one, finite.
    threads : int, default=None
        How many blocks are in work at a time; all usable cores without it.

    Raises
    ------
    ValueError
        If there is no vector, or a value is not finite.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> from evaluate_shelf.registry.protocols import load_protocol
    >>> vectors = csr_matrix([[0.0, 1.0], [0.1, 0.9], [1.0, 0.0], [0.8, 0.1], [-1.0, 0.0]])
    >>> probe = SparseDesign(vectors).softmax(np.array([0, 0, 1, 1, 2]), 3, load_protocol().probe)
    >>> probe.softmax_probabilities(vectors).argmax(axis=1).tolist(), probe.fit.converged
    ([0, 0, 1, 1, 2], True)
    """

    def __init__(self, vectors: Any, threads: int | None = None) -> None:
        from scipy.sparse import csr_matrix

        if 0 in vectors.shape:
            raise ValueError("vectors must be a table of at least one row and one column")
        self._vectors = csr_matrix(vectors)
        rows = SparseRows(self._vectors, threads)
        self._rows = rows
        self._principal = Principal(rows, *rows.principal_axes())

    def one_vs_rest(self, memberships: Any, settings: Probe) -> LinearProbe:
        """As `Design.one_vs_rest`, some labels at a time."""
        parts: list[LinearProbe] = []
        for first in range(0, memberships.shape[1], _LABELS_AT_ONCE):
            some = memberships[:, first : first + _LABELS_AT_ONCE]
            parts.append(super().one_vs_rest(some, settings))
        return LinearProbe(
            np.concatenate([part.coef for part in parts]),
            np.concatenate([part.intercept for part in parts]),
            together([part.fit for part in parts]),
            tuple(fit for part in parts for fit in part.fit_of_label),
        )


class SparseRows:
    """Sparse vectors in fixed blocks of rows, as `CentredRows` but not centred.

    Parameters
    ----------
    vectors : scipy.sparse.csr_matrix, shape (n, dimension)
    threads : int or None
        How many work at a time; all usable cores without it. No result depends on it.

    Attributes
    ----------
    mean : ndarray of float64, shape (dimension,)
        What was taken away from the vectors: nothing.
    """

    def __init__(self, vectors: Any, threads: int | None) -> None:
        if not np.isfinite(vectors.data).all():
            raise ValueError("vectors must be finite")
        self._shape: tuple[int, int] = vectors.shape
        starts = range(0, vectors.shape[0], _ROWS)
        self._blocks = [slice(start, start + _ROWS) for start in starts]
        self._threads = min(threads or workers(), len(self._blocks))
        self._single = [vectors[rows].astype(np.float32) for rows in self._blocks]
        self._double = [vectors[rows].astype(np.float64) for rows in self._blocks]
        self.mean: NDArray[np.float64] = np.zeros(vectors.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        """Number and dimension of the vectors."""
        return self._shape

    def principal_axes(self) -> tuple[Any, NDArray[np.float64]]:
        """The axes as they are, and how much the vectors vary along each.

        Returns
        -------
        axes : scipy.sparse.csr_matrix of float64, shape (dimension, dimension)
        sums : ndarray of float64, shape (dimension,)
            Sum of squares of the differences from the mean.
        """
        from scipy.sparse import identity

        n, dimension = self._shape
        total, squares = np.zeros(dimension), np.zeros(dimension)
        for block in self._double:
            total += np.asarray(block.sum(axis=0)).ravel()
            squares += np.asarray(block.multiply(block).sum(axis=0)).ravel()
        return identity(dimension, format="csr"), np.maximum(squares - total * total / n, 0.0)

    def sums(
        self, parts: Callable[[slice, Any], Sequence[Any]], precision: Precision
    ) -> list[NDArray[np.float64]]:
        """Sum over all blocks, in float64, what a function gives of each of them.

        Parameters
        ----------
        parts : callable
            As for `CentredRows.sums`; the vectors are a csr_matrix.
        precision : type
            float32 or float64: of the vectors that it is given.
        """
        vectors = self._single if precision is np.float32 else self._double
        blocks = zip(self._blocks, vectors, strict=True)
        return total_of(in_order(lambda block: parts(*block), blocks, self._threads))
