"""Pairing documents that have nothing in common, each document at most once."""

from __future__ import annotations

import numpy as np

from builders.task_configs.drawing.buckets import Budget
from builders.task_configs.drawing.hashed import Codes, Flags, HashStream
from builders.task_configs.drawing.record import Conflict, Pairs, joined
from builders.task_configs.drawing.regular import regular_pairs
from builders.task_configs.drawing.runs import occurrences

# Fresh documents are drawn so often for the pairs that no swap could mend.
_TRIES = 6


def scattered_pairs(
    free: Flags,
    *,
    conflict: Conflict,
    quota: int,
    stream: HashStream,
    budget: Budget | None = None,
) -> Pairs:
    """Pair free documents at random.

    Parameters
    ----------
    free : numpy.ndarray of bool, shape (n,)
        Documents that may be used. Those that get used are struck out.
    conflict : callable
        Says of arrays of first and second documents which pairs may not be. It must hold for a
        document with itself.
    quota : int
        The most pairs.
    stream : HashStream
        Of the draws.
    budget : Budget or None
        Limits for classes, counted down.

    Returns
    -------
    Pairs
        No order that says anything.
    """
    taken: list[Pairs] = []
    for _ in range(_TRIES):
        missing = quota - sum(map(len, taken))
        documents = _drawn(free, 2 * missing, budget, stream)
        if not len(documents):
            break
        pairs, wrong = regular_pairs(documents, np.zeros_like(documents), 1, conflict, stream)
        good = pairs.where(~wrong)
        free[good.documents] = False
        if budget is not None:
            budget.take(good)
        taken.append(good)
    return joined(taken)


def _drawn(free: Flags, size: int, budget: Budget | None, stream: HashStream) -> Codes:
    """An even number of free documents, `size` at most, as many of a class as it has places."""
    documents = np.flatnonzero(free)
    documents = documents[stream.order(len(documents))]
    if budget is not None:
        classes = budget.classes[documents]
        documents = documents[occurrences(classes) < budget.left[classes]]
    return documents[: min(size, len(documents)) // 2 * 2]
