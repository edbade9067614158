"""Dividing a number over classes or levels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from builders.task_configs.drawing.hashed import Codes, HashStream


def water_filled(capacity: Codes, total: int, stream: HashStream) -> Codes:
    """Divide a number as evenly as the capacities allow.

    Parameters
    ----------
    capacity : numpy.ndarray of int64, shape (classes,)
        The most that each class can take.
    total : int
        What is to be divided.
    stream : HashStream
        Which classes get the rest that does not divide evenly.

    Returns
    -------
    numpy.ndarray of int64, shape (classes,)
        Classes that are not full differ by one at most, and no full class has more than they.

    Examples
    --------
    >>> water_filled(np.array([9, 1, 9]), 7, HashStream(42)).tolist()
    [3, 1, 3]
    """
    total = min(total, int(capacity.sum()))
    low, high = 0, int(capacity.max(initial=0))
    while low < high:
        level = (low + high + 1) // 2
        if int(np.minimum(capacity, level).sum()) <= total:
            low = level
        else:
            high = level - 1
    quota: Codes = np.minimum(capacity, low)
    order = stream.order(len(capacity))
    more = order[capacity[order] > low][: total - int(quota.sum())]
    quota[more] += 1
    return quota


def within_half(capacity: Codes) -> Codes:
    """Cut the largest capacity to the sum of the others.

    Every document of a class then finds one of another class.

    Examples
    --------
    >>> within_half(np.array([10, 2, 4])).tolist()
    [6, 2, 4]
    """
    capacity = capacity.copy()
    if len(capacity):
        largest = int(np.argmax(capacity))
        others = int(capacity.sum() - capacity[largest])
        capacity[largest] = min(int(capacity[largest]), others)
    return capacity


def shared_out(total: int, shares: Mapping[int, int]) -> dict[int, int]:
    """Divide a number over levels in proportion to whole-number shares.

    Parameters
    ----------
    total : int
        What is to be divided.
    shares : mapping of int to int
        Share of each level, not negative, one at least above 0.

    Returns
    -------
    dict of int to int
        The numbers sum to `total`; each is less than one from its exact share (largest
        remainders, the lower level first among equals).

    Examples
    --------
    >>> shared_out(11, {0: 4, 1: 3, 2: 2, 3: 1})
    {0: 5, 1: 3, 2: 2, 3: 1}
    """
    whole = sum(shares.values())
    result = {level: total * share // whole for level, share in shares.items()}
    by_remainder = sorted(shares, key=lambda level: (-(total * shares[level] % whole), level))
    for level in by_remainder[: total - sum(result.values())]:
        result[level] += 1
    return result


def in_proportion(sizes: Codes, total: int) -> Codes:
    """Divide a number over classes in proportion to their sizes; all of it, if any has a size.

    Examples
    --------
    >>> in_proportion(np.array([10, 0, 20]), 6).tolist()
    [2, 0, 4]
    """
    if not sizes.any():
        return np.zeros_like(sizes)
    shares = shared_out(total, dict(enumerate(sizes.tolist())))
    return np.array([shares[name] for name in range(len(sizes))], dtype=np.int64)
