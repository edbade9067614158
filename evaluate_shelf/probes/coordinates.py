"""Variables in which the objective of a probe is nearly round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Coordinates:
    """Scaled variables for the weights and the intercept of several linear functions.

    The weights are turned into the principal axes of the vectors, and each variable is divided by
    the square root of its curvature. This changes the path to the optimum, not the optimum.

    Attributes
    ----------
    axes : ndarray of float64, shape (dimension, r)
        Orthonormal axes of the centred vectors.
    stretch : ndarray of float64, shape (n_rows, r + 1)
        One over the root of each curvature; the last column is the intercept's. The penalty
        alone has curvature 1, so the weights' entries are at most 1.
    turn : ndarray of float64, shape (n_rows, n_rows), or None
        Orthogonal mix of the rows, where the linear functions hang together.
    """

    axes: Floats
    stretch: Floats
    turn: Floats | None = None

    def linear(self, variables: Floats, rows: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Weights, shape (a, dimension), and intercepts, shape (a,), for centred vectors."""
        scaled = variables * self.stretch[rows]
        if self.turn is not None:
            scaled = self.turn @ scaled
        return scaled[:, :-1] @ self.axes.T, scaled[:, -1]

    def variables(self, weights: Floats, intercepts: Floats, rows: NDArray[np.intp]) -> Floats:
        """The variables that `linear` takes to these weights and intercepts."""
        return self._unscaled(
            self._turned(np.column_stack([weights @ self.axes, intercepts])), rows
        )

    def penalty(self, variables: Floats, rows: NDArray[np.intp]) -> Floats:
        """Half the squared norm of each row's weights, shape (a,)."""
        weights = (variables * self.stretch[rows])[:, :-1]
        penalty: Floats = 0.5 * np.einsum("ar,ar->a", weights, weights)
        return penalty

    def gradient(
        self, variables: Floats, rows: NDArray[np.intp], of_weights: Floats, of_intercepts: Floats
    ) -> Floats:
        """Gradient in the variables, from that of the loss in weights and intercepts."""
        gradient = self._turned(np.column_stack([of_weights @ self.axes, of_intercepts]))
        gradient[:, :-1] += (variables * self.stretch[rows])[:, :-1]
        return gradient * self.stretch[rows]

    def linear_gradient(self, gradient: Floats, rows: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Gradient in weights and intercepts, from that in the variables."""
        unscaled = self._unscaled(gradient, rows)
        if self.turn is not None:
            unscaled = self.turn @ unscaled
        return unscaled[:, :-1] @ self.axes.T, unscaled[:, -1]

    def distance(self, gradient: Floats, rows: NDArray[np.intp]) -> Floats:
        """How far each row's objective can be above its minimum, judged by its gradient.

        The penalty makes the objective strongly convex in the weights with constant 1, so it is
        at most half the squared norm of their gradient above its minimum: the duality gap. The
        intercept has no penalty; for it the curvature at the start is taken.
        """
        of_weights = self._unscaled(gradient, rows)[:, :-1]
        squares = np.einsum("ar,ar->a", of_weights, of_weights)
        distance: Floats = 0.5 * (squares + gradient[:, -1] ** 2)
        return distance

    def _turned(self, rows: Floats) -> Floats:
        return rows if self.turn is None else self.turn.T @ rows

    def _unscaled(self, values: Floats, rows: NDArray[np.intp]) -> Floats:
        stretch = self.stretch[rows]
        # An intercept without curvature is common to all labels and changes nothing: 0 it stays.
        return np.divide(values, stretch, out=np.zeros_like(values), where=stretch > 0)


def stretched(curvature: Floats, sums: Floats, n: int) -> Floats:
    """One over the root of each variable's curvature at the start.

    Parameters
    ----------
    curvature : ndarray of float64, shape (n_rows,)
        Curvature of the loss in each row's score, of all examples together.
    sums : ndarray of float64, shape (r,)
        Sum of squares of the centred vectors along each axis.
    n : int
        Number of vectors.

    Returns
    -------
    ndarray of float64, shape (n_rows, r + 1)

    Examples
    --------
    >>> stretched(np.array([4.0]), np.array([0.0, 3.0]), 4).tolist()
    [[1.0, 0.5, 0.5]]
    """
    curved = np.maximum(curvature, 0.0)[:, None]
    of_weights = 1 / np.sqrt(1 + curved * sums / n)
    flat = curved <= 1e-12 * curved.max(initial=0.0)
    of_intercepts = np.divide(1.0, np.sqrt(curved), out=np.zeros_like(curved), where=~flat)
    return np.column_stack([of_weights, of_intercepts])
