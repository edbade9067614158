"""What a model gives is checked before anything is computed from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.arrays import real_numbers
from evaluate_shelf.models.protocol import Bounded, Encoder, FitsAndEncodes, Hits, SparseEncoder


def checked_hits(given: Any, n_queries: int, n_documents: int, k: int) -> Hits:
    """Hits of a `score` call as arrays.

    Parameters
    ----------
    given : Hits or a pair of arrays
        Positions and scores, each of shape (n_queries, min(k, n_documents)).
    n_queries, n_documents, k : int
        What was asked for.

    Raises
    ------
    ShelfError
        If a shape is another, a score is not finite, or a position is out of range or stands
        twice for a query.

    Examples
    --------
    >>> checked_hits(([[1, 0]], [[0.9, 0.2]]), 1, 2, 2).position
    array([[1, 0]])
    """
    try:
        first, second = given
    except (TypeError, ValueError) as error:
        raise ShelfError(
            f"`score` has to give positions and scores, two arrays of shape (n_queries, k): {error}"
        ) from error
    position, score = real_numbers(first, "`score`"), real_numbers(second, "`score`")
    shape = (n_queries, min(k, n_documents))
    for part, what in ((position, "positions"), (score, "scores")):
        if part.shape != shape:
            raise ShelfError(f"`score` gave {what} of shape {part.shape}; {shape} is needed")
    # NaN as a position becomes any whole number, and is refused because it is not that number.
    with np.errstate(invalid="ignore"):
        hits = Hits(position.astype(np.int64), score.astype(np.float64))
    if not np.isfinite(hits.score).all():
        raise ShelfError("`score` gave a score that is NaN or infinite")
    if not np.array_equal(position, hits.position) or (
        hits.position.size and not 0 <= hits.position.min() <= hits.position.max() < n_documents
    ):
        raise ShelfError(f"`score` gave a position that is none of 0 to {n_documents - 1}")
    if (np.diff(hits.score, axis=1) > 0).any():
        raise ShelfError("`score` gave hits that do not stand best first")
    if any(len(set(row)) < len(row) for row in hits.position.tolist()):
        raise ShelfError("`score` gave a document twice for one query")
    return hits


def checked_pair_scores(given: Any, n_pairs: int) -> NDArray[np.float64]:
    """Scores of a `score_pairs` call as an array.

    Raises
    ------
    ShelfError
        If there is not one finite score a pair.
    """
    scores = real_numbers(given, "`score_pairs`").astype(np.float64)
    if scores.shape != (n_pairs,):
        raise ShelfError(f"`score_pairs` gave shape {scores.shape}; ({n_pairs},) is needed")
    if not np.isfinite(scores).all():
        raise ShelfError("`score_pairs` gave a score that is NaN or infinite")
    return scores


def within_memory(model: Any, memory_bytes: int) -> Any:
    """The model, whose searches take so much memory if it can be told.

    Examples
    --------
    >>> from evaluate_shelf.models.bm25 import Bm25
    >>> within_memory(Bm25(), 2**20).index(["ships", "wheat"]).score(["wheat"], k=1).position
    array([[1]])
    """
    return model.within(memory_bytes) if isinstance(model, Bounded) else model


def fitted(model: Any, texts: Sequence[str]) -> Any:
    """The encoder that a model's `fit` gives.

    Raises
    ------
    ShelfError
        If what it gives has no `encode`.
    """
    encoder = model.fit(list(texts))
    if not isinstance(encoder, (Encoder, SparseEncoder)):
        raise ShelfError(
            f"`fit` gave {type(encoder).__name__}; it has to give an object with "
            "`encode(texts, *, role)`, for example the model itself"
        )
    return encoder


def fitted_and_encoded(model: Any, texts: Sequence[str]) -> tuple[Encoder, Any] | None:
    """The encoder fitted from texts with these texts' vectors, where a model gives both at once.

    Returns
    -------
    tuple of Encoder and vectors, or None
        None where the model has no `fit_encode(texts)`.
    """
    return model.fit_encode(list(texts)) if isinstance(model, FitsAndEncodes) else None
