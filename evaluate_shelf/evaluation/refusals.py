"""Several models are run although some cannot be; the reasons are told at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluate_shelf.errors import ShelfError


class RefusedModelsError(ShelfError):
    """Some of the models could not be run; the message has all reasons.

    Attributes
    ----------
    reasons : tuple of str
        Why, a line a model that was refused.
    finished : tuple
        The runs of the others, as the function that raises this gives them.

    Examples
    --------
    >>> raise RefusedModelsError([("a", ShelfError("no weights")), ("b", ShelfError("NaN"))])
    Traceback (most recent call last):
    evaluate_shelf.evaluation.refusals.RefusedModelsError: a: no weights; b: NaN
    """

    def __init__(
        self, refused: Sequence[tuple[str, ShelfError]], finished: Sequence[Any] = ()
    ) -> None:
        self.reasons = tuple(_reason(name, str(error)) for name, error in refused)
        self.finished = tuple(finished)
        super().__init__("; ".join(self.reasons))


def raise_gathered(refused: Sequence[tuple[str, ShelfError]], finished: Sequence[Any] = ()) -> None:
    """Raise what stopped some of the models as one error; do nothing where nothing did.

    Parameters
    ----------
    refused : sequence of (str, ShelfError)
        Name of each model that was refused, and why.
    finished : sequence, default=()
        The runs of the others.

    Raises
    ------
    RefusedModelsError
        If there is one.
    """
    if refused:
        raise RefusedModelsError(refused, finished) from refused[0][1]


def _reason(name: str, error: str) -> str:
    return error if error.startswith(("model ", f"{name}: ")) else f"{name}: {error}"
