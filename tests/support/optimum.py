"""A probe against scikit-learn's fit in float64, by an objective that is computed here."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from evaluate_shelf.probes import LinearProbe
from evaluate_shelf.registry.protocol_settings import Probe


def sklearn_fit(
    vectors: NDArray[Any],
    labels: NDArray[Any],
    settings: Probe,
    class_weight: str | None = None,
    solver: str = "lbfgs",
) -> LogisticRegression:
    """Fit in float64 to the end of what its solver can do.

    `newton-cholesky` gets to the end on badly scaled vectors too, where there are few variables.
    """
    model = LogisticRegression(
        C=settings.C,
        class_weight=class_weight or settings.class_weight,
        tol=1e-10,
        max_iter=5000,
        solver=solver,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(vectors.astype(np.float64), labels)
    return model


def objective(
    vectors: NDArray[Any],
    labels: NDArray[np.integer[Any]],
    coef: NDArray[np.float64],
    intercept: NDArray[np.float64],
    C: float,
    class_weight: str | None,
) -> float:
    """`C * sum_i w_i * loss_i + 0.5 * ||W||^2`; two labels are given by one row."""
    if len(coef) == 1:
        coef = np.concatenate([np.zeros_like(coef), coef])
        intercept = np.concatenate([np.zeros(1), intercept])
    scores = vectors.astype(np.float64) @ coef.T + intercept
    loss = logsumexp(scores, axis=1) - scores[np.arange(len(labels)), labels]
    counts = np.bincount(labels)
    balanced = len(labels) / ((counts > 0).sum() * np.maximum(counts, 1))
    weight = balanced[labels] if class_weight == "balanced" else np.ones(len(labels))
    return float(C * (weight * loss).sum() + 0.5 * (coef**2).sum())


def gap_and_agreement(
    probe: LinearProbe,
    vectors: NDArray[Any],
    labels: NDArray[np.integer[Any]],
    settings: Probe,
    others: NDArray[Any] | None = None,
    solver: str = "lbfgs",
) -> tuple[float, float]:
    """Relative distance of the probe's objective from scikit-learn's, and equal predictions.

    The predictions are those of `others`, or of the vectors of the fit.
    """
    theirs = sklearn_fit(vectors, labels, settings, solver=solver)
    how = settings.C, settings.class_weight
    ours_at = objective(vectors, labels, probe.coef, probe.intercept, *how)
    theirs_at = objective(vectors, labels, theirs.coef_, theirs.intercept_, *how)
    tested = vectors if others is None else others
    predicted = probe.softmax_probabilities(tested).argmax(axis=1)
    agreement = (predicted == theirs.predict(tested.astype(np.float64))).mean()
    return (ours_at - theirs_at) / theirs_at, float(agreement)
