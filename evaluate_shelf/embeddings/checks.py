"""What an encoder gives is checked before it is kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.arrays import real_numbers
from evaluate_shelf.models.protocol import Vectors


def checked_vectors(given: object, ids: Sequence[str], allow_zero: bool) -> Vectors:
    """Vectors of a batch as float32.

    Parameters
    ----------
    given : object
        What the model gave.
    ids : sequence of str
        Of the batch's texts.
    allow_zero : bool
        Whether a zero vector is a vector.

    Returns
    -------
    ndarray of float32, shape (n_texts, dimension)

    Raises
    ------
    ShelfError
        If it is no array of real numbers (texts, objects, dates and complex numbers are none),
        has a masked value, has not one row of one number or more a text, or a row has NaN,
        infinity or nothing but zeros; it names the text's id.
    """
    array = real_numbers(given, f"for {ids[0]!r} and the rest of its batch, the model")
    # Into float32 first: a float64 that is too large for it is infinite there.
    with np.errstate(over="ignore"):
        vectors = array.astype(np.float32)
    if vectors.ndim != 2 or len(vectors) != len(ids) or not vectors.shape[1]:
        raise ShelfError(
            f"the model gave an array of shape {vectors.shape} for {len(ids)} texts, "
            f"the first of which is {ids[0]!r}; one row of one number or more a text is needed"
        )
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        name = ids[int(finite.argmin())]
        raise ShelfError(f"the model gave NaN or infinity in the vector of document {name!r}")
    zero = ~vectors.any(axis=1)
    if zero.any() and not allow_zero:
        raise ShelfError(f"the model gave a zero vector for document {ids[int(zero.argmax())]!r}")
    return vectors
