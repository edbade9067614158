"""Labels of which each vector has one: multinomial logistic regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.probes.coordinates import Coordinates, Floats, stretched
from evaluate_shelf.probes.rows import Precision, Principal


class Softmax:
    """The objective `C * sum_i w_i * loss_i + 0.5 * ||W||^2`, as one problem.

    At the start, weights zero and intercepts the logarithms of the labels' shares, the Hessian is
    the product of a matrix of labels and one of vectors. In the axes of both it is diagonal, and
    the variables are scaled so that it is the identity there.

    Parameters
    ----------
    vectors : Principal
        With their principal axes.
    labels : ndarray of int, shape (n,)
        Numbers from 0 to n_labels - 1, each of them in use.
    n_labels : int
    weight_of_label : ndarray of float64, shape (n_labels,)
        How much an example of the label weighs.
    C : float
        Weight of the loss against the penalty.
    """

    def __init__(
        self,
        vectors: Principal,
        labels: NDArray[np.intp],
        n_labels: int,
        weight_of_label: Floats,
        C: float,
    ) -> None:
        self._rows, axes, sums = vectors
        self._labels = labels
        self._n_labels = n_labels
        self._weight = weight_of_label[labels] * C
        mass = np.bincount(labels, weights=self._weight, minlength=n_labels)
        self.total = mass.sum()
        share = mass / self.total
        curvature, turn = np.linalg.eigh(np.diag(share) - np.outer(share, share))
        stretch = stretched(self.total * curvature, sums, len(labels))
        self.coordinates = Coordinates(axes, stretch, turn)
        self._every = np.arange(n_labels)
        self.start = np.zeros((1, stretch.size))
        offset = np.log(share) - np.log(share).mean()
        intercepts = np.divide(
            turn.T @ offset, stretch[:, -1], out=np.zeros(n_labels), where=stretch[:, -1] > 0
        )
        self.start.reshape(stretch.shape)[:, -1] = intercepts

    def evaluate(
        self, points: Floats, _: NDArray[np.intp], precision: Precision
    ) -> tuple[Floats, Floats]:
        """Value and gradient at one point, shape (1, n_labels * (r + 1))."""
        variables = self._matrix(points)
        weights, intercepts = self.coordinates.linear(variables, self._every)
        maps = weights.astype(precision), intercepts.astype(precision)[:, None]

        def parts(rows: slice, vectors: NDArray[Any]) -> tuple[Any, Any, Any]:
            weight = self._weight[rows].astype(precision)
            return _loss_and_gradient(*maps, vectors, self._labels[rows], weight)

        loss, of_weights, of_intercepts = self._rows.sums(parts, precision)
        gradient = self.coordinates.gradient(variables, self._every, of_weights, of_intercepts)
        value = loss + self.coordinates.penalty(variables, self._every).sum()
        return np.atleast_1d(value), gradient.reshape(1, -1)

    def distance(self, gradients: Floats, _: NDArray[np.intp]) -> Floats:
        """How far the objective can be above its minimum, shape (1,)."""
        parts = self.coordinates.distance(self._matrix(gradients), self._every)
        distance: Floats = parts.sum(keepdims=True)
        return distance

    def linear(self, points: Floats) -> tuple[Floats, Floats]:
        """Weights and intercepts of all labels, for centred vectors."""
        return self.coordinates.linear(self._matrix(points), self._every)

    def point(self, weights: Floats, intercepts: Floats, _: NDArray[np.intp]) -> Floats:
        """The variables of weights and intercepts, shape (1, n_labels * (r + 1))."""
        return self.coordinates.variables(weights, intercepts, self._every).reshape(1, -1)

    def linear_gradient(self, gradients: Floats) -> tuple[Floats, Floats]:
        """Gradient of the objective in weights and intercepts of centred vectors."""
        return self.coordinates.linear_gradient(self._matrix(gradients), self._every)

    def _matrix(self, points: Floats) -> Floats:
        return points.reshape(self._n_labels, -1)


def _loss_and_gradient(
    weights: NDArray[Any],
    intercepts: NDArray[Any],
    vectors: NDArray[Any],
    labels: NDArray[np.intp],
    weight: NDArray[Any],
) -> tuple[Any, NDArray[Any], NDArray[Any]]:
    """Loss of some vectors and its gradient in weights and intercepts."""
    # A row a label: what is done over labels is then done on whole rows.
    scores = weights @ vectors.T
    scores += intercepts
    scores -= scores.max(axis=0)
    each = np.arange(len(labels))
    own = scores[labels, each]
    np.exp(scores, out=scores)
    total = scores.sum(axis=0)
    loss = weight @ (np.log(total) - own)
    scores *= weight / total
    scores[labels, each] -= weight
    return loss, scores @ vectors, scores.sum(axis=1)
