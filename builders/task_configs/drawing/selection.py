"""Choosing documents of each class that can be paired inside their class."""

from __future__ import annotations

import numpy as np

from builders.task_configs.drawing.hashed import Codes, Flags, Hashes
from builders.task_configs.drawing.runs import occurrences


def matchable(classes: Codes, groups: Codes, eligible: Flags, uses: int) -> Codes:
    """How many documents of each class can all stand in `uses` pairs inside their class.

    The two documents of a pair are of different groups. So no group may hold more than half of
    the documents, and each document needs as many documents of other groups as it has pairs.

    Parameters
    ----------
    classes, groups : numpy.ndarray of int64, shape (n,)
        Codes of the documents.
    eligible : numpy.ndarray of bool, shape (n,)
        Documents that may be chosen; each has a class.
    uses : int
        Pairs of each document.

    Returns
    -------
    numpy.ndarray of int64, shape (classes,)
        Even numbers.

    Examples
    --------
    >>> classes, groups = np.array([0, 0, 0, 0, 1, 1]), np.array([0, 0, 0, 1, 2, 2])
    >>> matchable(classes, groups, np.ones(6, dtype=bool), 1).tolist()
    [2, 0]
    """
    names = int(classes.max(initial=-1)) + 1
    spread = int(groups.max(initial=0)) + 1
    cells, sizes = np.unique(classes[eligible] * spread + groups[eligible], return_counts=True)
    owner = cells // spread
    total = np.bincount(classes[eligible], minlength=names)
    largest = np.zeros(names, dtype=np.int64)
    np.maximum.at(largest, owner, sizes)
    most: Codes = np.minimum(total, 2 * (total - largest)) // 2 * 2
    begins = np.searchsorted(owner, np.arange(names + 1))
    for name in np.flatnonzero((most > 0) & (most < 2 * uses)).tolist():
        own = sizes[begins[name] : begins[name + 1]]
        most[name] = next(
            (
                size
                for size in range(int(most[name]), uses, -2)
                if int(np.minimum(own, _group_cap(size, uses)).sum()) >= size
            ),
            0,
        )
    return most


def chosen(
    classes: Codes, groups: Codes, eligible: Flags, quotas: Codes, uses: int, hashes: Hashes
) -> Codes:
    """Choose documents at random, by class, so that they can be paired inside their class.

    Parameters
    ----------
    classes, groups : numpy.ndarray of int64, shape (n,)
        Codes of the documents.
    eligible : numpy.ndarray of bool, shape (n,)
        Documents that may be chosen; each has a class.
    quotas : numpy.ndarray of int64, shape (classes,)
        How many documents of each class: even numbers, no more than `matchable` says.
    uses : int
        Pairs of each document.
    hashes : numpy.ndarray of uint64, shape (n,)
        Documents with low ones are taken first.

    Returns
    -------
    numpy.ndarray of int64
        Positions, by class. A class that cannot be paired after all has none.
    """
    documents = np.flatnonzero(eligible)
    order = documents[np.lexsort((hashes[documents], classes[documents]))]
    spread = int(groups.max(initial=0)) + 1
    caps = np.maximum(np.minimum(quotas // 2, quotas - uses), 0)
    order = order[_place(order, classes, groups, spread) < caps[classes[order]]]
    order = order[occurrences(classes[order]) < quotas[classes[order]]]
    # A quota far below the class's size may not come out with the caps on groups: made even.
    counts = np.bincount(classes[order], minlength=len(quotas))
    even = counts // 2 * 2
    order = order[occurrences(classes[order]) < even[classes[order]]]
    largest = np.zeros(len(quotas), dtype=np.int64)
    np.maximum.at(largest, classes[order], _place(order, classes, groups, spread) + 1)
    fits = largest <= np.minimum(even // 2, even - uses)
    return order[fits[classes[order]]]


def _group_cap(size: int, uses: int) -> int:
    """The most documents of one group among `size` documents with `uses` pairs each."""
    return min(size // 2, size - uses)


def _place(order: Codes, classes: Codes, groups: Codes, spread: int) -> Codes:
    """How many documents of the same class and group came before each."""
    return occurrences(classes[order] * spread + groups[order])
