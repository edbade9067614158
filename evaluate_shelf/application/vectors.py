"""Vectors of texts of which any may be one that the model can say nothing of."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from evaluate_shelf.bounded import one_line
from evaluate_shelf.embeddings.encoding import canonical_batches, encode_all
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.protocol import Encoder, Vectors

NO_KNOWN_TERM = "the model knows no word of the text"
NO_VECTOR = "the model gives no usable vector for the text"


def encoded(
    encoder: Encoder,
    ids: Sequence[str],
    texts: Sequence[str],
    batch_size: int,
    *,
    allow_zero: bool = False,
) -> Vectors:
    """Encode texts in canonical batches, as the tasks do.

    Raises
    ------
    ShelfError
        If a vector cannot be used, or the model raises.
    """
    try:
        with warnings.catch_warnings():
            # A text that gives no token is reported by name, not by numpy.
            warnings.simplefilter("ignore", RuntimeWarning)
            return encode_all(
                encoder, ids, texts, role="document", batch_size=batch_size, allow_zero=allow_zero
            )
    except ShelfError:
        raise
    except Exception as error:  # a model may raise anything
        reason = one_line(f"{type(error).__name__}: {error}", 300)
        raise ShelfError(f"the model raised {reason}") from error


def usable_vectors(
    encoder: Encoder, texts: Sequence[str], batch_size: int, *, zero_says_nothing: bool
) -> tuple[Vectors, list[str]]:
    """Encode texts, and say of which there is no vector to use.

    Parameters
    ----------
    encoder : Encoder
        The model.
    texts : sequence of str
        What to encode.
    batch_size : int
        Texts a batch. A batch with a text that has no vector is encoded again text by text.
    zero_says_nothing : bool
        Whether a zero vector means a text without a known term.

    Returns
    -------
    vectors : ndarray of float32, shape (n_usable, dimension)
        In the order of the texts that have one.
    reasons : list of str, length n_texts
        Why there is none; "" where there is one.
    """
    names = [f"{number:09}" for number in range(len(texts))]
    reasons = [""] * len(texts)
    rows: dict[int, Vectors] = {}
    for batch in canonical_batches(names, texts, batch_size):
        for position, vector in _batch(encoder, names, texts, batch, zero_says_nothing).items():
            if zero_says_nothing and not vector.any():
                reasons[position] = NO_KNOWN_TERM
            else:
                rows[position] = vector
        for position in batch:
            if position not in rows and not reasons[position]:
                reasons[position] = NO_VECTOR
    if not rows:
        return np.empty((0, 0), dtype=np.float32), reasons
    return np.stack([rows[position] for position in sorted(rows)]), reasons


def _batch(
    encoder: Encoder,
    names: Sequence[str],
    texts: Sequence[str],
    batch: Sequence[int],
    allow_zero: bool,
) -> dict[int, Vectors]:
    """Vectors of a batch by position, without those that cannot be used."""
    try:
        vectors = encoded(
            encoder,
            [names[i] for i in batch],
            [texts[i] for i in batch],
            len(batch),
            allow_zero=allow_zero,
        )
    except ShelfError:
        if len(batch) == 1:
            return {}
        parts = [_batch(encoder, names, texts, [i], allow_zero) for i in batch]
        return {position: vector for part in parts for position, vector in part.items()}
    return dict(zip(batch, vectors, strict=True))
