"""A corpus in two parts: one to learn from, one to be tested on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.counts import counted
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.statistics.bootstrap import units


class Parts(NamedTuple):
    """Positions of the documents of each part, in order.

    Attributes
    ----------
    train, test : ndarray of int64
    """

    train: NDArray[np.int64]
    test: NDArray[np.int64]


def split_by_groups(groups: Sequence[str], test_share: float, seed: int) -> Parts:
    """Split documents so that no group is in both parts.

    As published: scikit-learn's `GroupShuffleSplit`, which takes its share of the groups, not of
    the documents.

    Parameters
    ----------
    groups : sequence of str
        Of each document.
    test_share : float
        Share of the groups.
    seed : int

    Raises
    ------
    ShelfError
        If there is only one group.

    Examples
    --------
    >>> train, test = split_by_groups(["a", "a", "b", "c"], 0.3, 42)
    >>> train.tolist(), test.tolist()
    ([2, 3], [0, 1])
    """
    from sklearn.model_selection import GroupShuffleSplit

    resampled = units(groups)
    if resampled.number < 2:
        raise ShelfError(
            f"all {len(groups):,} documents are of one group, and two are needed at least; "
            "--split documents splits by document"
        )
    split = GroupShuffleSplit(n_splits=1, test_size=test_share, random_state=seed)
    train, test = next(split.split(np.zeros(len(groups)), groups=resampled.of_item))
    return _in_order(train, test)


def split_by_class(labels: Sequence[str], test_share: float, seed: int) -> Parts:
    """Split the documents of each class by themselves.

    As published: scikit-learn's stratified `train_test_split`. It refuses a class with one
    document; here that document is learned from.

    Parameters
    ----------
    labels : sequence of str
        Of each document.
    test_share : float
        Share of the documents.
    seed : int

    Raises
    ------
    ShelfError
        If there are not as many documents in either part as classes.

    Examples
    --------
    >>> parts = split_by_class(["a"] * 10 + ["b"] * 10 + ["c"], 0.3, 42)
    >>> len(parts.train), len(parts.test), 20 in parts.train
    (15, 6, True)
    """
    from sklearn.model_selection import train_test_split

    count = Counter(labels)
    several = np.array([n for n, label in enumerate(labels) if count[label] > 1], dtype=np.int64)
    alone = np.array([n for n, label in enumerate(labels) if count[label] == 1], dtype=np.int64)
    classes = sum(number > 1 for number in count.values())
    n_test = math.ceil(test_share * len(several))
    if not classes or min(n_test, len(several) - n_test) < classes:
        raise ShelfError(
            f"{counted(len(labels), 'document')} of {counted(len(count), 'class', 'classes')} are "
            "too few to split each class; give a larger corpus"
        )
    train, test = train_test_split(
        several, test_size=test_share, random_state=seed, stratify=[labels[n] for n in several]
    )
    return _in_order(np.concatenate([train, alone]), test)


def _in_order(train: NDArray[np.int64], test: NDArray[np.int64]) -> Parts:
    return Parts(np.sort(train).astype(np.int64), np.sort(test).astype(np.int64))
