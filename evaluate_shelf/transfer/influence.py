"""How far a rank correlation hangs on single models."""

from __future__ import annotations

import numpy as np

from evaluate_shelf.transfer.agreement import FEWEST_MODELS, Floats, blocks, resampled_spearman


def without_each_model(x: Floats, y: Floats) -> list[float | None]:
    """Spearman's correlation with one model left out, for each model.

    Parameters
    ----------
    x, y : ndarray of float64, shape (n_models,)
        Two scores of each model.

    Returns
    -------
    list of float or None, length n_models
        None where fewer than four models are left, or all of them have one score.

    Examples
    --------
    >>> scores = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    >>> without_each_model(scores, np.array([1.0, 2.0, 3.0, 4.0, 0.0]))[-1]
    1.0
    """
    n = len(x)
    if n - 1 < FEWEST_MODELS:
        return [None] * n
    found: list[float | None] = []
    for rows in blocks(n, n):
        left_out = np.arange(n)[rows, None]
        values = resampled_spearman(x, y, np.where(np.arange(n) == left_out, 0.0, 1.0))
        found.extend(None if np.isnan(value) else float(value) for value in values)
    return found
