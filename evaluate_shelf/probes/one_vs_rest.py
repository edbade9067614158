"""Labels of which each vector has any number: a binary logistic regression for each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.probes.coordinates import Coordinates, Floats, stretched
from evaluate_shelf.probes.rows import Precision, Principal


class OneVsRest:
    """The objectives `C * sum_i w_i * loss_i + 0.5 * ||w||^2` of independent labels.

    Parameters
    ----------
    vectors : Principal
        With their principal axes.
    members : ndarray of bool, shape (n, n_labels)
        Every label has an example and a counter-example.
    weight_with, weight_without : ndarray of float64, shape (n_labels,)
        How much an example of each label weighs, and a counter-example.
    C : float
        Weight of the loss against the penalty.
    """

    def __init__(
        self,
        vectors: Principal,
        members: NDArray[np.bool_],
        weight_with: Floats,
        weight_without: Floats,
        C: float,
    ) -> None:
        self._rows, axes, sums = vectors
        self._members = np.ascontiguousarray(members.T)
        n = len(members)
        self._ratio = weight_with / weight_without
        self._weight = C * weight_without
        n_with = members.sum(axis=0)
        mass = C * weight_with * n_with
        self.total = mass + self._weight * (n - n_with)
        share = mass / self.total
        stretch = stretched(self.total * share * (1 - share), sums, n)
        self.coordinates = Coordinates(axes, stretch)
        self.start = np.zeros(stretch.shape)
        self.start[:, -1] = np.log(share / (1 - share)) / stretch[:, -1]

    def evaluate(
        self, points: Floats, labels: NDArray[np.intp], precision: Precision
    ) -> tuple[Floats, Floats]:
        """Values, shape (a,), and gradients, shape (a, r + 1), of some labels."""
        weights, intercepts = self.coordinates.linear(points, labels)
        maps = weights.astype(precision), intercepts.astype(precision)[:, None]
        ratio = self._ratio[labels].astype(precision)

        def parts(rows: slice, vectors: NDArray[Any]) -> tuple[Any, Any, Any]:
            with_label = np.nonzero(self._members[labels, rows])
            return _losses_and_gradients(*maps, vectors, with_label, ratio)

        loss, of_weights, of_intercepts = self._rows.sums(parts, precision)
        weight = self._weight[labels]
        of_weights *= weight[:, None]
        gradients = self.coordinates.gradient(points, labels, of_weights, of_intercepts * weight)
        return loss * weight + self.coordinates.penalty(points, labels), gradients

    def distance(self, gradients: Floats, labels: NDArray[np.intp]) -> Floats:
        """How far each label's objective can be above its minimum, shape (a,)."""
        return self.coordinates.distance(gradients, labels)

    def linear(self, points: Floats) -> tuple[Floats, Floats]:
        """Weights and intercepts of all labels, for centred vectors."""
        return self.coordinates.linear(points, np.arange(len(points)))

    def point(self, weights: Floats, intercepts: Floats, labels: NDArray[np.intp]) -> Floats:
        """The variables of some labels' weights and intercepts, shape (a, r + 1)."""
        return self.coordinates.variables(weights, intercepts, labels)

    def linear_gradient(self, gradients: Floats) -> tuple[Floats, Floats]:
        """Gradients of the objectives in weights and intercepts of centred vectors."""
        return self.coordinates.linear_gradient(gradients, np.arange(len(gradients)))


def _losses_and_gradients(
    weights: NDArray[Any],
    intercepts: NDArray[Any],
    vectors: NDArray[Any],
    with_label: tuple[NDArray[np.intp], ...],
    ratio: NDArray[Any],
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Losses of some vectors and their gradients; a counter-example weighs 1.

    Everything is computed as if no vector had a label, and then put right for the few that do.
    """
    scores = weights @ vectors.T
    scores += intercepts
    own = scores[with_label]
    small = np.exp(-np.abs(scores))
    above = small + 1
    loss = np.log(above)
    loss += np.maximum(scores, 0)
    # The probability: 1 / (1 + e^-s) above zero, and below it e^s / (1 + e^s).
    np.copyto(small, 1, where=scores >= 0)
    small /= above
    heavier = ratio[with_label[0]]
    loss[with_label] = heavier * (loss[with_label] - own)
    small[with_label] = heavier * (small[with_label] - 1)
    return loss.sum(axis=1), small @ vectors, small.sum(axis=1)
