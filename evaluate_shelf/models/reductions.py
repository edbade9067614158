"""Vectors made smaller after they were computed: fewer dimensions, less precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.protocol import Vectors

Precision = Literal["float32", "int8", "binary"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)

_LARGEST_INT8 = 127


@dataclass(frozen=True)
class Reduction:
    """What is done to the stored vectors of a model.

    Attributes
    ----------
    dim : int or None
        How many of the first components are kept; all where it is None.
    precision : {'float32', 'int8', 'binary'}
        Of the components.

    Examples
    --------
    >>> Reduction(2, "binary")(np.array([[0.5, -0.25, 0.1]], dtype=np.float32)).round(3)
    array([[ 0.707, -0.707]], dtype=float32)
    """

    dim: int | None = None
    precision: Precision = "float32"

    def __call__(self, vectors: Vectors) -> Vectors:
        """Reduce vectors.

        Parameters
        ----------
        vectors : ndarray of float32, shape (n, dimension)
            As the model gives them.

        Returns
        -------
        ndarray of float32, shape (n, dim or dimension)
            Quantised vectors are brought to length 1, since the step of a whole number means
            nothing and a probe's penalty depends on it. Vectors that are only cut are left as
            they are cut.

        Raises
        ------
        ShelfError
            If the vectors have fewer dimensions than are to be kept.
        """
        kept = vectors if self.dim is None else truncated(vectors, self.dim)
        if self.precision == "float32":
            return kept
        whole = quantised(kept, self.precision)
        length = np.linalg.norm(whole, axis=1, keepdims=True)
        unit = np.zeros_like(whole)
        np.divide(whole, length, out=unit, where=length > 0)
        return unit


def truncated(vectors: Vectors, dim: int) -> Vectors:
    """The first components of each vector, as Matryoshka training orders them.

    Parameters
    ----------
    vectors : ndarray of float32, shape (n, dimension)
    dim : int
        At most `dimension`.

    Returns
    -------
    ndarray of float32, shape (n, dim)
        Contiguous; not normalised anew.

    Raises
    ------
    ShelfError
        If there are fewer dimensions.

    Examples
    --------
    >>> truncated(np.array([[1.0, 2.0, 3.0]], dtype=np.float32), 2)
    array([[1., 2.]], dtype=float32)
    """
    dimension = vectors.shape[1]
    if not 0 < dim <= dimension:
        raise ShelfError(f"option dim={dim}: the model's vectors have {dimension} dimensions")
    return np.ascontiguousarray(vectors[:, :dim])


def quantised(vectors: Vectors, precision: Precision) -> Vectors:
    """Vectors whose components are whole numbers.

    Parameters
    ----------
    vectors : ndarray of float32, shape (n, dimension)
    precision : {'float32', 'int8', 'binary'}
        `int8`: each vector by itself is scaled so that its largest component is 127 or -127, and
        rounded, halves to even. `binary`: 1 where a component is above 0, else -1. `float32`: as
        they are.

    Returns
    -------
    ndarray of float32, shape (n, dimension)

    Examples
    --------
    >>> given = np.array([[0.5, -0.25, 0.0]], dtype=np.float32)
    >>> quantised(given, "int8")
    array([[127., -64.,   0.]], dtype=float32)
    >>> quantised(given, "binary")
    array([[ 1., -1., -1.]], dtype=float32)
    """
    if precision == "float32":
        return vectors
    if precision == "binary":
        return np.where(vectors > 0, np.float32(1), np.float32(-1))
    # In float64: a component that is tiny in float32 would divide to infinity.
    wide = vectors.astype(np.float64)
    largest = np.abs(wide).max(axis=1, keepdims=True, initial=0.0)
    scaled = np.zeros_like(wide)
    np.divide(wide * _LARGEST_INT8, largest, out=scaled, where=largest > 0)
    return np.rint(scaled).astype(np.float32)
