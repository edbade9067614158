"""What all parts of a quality report have in common."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from evaluate_shelf.bounded import one_line
from evaluate_shelf.release.manifest import SPLITS

MOST_NAMED = 50
"""How many examples of each kind a report names; the counts are of all."""

_LONGEST_NAME = 200


class Part(BaseModel):
    """A part of a report: plain values that are not changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PairCounts(Part):
    """Numbers of pairs by where their two documents are.

    Attributes
    ----------
    within : dict of str to int
        By split, pairs of which both are there.
    across : dict of str to int
        By two splits, such as `train-test`, pairs with one document in each.
    """

    within: dict[str, int]
    across: dict[str, int]

    @property
    def total(self) -> int:
        """All pairs."""
        return sum(self.within.values()) + sum(self.across.values())


def pair_counts(matrix: NDArray[np.int64]) -> PairCounts:
    """Name the cells of a matrix of pairs.

    Parameters
    ----------
    matrix : numpy.ndarray
        Pairs by the splits of both documents, of shape (3, 3), int64. A pair is counted once, on
        either side of the diagonal.

    Returns
    -------
    PairCounts
        With every split and every two splits, zeros too.

    Examples
    --------
    >>> import numpy as np
    >>> pair_counts(np.array([[1, 0, 2], [0, 0, 0], [3, 0, 0]])).across["train-test"]
    5
    """
    both = matrix + matrix.T
    splits = list(enumerate(SPLITS))
    return PairCounts(
        within={split: int(matrix[s, s]) for s, split in splits},
        across={
            f"{first}-{second}": int(both[f, s])
            for f, first in splits
            for s, second in splits
            if f < s
        },
    )


def shown(name: str) -> str:
    r"""A name as a report prints it: on one line of at most 200 characters.

    Examples
    --------
    >>> shown("two\nlines")
    'two lines'
    """
    return one_line(name, _LONGEST_NAME)


def by_split(counts: Iterable[int]) -> dict[str, int]:
    """Three numbers under the names of the splits.

    Examples
    --------
    >>> by_split([3, 1, 2])
    {'train': 3, 'validation': 1, 'test': 2}
    """
    return {split: int(count) for split, count in zip(SPLITS, counts, strict=True)}
