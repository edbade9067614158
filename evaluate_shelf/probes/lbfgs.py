"""L-BFGS on many independent smooth convex problems at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Evaluate = Callable[[Floats, NDArray[np.intp]], tuple[Floats, Floats]]
"""From points, shape (a, p), and the numbers of their problems, shape (a,), to values, shape
(a,), and gradients, shape (a, p)."""

_PAIRS = 10
_DECREASE = 1e-4
_STEEPEST_END = 0.8
_SMALLEST_STEP = 1e-10
_PATIENCE = 30


@dataclass(frozen=True)
class Minimum:
    """Where the search of each problem ended.

    Attributes
    ----------
    points, gradients : ndarray of float64, shape (n_problems, p)
    values : ndarray of float64, shape (n_problems,)
    iterations : ndarray of int64, shape (n_problems,)
        Steps that were taken.
    reached : ndarray of bool, shape (n_problems,)
        Whether the search ended because the problem was solved.
    """

    points: Floats
    gradients: Floats
    values: Floats
    iterations: NDArray[np.int64]
    reached: NDArray[np.bool_]


@dataclass
class _Search:
    """The problems still in work; the first axis is theirs (the second one of the pairs)."""

    number: NDArray[np.intp]
    point: Floats
    value: Floats
    gradient: Floats
    direction: Floats
    slope: Floats
    step: Floats
    scale: Floats
    iterations: NDArray[np.int64]
    lowest: Floats
    idle: NDArray[np.int64]
    moved: Floats
    turned: Floats
    weight: Floats

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Drop the problems whose search ended."""
        for field in fields(self):
            values = getattr(self, field.name)
            in_pairs = field.name in ("moved", "turned", "weight")
            setattr(self, field.name, values[:, kept] if in_pairs else values[kept])


def minimise(
    evaluate: Evaluate,
    start: Floats,
    solved: Callable[[Floats, Floats, NDArray[np.intp]], NDArray[np.bool_]],
    max_iterations: NDArray[np.int64],
    rounding: float,
) -> Minimum:
    """Minimise independent convex functions by L-BFGS, all in one evaluation at a time.

    Every problem has its own step, its own search along the line and its own ten pairs of past
    steps, so its result does not depend on the others but for the rounding of `evaluate`. A
    problem that is solved leaves the evaluations. The variables should be scaled so that the
    Hessian is near the identity: the first step is the negative gradient itself.

    Parameters
    ----------
    evaluate : callable
        Values and gradients of the problems that it is given.
    start : ndarray of float64, shape (n_problems, p)
    solved : callable
        From values, gradients and numbers of problems to which of them are solved.
    max_iterations : ndarray of int64, shape (n_problems,)
        Steps that each problem may take.
    rounding : float
        Relative error of a value. A step that raises the value by less is judged by its slope.

    Returns
    -------
    Minimum
        A search also ends, unsolved, at the limit of the arithmetic: where no step along the line
        is accepted, or thirty evaluations in turn have not lowered the value.

    References
    ----------
    Nocedal and Wright, "Numerical Optimization", 2nd edition (2006), algorithm 7.4; the test by
    slope is the approximate Wolfe condition of Hager and Zhang, SIAM J. Optim. 16 (2005).

    Examples
    --------
    >>> target = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> def bowl(x, number):
    ...     return ((x - target[number]) ** 2).sum(axis=1), 2 * (x - target[number])
    >>> found = minimise(bowl, np.zeros((2, 2)), lambda v, g, _: abs(g).max(axis=1) < 1e-9,
    ...                  np.array([50, 50]), 1e-15)
    >>> found.points.round(6).tolist(), found.reached.tolist()
    ([[1.0, 2.0], [3.0, 4.0]], [True, True])
    """
    search = _begun(evaluate, start)
    ended = Minimum(
        search.point.copy(),
        search.gradient.copy(),
        search.value.copy(),
        np.zeros(len(start), np.int64),
        np.zeros(len(start), np.bool_),
    )
    while True:
        reached = solved(search.value, search.gradient, search.number)
        stuck = (search.step < _SMALLEST_STEP) | ~(search.slope < 0) | (search.idle >= _PATIENCE)
        spent = search.iterations >= max_iterations[search.number]
        out = reached | stuck | spent
        if out.any():
            _store(search, out, reached, ended)
            search.keep(~out)
        if not len(search.number):
            return ended
        _advance(search, evaluate, rounding)


def _begun(evaluate: Evaluate, start: Floats) -> _Search:
    number = np.arange(len(start))
    value, gradient = evaluate(start, number)
    ones = np.ones(len(start))
    pairs = (0, *start.shape)
    return _Search(
        number=number,
        point=start.astype(np.float64),
        value=value,
        gradient=gradient,
        direction=-gradient,
        slope=-_dot(gradient, gradient),
        step=ones.copy(),
        scale=ones.copy(),
        iterations=np.zeros(len(start), np.int64),
        lowest=value.copy(),
        idle=np.zeros(len(start), np.int64),
        moved=np.empty(pairs),
        turned=np.empty(pairs),
        weight=np.empty(pairs[:2]),
    )


def _store(
    search: _Search, out: NDArray[np.bool_], reached: NDArray[np.bool_], ended: Minimum
) -> None:
    number = search.number[out]
    ended.points[number] = search.point[out]
    ended.gradients[number] = search.gradient[out]
    ended.values[number] = search.value[out]
    ended.iterations[number] = search.iterations[out]
    ended.reached[number] = reached[out]


def _advance(search: _Search, evaluate: Evaluate, rounding: float) -> None:
    """Try a step of every problem, and take those that are good."""
    point = search.point + search.step[:, None] * search.direction
    value, gradient = evaluate(point, search.number)
    slope = _dot(gradient, search.direction)
    lower = value <= search.value + _DECREASE * search.step * search.slope
    level = value <= search.value + rounding * np.abs(search.value)
    taken = lower | (level & (slope <= _STEEPEST_END * -search.slope))

    moved = np.where(taken[:, None], point - search.point, 0.0)
    turned = np.where(taken[:, None], gradient - search.gradient, 0.0)
    product = _dot(moved, turned)
    useful = product > 1e-12 * np.sqrt(_dot(moved, moved) * _dot(turned, turned))
    weight = np.divide(1.0, product, out=np.zeros_like(product), where=useful)
    squared = _dot(turned, turned)
    search.scale = np.divide(product, squared, out=search.scale.copy(), where=useful)
    search.moved = np.concatenate([search.moved[-_PAIRS + 1 :], moved[None]])
    search.turned = np.concatenate([search.turned[-_PAIRS + 1 :], turned[None]])
    search.weight = np.concatenate([search.weight[-_PAIRS + 1 :], weight[None]])

    search.step = np.where(taken, 1.0, search.step * _shorter(search.slope, slope))
    search.point = np.where(taken[:, None], point, search.point)
    search.value = np.where(taken, value, search.value)
    search.gradient = np.where(taken[:, None], gradient, search.gradient)
    search.iterations = search.iterations + taken
    lower = search.value < search.lowest - 0.1 * rounding * np.abs(search.lowest)
    search.lowest = np.where(lower, search.value, search.lowest)
    search.idle = np.where(lower, 0, search.idle + 1)
    # A problem whose step was refused keeps its direction, for a shorter step along it.
    search.direction = np.where(taken[:, None], _direction(search), search.direction)
    search.slope = _dot(search.gradient, search.direction)


def _shorter(slope: Floats, end: Floats) -> Floats:
    """Factor on a refused step: where a parabola with these slopes has its minimum."""
    rise = end - slope
    factor = np.divide(-slope, rise, out=np.full_like(rise, 0.1), where=rise > 0)
    shorter: Floats = np.clip(np.nan_to_num(factor, nan=0.1), 0.1, 0.5)
    return shorter


def _direction(search: _Search) -> Floats:
    """Minus the inverse Hessian's estimate times the gradient: the two-loop recursion."""
    direction = -search.gradient
    shares = np.empty_like(search.weight)
    for pair in reversed(range(len(search.weight))):
        shares[pair] = search.weight[pair] * _dot(search.moved[pair], direction)
        direction -= shares[pair][:, None] * search.turned[pair]
    direction *= search.scale[:, None]
    for pair in range(len(search.weight)):
        along = search.weight[pair] * _dot(search.turned[pair], direction)
        direction += (shares[pair] - along)[:, None] * search.moved[pair]
    return direction


def _dot(left: Floats, right: Floats) -> Floats:
    products: Floats = np.einsum("ap,ap->a", left, right)
    return products
