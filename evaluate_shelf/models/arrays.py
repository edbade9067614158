"""What counts as an array of numbers from a model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line

# Complex numbers, texts, bytes, objects, dates and spans of time, as numpy calls them.
_NO_REAL_NUMBERS = "cUSOMm"


def real_numbers(given: object, what: str) -> NDArray[Any]:
    """What a model gave as an array of real numbers, of whatever type.

    Parameters
    ----------
    given : object
        An array, or lists.
    what : str
        Who gave it and for what; begins the message.

    Raises
    ------
    ShelfError
        If it is none: a value is masked, rows differ in length, or the type is one of texts,
        objects, dates or complex numbers. Nothing is converted that only looks like a number.

    Examples
    --------
    >>> real_numbers([["1", "2"]], "the model")
    Traceback (most recent call last):
    evaluate_shelf.errors.ShelfError: the model gave no array of numbers: its type is <U1
    """
    rows = given if isinstance(given, (list, tuple)) else []
    if np.ma.is_masked(given) or any(map(np.ma.is_masked, rows)):
        raise ShelfError(f"{what} gave an array with masked values")
    try:
        array = np.asarray(given)
    # What an object that stands for an array can raise has no end.
    except Exception as error:
        reason = one_line(f"{type(error).__name__}: {error}", 300)
        raise ShelfError(f"{what} gave no array of numbers: {reason}") from error
    # Types of other packages, as bfloat16, are of the kind of void but are not it.
    if array.dtype.kind in _NO_REAL_NUMBERS or array.dtype.type is np.void:
        raise ShelfError(f"{what} gave no array of numbers: its type is {array.dtype}")
    return array
