"""Whether a table has the columns that a mapping names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError

_SHOWN = 60


def check_columns(path: Path, present: Sequence[str], needed: Iterable[str]) -> None:
    """Refuse columns that a table has not, or has twice.

    Parameters
    ----------
    path : pathlib.Path
        The table.
    present : sequence of str
        Its columns.
    needed : iterable of str
        Those that the mapping names.

    Raises
    ------
    ShelfError
        Naming the column, and those that there are.
    """
    for name in needed:
        if present.count(name) == 1:
            continue
        state = "is there twice" if name in present else "is missing"
        names = ", ".join(one_line(other, 100) for other in present[:_SHOWN])
        more = f" and {len(present) - _SHOWN} more" if len(present) > _SHOWN else ""
        raise ShelfError(f"{path}: column {name!r} {state}; the columns are: {names}{more}")
