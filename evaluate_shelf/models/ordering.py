"""Exact top-k with one rule for ties: higher rounded score first, then the earlier document."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.models.protocol import Hits, Vectors


def top_k(scores: NDArray[np.floating], k: int, *, tolerance: float, relative: bool) -> Hits:
    """Order each row's best `k` after rounding the scores.

    Scores that differ by less than their arithmetic carries would otherwise be ordered by noise,
    and differently on another machine.

    Parameters
    ----------
    scores : ndarray of float, shape (n_queries, n_documents)
        Raw scores.
    k : int
        How many to return; all where there are fewer documents.
    tolerance : float
        The step that scores are rounded to.
    relative : bool
        Whether the step is relative to each score's power of ten, or absolute.

    Returns
    -------
    Hits
        Positions and rounded scores.

    Examples
    --------
    >>> top_k(np.array([[0.5, 0.9, 0.5000000001]]), 2, tolerance=1e-6, relative=False).position
    array([[1, 0]])
    """
    k = min(k, scores.shape[1])
    position = np.empty((len(scores), k), dtype=np.int64)
    rounded = np.empty((len(scores), k), dtype=np.float64)
    for row, values in enumerate(scores):
        # One step below the k-th score catches all that rounding can tie with it.
        kth = float(np.partition(values, len(values) - k)[len(values) - k])
        step = tolerance * (abs(kth) if relative else 1.0)
        candidates = np.flatnonzero(values >= kth - 2 * step)
        score = _rounded(values[candidates].astype(np.float64), tolerance, relative)
        best = np.lexsort((candidates, -score))[:k]
        position[row], rounded[row] = candidates[best], score[best]
    return Hits(position, rounded)


def cosine_top_k(queries: Vectors, documents: Vectors, k: int, *, block: int = 256) -> Hits:
    """Rank documents by cosine, rounded to 1e-6, in blocks of queries.

    Parameters
    ----------
    queries, documents : ndarray of float32, shapes (n_queries, d) and (n_documents, d)
        Vectors of any length; they are normalised here.
    k : int
        Depth of the ranking.
    block : int, default=256
        Queries per matrix product; memory is block times n_documents.

    Returns
    -------
    Hits
        Positions and rounded cosines.
    """
    queries, documents = normalised(queries), normalised(documents)
    parts = [
        top_k(queries[start : start + block] @ documents.T, k, tolerance=1e-6, relative=False)
        for start in range(0, len(queries), block)
    ]
    return Hits(
        np.concatenate([part.position for part in parts]),
        np.concatenate([part.score for part in parts]),
    )


def normalised(vectors: Vectors) -> Vectors:
    """Vectors of length 1; a zero vector stays zero and so has cosine 0 with everything.

    Examples
    --------
    >>> normalised(np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32))
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.zeros_like(vectors)
    np.divide(vectors, length, out=unit, where=length > 0)
    return unit


def _rounded(score: NDArray[np.float64], tolerance: float, relative: bool) -> NDArray[np.float64]:
    if not relative:
        return np.round(score / tolerance) * tolerance
    magnitude = np.zeros_like(score)
    np.log10(np.abs(score), out=magnitude, where=score != 0)
    step = tolerance * 10.0 ** np.floor(magnitude)
    return np.round(score / step) * step
