"""How far a score lies above chance, on one scale for all metrics.

An effect is a difference in standard deviations (Cohen's d): 0 is chance, negative is below it.

References
----------
Cohen, "Statistical power analysis for the behavioral sciences", 2nd edition (1988); Chinn, "A
simple method for converting an odds ratio to effect size", Statistics in Medicine 19 (2000);
Warrens, "On the equivalence of Cohen's kappa and the Hubert-Arabie adjusted Rand index", Journal
of Classification 25 (2008).
"""

from __future__ import annotations

import math
from statistics import NormalDist

from evaluate_shelf.report_cards.settings import Scale

# A share of exactly 0 or 1 has no odds; this one is read as further from chance than any other.
_NEXT_TO_ONE = 1 - 1e-9
_PER_LOG_ODDS = math.sqrt(3) / math.pi
_NORMAL = NormalDist()


def effect_of(scale: Scale, score: float, *, chance: float, n_labels: int | None) -> float:
    """How far a score lies above chance.

    Parameters
    ----------
    scale : {'shift', 'odds', 'pair_odds'}
        That of the metric.
    score : float
        A value of the metric.
    chance : float
        The metric by chance, between 0 and 1 without its ends; not used where the scale fixes it.
    n_labels : int or None
        Number of labels; for `pair_odds` alone.

    Returns
    -------
    float
        In standard deviations.

    Examples
    --------
    >>> round(effect_of("shift", 0.5, chance=0.5, n_labels=2), 3)
    0.0
    >>> round(effect_of("odds", 0.0671, chance=1 / 21, n_labels=21), 2)
    0.2
    >>> round(effect_of("pair_odds", 0.0518, chance=0.0, n_labels=8), 2)
    0.2
    """
    if scale == "shift":
        return math.sqrt(2) * _NORMAL.inv_cdf(_inside(score))
    if scale == "odds":
        return _PER_LOG_ODDS * (_log_odds(score) - _log_odds(chance))
    base = _share_by_chance(n_labels)
    return _PER_LOG_ODDS * (_log_odds(base + score * (1 - base)) - _log_odds(base))


def score_with(scale: Scale, effect: float, *, chance: float, n_labels: int | None) -> float:
    """The score that lies so far above chance: `effect_of` the other way round.

    Examples
    --------
    >>> round(score_with("shift", 0.2, chance=0.5, n_labels=2), 3)
    0.556
    >>> [round(score_with("pair_odds", 0.2, chance=0.0, n_labels=n), 3) for n in (8, 14, 21)]
    [0.052, 0.03, 0.02]
    """
    if scale == "shift":
        return _NORMAL.cdf(effect / math.sqrt(2))
    if scale == "odds":
        return _share(_log_odds(chance) + effect / _PER_LOG_ODDS)
    base = _share_by_chance(n_labels)
    return (_share(_log_odds(base) + effect / _PER_LOG_ODDS) - base) / (1 - base)


def _share_by_chance(n_labels: int | None) -> float:
    if n_labels is None:
        raise ValueError("a clustering needs its number of labels")
    return 1 / n_labels


def _log_odds(share: float) -> float:
    inside = _inside(share)
    return math.log(inside / (1 - inside))


def _share(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def _inside(share: float) -> float:
    return min(max(share, 1 - _NEXT_TO_ONE), _NEXT_TO_ONE)
