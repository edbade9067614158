"""Metrics of single-label classification, all read off one confusion matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def confusion_matrix(
    gold: NDArray[np.intp],
    predicted: NDArray[np.intp],
    n_labels: int,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Count gold labels against predicted ones.

    Parameters
    ----------
    gold, predicted : ndarray of int, shape (n,)
        Label numbers in [0, n_labels).
    n_labels : int
        Size of the label space.
    weights : ndarray of float64, shape (n,), default=None
        How often each item counts; once where absent.

    Returns
    -------
    ndarray of float64, shape (n_labels, n_labels)
        Rows are gold labels, columns predicted ones.

    Examples
    --------
    >>> confusion_matrix(np.array([0, 1, 1]), np.array([0, 1, 0]), 2)
    array([[1., 0.],
           [1., 1.]])
    """
    cells = np.bincount(gold * n_labels + predicted, weights=weights, minlength=n_labels**2)
    return cells.astype(np.float64).reshape(n_labels, n_labels)


def macro_f1(confusion: NDArray[np.float64]) -> float:
    """Unweighted mean of F1 over the labels that occur in gold.

    A label that is never predicted has F1 0. A label that occurs only among the predictions has
    no F1 of its own; it costs the gold labels that it was taken for.

    Parameters
    ----------
    confusion : ndarray of float64, shape (n_labels, n_labels)
        From `confusion_matrix`.

    Returns
    -------
    float
        Macro-F1 in [0, 1].

    Raises
    ------
    ValueError
        If no item has a gold label.

    Examples
    --------
    >>> round(macro_f1(np.array([[1.0, 0.0], [1.0, 1.0]])), 4)
    0.6667
    """
    f1, support = _f1_and_support(confusion)
    return float(f1[support > 0].mean())


def weighted_f1(confusion: NDArray[np.float64]) -> float:
    """Mean of F1 over labels, each weighted by its share of gold.

    Examples
    --------
    >>> round(weighted_f1(np.array([[1.0, 0.0], [1.0, 1.0]])), 4)
    0.6667
    """
    f1, support = _f1_and_support(confusion)
    return float((f1 * support).sum() / support.sum())


def accuracy(confusion: NDArray[np.float64]) -> float:
    """Share of items whose predicted label is the gold one.

    Examples
    --------
    >>> round(accuracy(np.array([[1.0, 0.0], [1.0, 1.0]])), 4)
    0.6667
    """
    return float(np.trace(confusion) / confusion.sum())


def _f1_and_support(
    confusion: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    support = confusion.sum(axis=1)
    if not support.any():
        raise ValueError("no item has a gold label")
    # Zero where a label occurs neither in gold nor among the predictions.
    total = support + confusion.sum(axis=0)
    f1 = np.divide(2 * np.diag(confusion), total, out=np.zeros_like(total), where=total > 0)
    return f1, support
