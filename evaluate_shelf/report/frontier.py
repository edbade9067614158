"""Which models are worth their cost: none is both cheaper and better."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def frontier(points: Sequence[tuple[float, float]]) -> list[int]:
    """The points that no other dominates.

    Parameters
    ----------
    points : sequence of tuple of float and float
        Cost and quality. A point is dominated by one that is as good in both and better in one.

    Returns
    -------
    list of int
        Positions, the cheapest first.

    References
    ----------
    Kung, Luccio and Preparata, "On finding the maxima of a set of vectors" (1975).

    Examples
    --------
    >>> frontier([(1.0, 0.5), (2.0, 0.4), (3.0, 0.9)])
    [0, 2]
    """
    order = sorted(range(len(points)), key=lambda n: (points[n][0], -points[n][1], n))
    kept: list[int] = []
    for number in order:
        if (
            not kept
            or points[number][1] > points[kept[-1]][1]
            or points[number] == points[kept[-1]]
        ):
            kept.append(number)
    return kept


def steps(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The corners of the stairs through the points of a frontier, in their order.

    Examples
    --------
    >>> steps([(1.0, 0.5), (3.0, 0.9)])
    [(1.0, 0.5), (3.0, 0.5), (3.0, 0.9)]
    """
    corners = list(points[:1])
    for (_, before), (cost, quality) in pairwise(points):
        corners += [(cost, before), (cost, quality)]
    return corners
