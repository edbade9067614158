"""The relation ladder: how near two documents are by their labels."""

from __future__ import annotations

import numpy as np

from builders.task_configs.drawing.hashed import Codes, Flags
from builders.task_configs.drawing.sides import Sides
from evaluate_shelf.diagnostics.breakdown.relations import RELATIONS

STRATA = tuple(name.partition(" ")[2] for name in RELATIONS)
"""Names of S0 to S6. A pair is in the first that holds."""


def strata_of(sides: Sides, first: Codes, second: Codes) -> Codes:
    """The stratum of each pair.

    Parameters
    ----------
    sides : Sides
        The documents. A label that a document lacks is the same as no other's; two documents
        without topics do not have the same topics. A subclass is a subclass of its class.
    first, second : numpy.ndarray of int64, shape (pairs,)
        Positions of documents.

    Returns
    -------
    numpy.ndarray of int64, shape (pairs,)
        0 to 6.

    Examples
    --------
    >>> from builders.task_configs.drawing.sides import sides_of
    >>> sides = sides_of(
    ...     group=[None] * 4, lcc=["B", "B", "C", "D"], form=["Essays", "Essays", "Essays", None],
    ...     category=["Prose", "Prose", "Prose", None], topics=[["law"], ["law"], ["art"], ["art"]],
    ... )
    >>> strata_of(sides, np.array([0, 0, 2, 0]), np.array([1, 2, 3, 3])).tolist()
    [2, 3, 5, 6]
    """
    form = _same(sides.form, first, second)
    lcc = _same(sides.lcc, first, second)
    subclass = lcc & _same(sides.subclass, first, second)
    category = _same(sides.category, first, second)
    nearest = subclass & form
    # Topics are looked at only where they decide: they take most of the time.
    open_ = np.flatnonzero(nearest | ~(subclass | lcc | form | category))
    shared = np.zeros(len(first), dtype=np.int64)
    shared[open_] = sides.topics.shared(first[open_], second[open_])
    counts = sides.topics.counts
    same_topics = (shared > 0) & (shared == counts[first]) & (shared == counts[second])
    holds = [nearest & same_topics, subclass, lcc, form, category, shared > 0]
    return np.select(holds, list(range(len(holds))), default=len(holds)).astype(np.int64)


def _same(codes: Codes | None, first: Codes, second: Codes) -> Flags:
    if codes is None:
        return np.zeros(len(first), dtype=np.bool_)
    same: Flags = (codes[first] >= 0) & (codes[first] == codes[second])
    return same
