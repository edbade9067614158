"""Find a row by its id, or say what was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TypeVar

from evaluate_shelf.errors import ShelfError

T = TypeVar("T")


def found(rows: Mapping[str, T], name: str, kind: str, advice: str = "") -> T:
    """Give the row with an id.

    Parameters
    ----------
    rows : mapping of str to T
        The rows by id.
    name : str
        The id that is wanted.
    kind : str
        What a row is, for the message.
    advice : str
        What to do when nothing is like `name`, for the message. Empty: the ids are listed.

    Returns
    -------
    T
        The row.

    Raises
    ------
    ShelfError
        If there is no such row.

    Examples
    --------
    >>> found({"same_lcc_pairs": 1}, "same_lc_pairs", "task", "run `shelf tasks`")
    Traceback (most recent call last):
    evaluate_shelf.errors.ShelfError: unknown task 'same_lc_pairs'; did you mean same_lcc_pairs? \
for all of them: run `shelf tasks`
    """
    if name in rows:
        return rows[name]
    close = difflib.get_close_matches(name, rows, n=3, cutoff=0.6)
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    known = f"for all of them: {advice}" if advice else f"known: {', '.join(rows)}"
    raise ShelfError(f"unknown {kind} {name!r}; {meant}{known}")
