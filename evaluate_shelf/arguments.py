"""Arguments of the functions that others call, checked as the command line checks its options."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from evaluate_shelf.errors import ShelfError

_LONGEST_SHOWN = 100


def whole_number(name: str, value: object) -> int | None:
    """A whole number, or None; True and 2.0 are none.

    Raises
    ------
    ShelfError
        If it is another thing.

    Examples
    --------
    >>> whole_number("limit", 5)
    5
    >>> whole_number("limit", True)
    Traceback (most recent call last):
    evaluate_shelf.errors.ShelfError: limit: a whole number or None is needed, not True
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ShelfError(f"{name}: a whole number or None is needed, not {_shown(value)}")
    return int(value)


def names(name: str, value: Any) -> list[str]:
    """One name, or several in a list or tuple, as a list.

    Raises
    ------
    ShelfError
        If it is another thing, or one of them is no string.

    Examples
    --------
    >>> names("tasks", "lcc_retrieval"), names("tasks", ())
    (['lcc_retrieval'], [])
    """
    given = list(value) if isinstance(value, (list, tuple)) else [value]
    for one in given:
        if not isinstance(one, str):
            raise ShelfError(f"{name}: a name or a list of names is needed, not {_shown(one)}")
    return given


def one_of(name: str, value: object, *types: type, what: str) -> None:
    """Refuse a value that is of none of some types.

    Raises
    ------
    ShelfError
        It says what is needed.

    Examples
    --------
    >>> one_of("rates", 1, bool, what="True or False")
    Traceback (most recent call last):
    evaluate_shelf.errors.ShelfError: rates: True or False is needed, not 1
    """
    if not isinstance(value, types):
        raise ShelfError(f"{name}: {what} is needed, not {_shown(value)}")


def _shown(value: object) -> str:
    try:
        return repr(value)[:_LONGEST_SHOWN]
    except Exception:  # an object may not even say what it is
        return type(value).__name__
