"""How often intervals of Cramér's V hold the true one, by simulation; part of independence.md."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from builders.independence.cramers_v import bergsma_v, phi_square, why_undefined, without_empty
from builders.independence.crossing import Crossing, crossing
from builders.independence.spread import Spread, spread_of
from builders.independence.strength import LEVEL, clustered_v, v_interval
from evaluate_shelf.statistics.intervals import Interval, percentile_intervals
from evaluate_shelf.statistics.streams import stream

Floats = NDArray[np.float64]

CANDIDATES = ("independent documents", "percentile", "reflected", "design")
_REPLICATES = 300


class Scene(NamedTuple):
    """What is drawn.

    Attributes
    ----------
    generators, labels, specifications : int
    retention : float
        Share of documents that pass, on average; where `crossed` is false, all do.
    crossed : bool
        Whether every generator writes every specification; else one of them does.
    shared : float
        How far a specification's own retention lies from the average, up or down, as a factor.
    """

    generators: int
    labels: int
    specifications: int
    retention: float = 0.8
    crossed: bool = True
    shared: float = 0.1

    @property
    def words(self) -> str:
        """The scene in a few words."""
        how = f"{self.retention:.0%} kept" if self.crossed else "one generator each"
        return f"{self.generators} x {self.labels}, {self.specifications:,} specifications, {how}"


class Covered(NamedTuple):
    """What the simulation of one true V gave.

    Attributes
    ----------
    bergsma, value : float
        Means of V by Bergsma, and of V with the correction that fits the design.
    held, width : dict of str to float
        By candidate: share of intervals that hold the true V, and their mean width.
    """

    bergsma: float
    value: float
    held: dict[str, float]
    width: dict[str, float]


def covered(scene: Scene, truth: float, rounds: int) -> Covered:
    """Simulate one scene with one true V."""
    pattern = _pattern(scene, truth)
    streams = (stream(42, scene.words, f"{truth}", number) for number in range(rounds))
    results = [_round(_drawn(scene, pattern, draws), draws) for draws in streams]
    held, width = {}, {}
    for name in CANDIDATES:
        intervals = [own[name] for own, *_ in results]
        # What bisection leaves is no reason to say that 0 is not held.
        held[name] = float(
            np.mean([own.low - 1e-9 <= truth <= own.high + 1e-9 for own in intervals])
        )
        width[name] = float(np.mean([own.high - own.low for own in intervals]))
    bergsma, value = (float(np.mean([own[column] for own in results])) for column in (1, 2))
    return Covered(bergsma, value, held, width)


def _round(own: Crossing, draws: np.random.Generator) -> tuple[dict[str, Interval], float, float]:
    spread = spread_of(own)
    assert spread is not None
    percentile, reflected = _bootstrapped(own, draws)
    intervals = (_independent(own), percentile, reflected, v_interval(own, spread))
    named = dict(zip(CANDIDATES, intervals, strict=True))
    return named, bergsma_v(own.table), clustered_v(own, spread)


def _independent(own: Crossing) -> Interval:
    """The interval of documents that are drawn one by one: plain noncentral chi-square."""
    table = own.table
    unit = 1 / (table.sum() - 1)
    freedom = (len(table) - 1) * (table.shape[1] - 1)
    return v_interval(own, Spread(freedom * unit, 4 * phi_square(table) * unit))


def _pattern(scene: Scene, truth: float) -> Floats:
    """Each cell's retention, or its share of a label's documents where nothing is rejected.

    A fifth of the cells keep less than the others, until the table that is expected has the V.
    """
    shape = (scene.generators, scene.labels)
    base = np.where(stream(7, *shape).random(shape) < 0.2, -1.0, 0.25)
    base -= base.mean(axis=0)
    if truth == 0:
        base = np.zeros(shape)
    level = scene.retention if scene.crossed else 1 / scene.generators
    most = 1 / (1 + scene.shared) if scene.crossed else 1.0

    def at(strength: float) -> Floats:
        return np.clip(level * (1 + strength * base), 0.01 * level, most)

    low, high = 0.0, 4.0
    for _ in range(60 if truth else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if _v_of(at(middle)) < truth else (low, middle)
    if abs(_v_of(at(high)) - truth) > 1e-6:
        raise ValueError(f"no pattern of {scene.words} has V {truth}")
    return at(high)


def _v_of(expected: Floats) -> float:
    return math.sqrt(phi_square(expected) / (min(expected.shape) - 1))


def _drawn(scene: Scene, pattern: Floats, draws: np.random.Generator) -> Crossing:
    labels = draws.integers(scene.labels, size=scene.specifications)
    if not scene.crossed:
        shares = (pattern / pattern.sum(axis=0)).cumsum(axis=0)
        point = draws.random(scene.specifications)
        writers = (point > shares[:, labels]).sum(axis=0).clip(max=scene.generators - 1)
        return crossing(writers, labels, np.arange(scene.specifications))
    own = draws.choice([1 - scene.shared, 1 + scene.shared], size=scene.specifications)
    kept = draws.random((scene.specifications, scene.generators)) < pattern.T[labels] * own[:, None]
    groups, generators = np.nonzero(kept)
    return crossing(generators, labels[groups], groups)


def _bootstrapped(own: Crossing, draws: np.random.Generator) -> tuple[Interval, Interval]:
    number, smaller = own.shape[2], min(own.shape[:2]) - 1
    values, squares = np.full(_REPLICATES, np.nan), np.full(_REPLICATES, np.nan)
    for replicate in range(_REPLICATES):
        copies = np.bincount(draws.integers(number, size=number), minlength=number)
        again = without_empty(own.weighted(copies.astype(np.float64)))
        if why_undefined(again) is None:
            values[replicate] = bergsma_v(again)
            squares[replicate] = phi_square(again) / smaller
    percentile = _percentiles(values)
    observed, spread = phi_square(own.table) / smaller, _percentiles(squares)
    return percentile, Interval(
        math.sqrt(max(0.0, 2 * observed - spread.high)),
        math.sqrt(max(0.0, 2 * observed - spread.low)),
    )


def _percentiles(values: Floats) -> Interval:
    found = percentile_intervals(values[:, None], LEVEL)
    assert found is not None
    return found[0]
