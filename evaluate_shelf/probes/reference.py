"""The same minimum by scikit-learn's own solver, in float64."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.probes.coordinates import Floats
from evaluate_shelf.probes.fitting import Objective
from evaluate_shelf.probes.lbfgs import Minimum
from evaluate_shelf.registry.protocol_settings import Probe

_TOLERANCES = tuple(10.0**-power for power in range(4, 13))


def reference_minimum(
    objective: Objective,
    vectors: Floats,
    mean: Floats,
    targets: Sequence[NDArray[Any]],
    settings: Probe,
    class_weight: str | None,
) -> Minimum:
    """Minimise every problem of an objective by scikit-learn's `LogisticRegression`.

    Its `tol` bounds the gradient's entries, which says little of the distance to the minimum.
    Each fit is therefore continued with a smaller one until the objective is as near to its
    minimum as `settings.tolerance` asks, or `settings.max_iter` steps are taken.

    Parameters
    ----------
    objective : Objective
        By which the fits are judged.
    vectors : ndarray of float64, shape (n, dimension)
    mean : ndarray of float64, shape (dimension,)
        Their mean.
    targets : sequence of ndarray, each of shape (n,)
        The labels of each problem.
    settings : Probe
        Penalty, tolerance, limit on iterations and seed.
    class_weight : {'balanced'} or None

    Returns
    -------
    Minimum
        Values and gradients are those of `objective`.
    """
    every = np.arange(len(targets))
    found = [
        _fitted(objective, vectors, mean, target, problem, settings, class_weight)
        for problem, target in zip(every[:, None], targets, strict=True)
    ]
    points = np.concatenate([point for point, _ in found])
    values, gradients = objective.evaluate(points, every, np.float64)
    reached = objective.distance(gradients, every) <= settings.tolerance * values
    return Minimum(points, gradients, values, np.array([taken for _, taken in found]), reached)


def _fitted(
    objective: Objective,
    vectors: Floats,
    mean: Floats,
    target: NDArray[Any],
    problem: NDArray[np.intp],
    settings: Probe,
    class_weight: str | None,
) -> tuple[Floats, int]:
    """Give the point that scikit-learn's solver ends at, and its number of steps."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(
        C=settings.C, class_weight=class_weight, random_state=settings.seed, warm_start=True
    )
    taken = 0
    for tol in _TOLERANCES:
        model.set_params(tol=tol, max_iter=settings.max_iter - taken)
        with warnings.catch_warnings():
            # Whether it converged is judged by the objective, and said in the result.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(vectors, target)
        taken += int(model.n_iter_.max())
        point = objective.point(model.coef_, model.intercept_ + model.coef_ @ mean, problem)
        value, gradient = objective.evaluate(point, problem, np.float64)
        reached = objective.distance(gradient, problem) <= settings.tolerance * value
        if reached.all() or taken >= settings.max_iter:
            break
    return point, taken
