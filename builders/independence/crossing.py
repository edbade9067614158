"""Occurrences of labels with their generators and specifications."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.intp]


class Crossing(NamedTuple):
    """Occurrences of labels, each in a document of a generator and of a specification.

    Attributes
    ----------
    generators, labels, groups : ndarray of int, shape (n,)
        Number of the generator, of the label and of the specification. Every number from 0 to
        the greatest occurs.
    """

    generators: Numbers
    labels: Numbers
    groups: Numbers

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many generators, labels and specifications there are."""
        sizes = [int(own.max()) + 1 if len(own) else 0 for own in self]
        return sizes[0], sizes[1], sizes[2]

    @property
    def table(self) -> NDArray[np.float64]:
        """How often each label stands with each generator, shape (n_generators, n_labels)."""
        return self.weighted(np.ones(self.shape[2]))

    def weighted(self, copies: NDArray[np.float64]) -> NDArray[np.float64]:
        """The table where each specification counts so many times, shape (n_specifications,)."""
        rows, columns, _ = self.shape
        cells = np.bincount(
            self.generators * columns + self.labels,
            weights=copies[self.groups],
            minlength=rows * columns,
        )
        return cells.astype(np.float64).reshape(rows, columns)


def crossing(
    generators: Sequence[object] | Numbers,
    labels: Sequence[object] | Numbers,
    groups: Sequence[object] | Numbers,
) -> Crossing:
    """Number generators, labels and groups, each in the order of their names.

    Parameters
    ----------
    generators, labels, groups : sequence, length n
        Of each occurrence; text or whole numbers.

    Examples
    --------
    >>> crossing(["a", "b", "a"], ["x", "y", "y"], ["1", "1", "2"]).table.tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    return Crossing(*(_numbered(own) for own in (generators, labels, groups)))


def _numbered(values: Sequence[object] | Numbers) -> Numbers:
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        array = np.asarray(values, dtype=object).astype(str)
    return np.unique(array, return_inverse=True)[1]
