"""Several models are run although some cannot be; the reasons are told at the end."""

from __future__ import annotations

from collections.abc import Sequence

from evaluate_shelf.errors import ShelfError


def raise_gathered(refused: Sequence[tuple[str, ShelfError]]) -> None:
    """Raise what stopped some of the models as one error; do nothing where nothing did.

    Parameters
    ----------
    refused : sequence of (str, ShelfError)
        Name of each model that was refused, and why.

    Raises
    ------
    ShelfError
        If there is one.

    Examples
    --------
    >>> raise_gathered([("a", ShelfError("no weights")), ("b", ShelfError("NaN"))])
    Traceback (most recent call last):
    evaluate_shelf.errors.ShelfError: no weights; b: NaN
    """
    if not refused:
        return
    (_, first), *others = refused
    rest = "".join(f"; {name}: {error}" for name, error in others)
    raise ShelfError(f"{first}{rest}") from first
