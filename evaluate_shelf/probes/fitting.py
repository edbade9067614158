"""From an objective to its minimum: float32 first, float64 for what that leaves."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.probes.coordinates import Floats
from evaluate_shelf.probes.lbfgs import Minimum, minimise
from evaluate_shelf.probes.rows import Precision

_STAGES: tuple[tuple[Precision, float, float], ...] = (
    # Half the tolerance, so that the second stage seldom finds anything left to do.
    (np.float32, 0.5, 1e-6),
    (np.float64, 1.0, 1e-13),
)


class Objective(Protocol):
    """Independent problems, each a convex function of its variables."""

    start: Floats

    def evaluate(
        self, points: Floats, problems: NDArray[np.intp], precision: Precision
    ) -> tuple[Floats, Floats]:
        """Values and gradients of some problems."""

    def distance(self, gradients: Floats, problems: NDArray[np.intp]) -> Floats:
        """How far each problem's value can be above its minimum."""

    def point(self, weights: Floats, intercepts: Floats, problems: NDArray[np.intp]) -> Floats:
        """The variables of some problems' weights and intercepts for centred vectors."""


def minimum_of(objective: Objective, tolerance: float, max_iterations: int) -> Minimum:
    """Minimise every problem of an objective.

    The first search multiplies in float32. The second one, in float64, begins where the first
    ended: mostly it only confirms the end, and takes more steps where float32 was too coarse.

    Parameters
    ----------
    objective : Objective
    tolerance : float
        A problem is solved when its value is at most this share of itself above its minimum.
    max_iterations : int
        Steps of both searches together.

    Returns
    -------
    Minimum
        Values and gradients in float64.
    """
    point = objective.start
    taken = np.zeros(len(point), np.int64)
    for precision, share, rounding in _STAGES:
        found = _search(
            objective, point, max_iterations - taken, share * tolerance, precision, rounding
        )
        point, taken = found.points, taken + found.iterations
    return Minimum(point, found.gradients, found.values, taken, found.reached)


def _search(
    objective: Objective,
    point: Floats,
    max_iterations: NDArray[np.int64],
    tolerance: float,
    precision: Precision,
    rounding: float,
) -> Minimum:
    def evaluate(points: Floats, problems: NDArray[np.intp]) -> tuple[Floats, Floats]:
        return objective.evaluate(points, problems, precision)

    def solved(values: Floats, gradients: Floats, problems: NDArray[np.intp]) -> NDArray[np.bool_]:
        return objective.distance(gradients, problems) <= tolerance * values

    return minimise(evaluate, point, solved, max_iterations, rounding)
