"""Counting along arrays."""

from __future__ import annotations

import numpy as np

from builders.task_configs.drawing.hashed import Codes


def occurrences(values: Codes) -> Codes:
    """How often each value came before in the sequence.

    Parameters
    ----------
    values : numpy.ndarray of int64, shape (n,)
        A sequence.

    Returns
    -------
    numpy.ndarray of int64, shape (n,)
        0 at a value's first place, 1 at its second, and so on.

    Examples
    --------
    >>> occurrences(np.array([7, 3, 7, 7, 3])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    begins = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])[: len(values)]
    lengths = np.diff(np.r_[begins, len(values)])
    result = np.empty(len(values), dtype=np.int64)
    result[order] = np.arange(len(values)) - np.repeat(begins, lengths)
    return result


def ranges(starts: Codes, lengths: Codes) -> Codes:
    """The numbers start, start + 1, ... of every range, one range after another.

    Examples
    --------
    >>> ranges(np.array([5, 0, 9]), np.array([2, 0, 1])).tolist()
    [5, 6, 9]
    """
    ends = np.cumsum(lengths)
    steps = np.arange(int(ends[-1]) if len(ends) else 0)
    result: Codes = steps + np.repeat(starts - (ends - lengths), lengths)
    return result
