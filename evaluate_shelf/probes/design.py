"""Training vectors prepared once, and the probes that are fitted on them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.probes.fitting import Objective, minimum_of
from evaluate_shelf.probes.lbfgs import Minimum
from evaluate_shelf.probes.linear import Fit, LinearProbe, together
from evaluate_shelf.probes.one_vs_rest import OneVsRest
from evaluate_shelf.probes.reference import reference_minimum
from evaluate_shelf.probes.rows import CentredRows, Principal, Rows
from evaluate_shelf.probes.softmax import Softmax
from evaluate_shelf.registry.protocol_settings import Probe

Floats = NDArray[np.float64]


class Design:
    """Training vectors, prepared once and shared by all label sets.

    What is minimised is what scikit-learn's `LogisticRegression` minimises with an L2 penalty,
    `C * sum_i w_i * loss_i + 0.5 * ||W||^2`, with an intercept that has no penalty. The vectors
    are centred, turned into their principal axes and scaled by the curvature, which changes the
    path and not the optimum; products are in float32, sums in float64, and the end is confirmed
    or reached in float64. A fit is converged when its objective is at most `settings.tolerance`,
    relative, above its minimum.

    Products run in fixed blocks of rows, one BLAS thread each, and are added in the order of the
    blocks: the number of threads changes no bit.

    Parameters
    ----------
    vectors : ndarray of float32 or float64, shape (n, dimension)
        Of the training split; at least one, finite.
    threads : int, default=None
        How many blocks are in work at a time; all usable cores without it.

    Raises
    ------
    ValueError
        If there is no vector, or a value is not finite.

    Examples
    --------
    >>> from evaluate_shelf.registry.protocols import load_protocol
    >>> vectors = np.array([[0.0, 1.0], [0.1, 0.9], [1.0, 0.0], [0.8, 0.1], [-1.0, 0.0]])
    >>> probe = Design(vectors).softmax(np.array([0, 0, 1, 1, 2]), 3, load_protocol().probe)
    >>> probe.softmax_probabilities(vectors).argmax(axis=1).tolist(), probe.fit.converged
    ([0, 0, 1, 1, 2], True)
    """

    def __init__(self, vectors: NDArray[Any], threads: int | None = None) -> None:
        if vectors.ndim != 2 or not vectors.size:
            raise ValueError("vectors must be a table of at least one row and one column")
        self._vectors: Any = vectors
        with _one_blas_thread():
            rows = CentredRows(vectors, threads)
            self._rows: Rows = rows
            self._principal = Principal(rows, *rows.principal_axes())

    def softmax(
        self, labels: NDArray[np.integer[Any]], n_labels: int, settings: Probe
    ) -> LinearProbe:
        """Fit labels of which each vector has one.

        Parameters
        ----------
        labels : ndarray of int, shape (n,)
            Numbers from 0 to n_labels - 1.
        n_labels : int
            Size of the label space. A label without an example gets probability 0.
        settings : Probe
            Penalty, class weights, tolerance, limit on iterations, and solver.

        Returns
        -------
        LinearProbe
            As scikit-learn does (1.9), two labels with examples get the binomial loss with one
            weight vector, not the multinomial loss with two: the first has coefficients 0, the
            second those of scikit-learn's `coef_`. With one label there is nothing to fit.

        Raises
        ------
        ValueError
            If labels do not fit the vectors, or a number is outside of its range.
        """
        self._check_length(labels)
        if labels.min() < 0 or labels.max() >= n_labels:
            raise ValueError(f"labels must be from 0 to {n_labels - 1}")
        present, numbers, counts = np.unique(labels, return_inverse=True, return_counts=True)
        balanced = len(labels) / (len(present) * counts)
        weight = balanced if settings.class_weight == "balanced" else np.ones(len(present))
        coef = np.zeros((n_labels, self._rows.shape[1]))
        intercept = np.full(n_labels, -np.inf)
        intercept[present] = 0.0
        if len(present) == 1:
            return LinearProbe(coef, intercept, Fit(0, 0.0, 0.0, converged=True))
        fitted = present if len(present) > 2 else present[1:]
        with _one_blas_thread():
            objective: Softmax | OneVsRest
            if len(present) == 2:
                members = (numbers == 1)[:, None]
                objective = OneVsRest(self._principal, members, weight[1:], weight[:1], settings.C)
            else:
                objective = Softmax(self._principal, numbers, len(present), weight, settings.C)
            found = self._minimum(objective, [numbers], settings, settings.class_weight)
            coef[fitted], intercept[fitted] = self._linear(objective, found)
            fit = self._fits(objective, found)[0]
        return LinearProbe(coef, intercept, fit)

    def one_vs_rest(self, memberships: Any, settings: Probe) -> LinearProbe:
        """Fit labels of which each vector has any number, each against the rest.

        Classes are balanced in every label, whatever the settings say of it: examples together
        weigh as much as counter-examples. The labels are independent problems that are evaluated
        in one product; each has its own search and its own end.

        Parameters
        ----------
        memberships : ndarray of bool or scipy sparse array, shape (n, n_labels)
            Which vector has which label.
        settings : Probe
            Penalty, tolerance, limit on iterations, and solver.

        Returns
        -------
        LinearProbe
            A label without an example gets probability 0, one without a counter-example 1.

        Raises
        ------
        ValueError
            If memberships do not fit the vectors.
        """
        dense = memberships.toarray() if hasattr(memberships, "toarray") else memberships
        members = np.asarray(dense, dtype=np.bool_)
        self._check_length(members)
        n, n_labels = members.shape
        n_with = members.sum(axis=0)
        fitted = np.flatnonzero((n_with > 0) & (n_with < n))
        coef = np.zeros((n_labels, self._rows.shape[1]))
        intercept = np.where(n_with > 0, np.inf, -np.inf)
        fits = [Fit(0, 0.0, 0.0, converged=True)] * n_labels
        if len(fitted):
            some = members[:, fitted]
            with_label = n / (2 * n_with[fitted])
            without = n / (2 * (n - n_with[fitted]))
            with _one_blas_thread():
                objective = OneVsRest(self._principal, some, with_label, without, settings.C)
                found = self._minimum(objective, list(some.T), settings, "balanced")
                coef[fitted], intercept[fitted] = self._linear(objective, found)
                for label, fit in zip(fitted, self._fits(objective, found), strict=True):
                    fits[label] = fit
        return LinearProbe(coef, intercept, together(fits), tuple(fits))

    def _check_length(self, labels: NDArray[Any]) -> None:
        n = self._rows.shape[0]
        if len(labels) != n:
            raise ValueError(f"{len(labels)} rows of labels for {n} vectors")

    def _minimum(
        self,
        objective: Objective,
        targets: list[NDArray[Any]],
        settings: Probe,
        class_weight: str | None,
    ) -> Minimum:
        if settings.solver == "shelf":
            return minimum_of(objective, settings.tolerance, settings.max_iter)
        vectors = self._vectors.astype(np.float64)
        return reference_minimum(
            objective, vectors, self._rows.mean, targets, settings, class_weight
        )

    def _linear(self, objective: Softmax | OneVsRest, found: Minimum) -> tuple[Floats, Floats]:
        """Weights and intercepts for vectors that are not centred."""
        weights, intercepts = objective.linear(found.points)
        return weights, intercepts - weights @ self._rows.mean

    def _fits(self, objective: Softmax | OneVsRest, found: Minimum) -> list[Fit]:
        of_weights, of_intercepts = objective.linear_gradient(found.gradients)
        of_weights = of_weights + np.outer(of_intercepts, self._rows.mean)
        largest = np.maximum(np.abs(of_weights).max(axis=1), np.abs(of_intercepts))
        # scikit-learn's objective is this one over the sum of the weights, times C.
        norms = largest.reshape(len(found.points), -1).max(axis=1) / objective.total
        facts = zip(found.iterations, norms, found.values, found.reached, strict=True)
        return [Fit(int(i), float(g), float(v), converged=bool(r)) for i, g, v, r in facts]


def _one_blas_thread() -> AbstractContextManager[Any]:
    """Keep BLAS to one thread: the blocks of rows already use all cores."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(limits=1, user_api="blas")
    return limits
