"""Pairs of models: which there are, and what each has as a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ModelPairs: TypeAlias = Sequence[tuple[int, int]]
"""The numbers of two models each."""


def all_pairs(n_models: int) -> list[tuple[int, int]]:
    """Every pair of models, the one with the lower number first.

    Examples
    --------
    >>> all_pairs(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return [(i, j) for i in range(n_models) for j in range(i + 1, n_models)]


def numbers_of(
    pairs: ModelPairs | None, n_models: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first and the second models' numbers; of all pairs where none are named."""
    chosen = all_pairs(n_models) if pairs is None else pairs
    first, second = np.array([*chosen], dtype=np.intp).reshape(-1, 2).T
    return first, second


def square(first: NDArray[np.intp], second: NDArray[np.intp], of_pairs: Floats) -> Floats:
    """What all pairs of models have as a symmetric matrix, 0 on its diagonal.

    Parameters
    ----------
    first, second : ndarray of int, shape (n_pairs,)
        Numbers of the models; every pair is there once.
    of_pairs : ndarray of float64, shape (n_pairs,)

    Examples
    --------
    >>> square(np.array([0]), np.array([1]), np.array([0.5])).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    n_models = int(max(first.max(initial=0), second.max(initial=0))) + 1
    matrix = np.zeros((n_models, n_models))
    matrix[first, second] = matrix[second, first] = of_pairs
    return matrix
