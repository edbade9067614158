"""A fitted probe: a linear map, and how its fit ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_BLOCK = 4096


class Fit(NamedTuple):
    """How a fit ended.

    Attributes
    ----------
    iterations : int
        Steps of L-BFGS; of several problems the most.
    gradient_norm : float
        Largest absolute entry of the gradient of the mean loss with its penalty, which is what
        scikit-learn compares with its `tol`; of several problems the largest.
    objective : float
        `C * sum_i w_i * loss_i + 0.5 * ||W||^2`; of several problems their sum.
    converged : bool
        Whether the objective is within the tolerance of its minimum; of several problems, each.
    """

    iterations: int
    gradient_norm: float
    objective: float
    converged: bool


def together(fits: Sequence[Fit]) -> Fit:
    """What is known of several independent fits, as one.

    Examples
    --------
    >>> together([Fit(3, 1e-6, 2.0, True), Fit(5, 1e-7, 1.0, False)])
    Fit(iterations=5, gradient_norm=1e-06, objective=3.0, converged=False)
    """
    return Fit(
        iterations=max((fit.iterations for fit in fits), default=0),
        gradient_norm=max((fit.gradient_norm for fit in fits), default=0.0),
        objective=sum(fit.objective for fit in fits),
        converged=all(fit.converged for fit in fits),
    )


@dataclass(frozen=True)
class LinearProbe:
    """A linear map from vectors to a score for each label.

    Attributes
    ----------
    coef : ndarray of float64, shape (n_labels, dimension)
    intercept : ndarray of float64, shape (n_labels,)
        Minus infinity for a label without a training example, whose probability is therefore 0;
        plus infinity, one against the rest, for a label that every example has.
    fit : Fit
        How the fit ended, of all labels together.
    fit_of_label : tuple of Fit
        One against the rest, how it ended for each label; else empty.
    """

    coef: NDArray[np.float64]
    intercept: NDArray[np.float64]
    fit: Fit
    fit_of_label: tuple[Fit, ...] = ()

    def scores(self, vectors: NDArray[Any]) -> NDArray[np.float64]:
        """Linear scores, shape (n, n_labels).

        Parameters
        ----------
        vectors : ndarray of float or scipy.sparse.csr_matrix, shape (n, dimension)
        """
        n = vectors.shape[0]
        scores = np.empty((n, len(self.coef)))
        # Blocks of fixed size: never a copy of all vectors in float64.
        for start in range(0, n, _BLOCK):
            rows = slice(start, start + _BLOCK)
            scores[rows] = vectors[rows].astype(np.float64) @ self.coef.T + self.intercept
        return scores

    def softmax_probabilities(self, vectors: NDArray[Any]) -> NDArray[np.float64]:
        """Probabilities of labels of which each vector has one; rows add up to 1.

        Parameters
        ----------
        vectors : ndarray of float, shape (n, dimension)

        Returns
        -------
        ndarray of float64, shape (n, n_labels)

        Examples
        --------
        >>> fit = Fit(0, 0.0, 0.0, True)
        >>> probe = LinearProbe(np.array([[0.0], [1.0]]), np.zeros(2), fit)
        >>> probe.softmax_probabilities(np.array([[0.0]])).tolist()
        [[0.5, 0.5]]
        """
        scores = self.scores(vectors)
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return scores

    def sigmoid_probabilities(self, vectors: NDArray[Any]) -> NDArray[np.float64]:
        """Probabilities of labels that are independent of each other.

        Parameters
        ----------
        vectors : ndarray of float, shape (n, dimension)

        Returns
        -------
        ndarray of float64, shape (n, n_labels)

        Examples
        --------
        >>> fit = Fit(0, 0.0, 0.0, True)
        >>> probe = LinearProbe(np.zeros((2, 1)), np.array([0.0, -np.inf]), fit)
        >>> probe.sigmoid_probabilities(np.array([[3.0]])).tolist()
        [[0.5, 0.0]]
        """
        scores = self.scores(vectors)
        small = np.exp(-np.abs(scores))
        return np.where(scores >= 0, 1.0, small) / (1.0 + small)
