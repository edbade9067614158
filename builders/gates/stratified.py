"""An exact test of one group's count against the others', within strata."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

SMALLEST_P = 1e-12
"""A smaller p-value is given as this one: what is left out of the distribution may be as much."""

_NO_MASS = 1e-16
_AS_LIKELY = 1 + 1e-7  # probabilities that rounding alone holds apart


class Counts(NamedTuple):
    """Items of strata: all, those with a mark, the group's, and the group's with a mark.

    Each an array of int64 of shape (strata,).
    """

    items: NDArray[np.int64]
    marked: NDArray[np.int64]
    own: NDArray[np.int64]
    own_marked: NDArray[np.int64]


def exact_p(counts: Counts) -> float:
    """Two-sided p-value of a group's marks, had the marks been dealt out within each stratum.

    The group's marks over all strata are compared with those of every way to deal out each
    stratum's marks among its items; summed are the probabilities of all counts that are no more
    likely than the one that was found. Of one stratum that is Fisher's exact test, of pairs
    McNemar's, of many strata the exact test by Cochran, Mantel and Haenszel.

    Parameters
    ----------
    counts : Counts
        With any number of strata.

    Returns
    -------
    float
        From 1e-12 to 1; 1 where nothing can vary.

    Examples
    --------
    >>> one = Counts(*(np.array([n]) for n in (8, 4, 4, 4)))
    >>> round(exact_p(one), 4)
    0.0286
    """
    varies = (counts.marked > 0) & (counts.marked < counts.items)
    varies &= (counts.own > 0) & (counts.own < counts.items)
    if not varies.any():
        return 1.0
    kinds = np.column_stack((counts.items, counts.marked, counts.own))[varies]
    distinct, times = np.unique(kinds, axis=0, return_counts=True)
    start, chances = 0, np.ones(1)
    for kind, often in zip(distinct.tolist(), times.tolist(), strict=True):
        start, chances = _sum((start, chances), _repeated(_one(*kind), often))
    place = int(counts.own_marked[varies].sum()) - start
    if not 0 <= place < len(chances):
        return SMALLEST_P
    p = float(chances[chances <= chances[place] * _AS_LIKELY].sum())
    return min(1.0, max(SMALLEST_P, p))


_Distribution = tuple[int, NDArray[np.float64]]
"""The least value that has a probability, and the probabilities from there on."""


def _one(items: int, marked: int, own: int) -> _Distribution:
    least, most = max(0, own + marked - items), min(own, marked)
    hits = np.arange(least, most + 1)
    # The hypergeometric distribution by logarithms of factorials: scipy's takes minutes of many.
    logs = _ways(marked, hits) + _ways(items - marked, own - hits) - _ways(items, own)
    return _cut(least, np.exp(logs))


def _ways(items: int, chosen: NDArray[np.int64] | int) -> NDArray[np.float64]:
    """Logarithm of the number of ways to choose."""
    ways = gammaln(items + 1) - gammaln(np.add(chosen, 1)) - gammaln(np.subtract(items + 1, chosen))
    return np.asarray(ways, dtype=np.float64)


def _repeated(base: _Distribution, times: int) -> _Distribution:
    """The sum of so many independent ones."""
    total: _Distribution = (0, np.ones(1))
    while times:
        if times % 2:
            total = _sum(total, base)
        times //= 2
        base = _sum(base, base) if times else base
    return total


def _sum(one: _Distribution, other: _Distribution) -> _Distribution:
    return _cut(one[0] + other[0], np.convolve(one[1], other[1]))


def _cut(start: int, chances: NDArray[np.float64]) -> _Distribution:
    """Without ends that have next to no probability: of thousands of values few remain."""
    has_mass = np.flatnonzero(chances > _NO_MASS)
    first, last = int(has_mass[0]), int(has_mass[-1])
    return start + first, chances[first : last + 1]
