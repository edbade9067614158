"""Cramér's V with the correction and the interval that fit how documents were drawn."""

from __future__ import annotations

import math
from typing import NamedTuple

from builders.independence.cramers_v import bergsma_v, phi_square, why_undefined
from builders.independence.crossing import Crossing
from builders.independence.spread import Spread, spread_of
from evaluate_shelf.statistics.intervals import Interval

LEVEL = 0.95
"""Of the intervals."""


class Strength(NamedTuple):
    """How strongly generators and labels go together.

    Attributes
    ----------
    bergsma : float
        Bias-corrected V, as if documents were independent.
    value : float or None
        Bias-corrected V, for documents of which those of a specification belong together; None
        where there are too few specifications of each label.
    interval : Interval or None
        Of the true V: the one that draws of ever more specifications would come to.
    """

    bergsma: float
    value: float | None
    interval: Interval | None


def strength_of(own: Crossing) -> Strength | str:
    """Cramér's V of generators and labels, or why it is not defined.

    Examples
    --------
    >>> from builders.independence.crossing import crossing
    >>> strength_of(crossing(["a"] * 3, ["x", "y", "y"], [1, 2, 3]))
    'one generator alone'
    >>> strength_of(crossing(["a", "b"] * 4, ["x", "x", "y", "y"] * 2, [1, 1, 2, 2, 3, 3, 4, 4]))
    Strength(bergsma=0.0, value=0.0, interval=Interval(low=0.0, high=0.0))
    """
    table = own.table
    reason = why_undefined(table)
    if reason is not None:
        return reason
    spread = spread_of(own)
    if spread is None:
        return Strength(bergsma_v(table), None, None)
    return Strength(bergsma_v(table), clustered_v(own, spread), v_interval(own, spread))


def clustered_v(own: Crossing, spread: Spread) -> float:
    """Cramér's V less what chance is expected to add to it.

    Parameters
    ----------
    own : Crossing
        Of which V is defined.
    spread : Spread
        From `spread_of`.

    Returns
    -------
    float
        In [0, 1]; 0 where no more is found than chance is expected to give.
    """
    return _v(phi_square(own.table) - spread.chance, own)


def v_interval(own: Crossing, spread: Spread, level: float = LEVEL) -> Interval:
    """Interval of the true V: the values under which what is found is not too rare.

    Phi square, in units of what chance adds for each degree of freedom, is taken as noncentral
    chi-square, whose noncentrality is looked for. Its variance is matched to what specifications
    tell, where noncentral chi-square would have it from its mean.

    Parameters
    ----------
    own, spread
        As for `clustered_v`.
    level : float, default=0.95
        Coverage.

    Returns
    -------
    Interval
        In [0, 1]. Both bounds are 0 where less is found than chance gives in nearly all cases.

    References
    ----------
    Smithson, "Confidence Intervals" (2003), chapter 5; Patnaik, "The Non-Central χ2- and
    F-Distributions and their Applications", Biometrika 36 (1949).
    """
    table = own.table
    found, freedom = phi_square(table), (len(table) - 1) * (table.shape[1] - 1)
    if spread.chance == 0:
        return Interval(_v(found, own), _v(found, own))
    unit = spread.chance / freedom
    factor = spread.variance / (4 * found * unit) if found > 0 else 1.0
    tail = (1 - level) / 2
    low, high = (
        _v(unit * noncentrality(found / unit, freedom, factor, probability), own)
        for probability in (1 - tail, tail)
    )
    return Interval(low, high)


def noncentrality(value: float, freedom: int, factor: float, probability: float) -> float:
    """The noncentrality under which a value is not exceeded with some probability.

    Parameters
    ----------
    value : float
        Of chi-square.
    freedom : int
        Degrees of freedom.
    factor : float
        How many times as much noncentrality adds to the variance as in noncentral chi-square.
    probability : float

    Returns
    -------
    float
        0 where even chi-square without noncentrality exceeds the value more often.

    Examples
    --------
    >>> round(noncentrality(300.0, 280, 1.0, 0.025))
    75
    """
    from scipy.optimize import brentq
    from scipy.stats import chi2

    def excess(own: float) -> float:
        mean, variance = freedom + own, 2 * freedom + 4 * factor * own
        below = chi2.cdf(value * 2 * mean / variance, 2 * mean**2 / variance)
        return float(below) - probability

    if excess(0.0) <= 0:
        return 0.0
    highest = max(1.0, value)
    while excess(highest) > 0:
        highest *= 2
    return float(brentq(excess, 0.0, highest, xtol=1e-9))


# Less is what floating point leaves of a zero.
_ZERO = 1e-12


def _v(square: float, own: Crossing) -> float:
    return min(1.0, math.sqrt(square / (min(own.shape[:2]) - 1))) if square > _ZERO else 0.0
