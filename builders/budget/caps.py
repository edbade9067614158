"""Caps of spending: of all generators together, and of single ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from builders.budget.money import nanodollars_in
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import brief

ALL = ""
"""The name under which the cap and the spending of all generators stand."""


def caps_in(
    cap_usd: str | None, caps: Sequence[str], generators: Collection[str]
) -> dict[str, int]:
    """Read the caps of a command line.

    Parameters
    ----------
    cap_usd : str or None
        US dollars of all generators together.
    caps : sequence of str
        `GENERATOR=USD`.
    generators : collection of str
        Names of those that there are.

    Returns
    -------
    dict of str to int
        Nanodollars by generator, and by `ALL`.

    Raises
    ------
    ShelfError
        If one is no amount, or of a generator that is unknown or stands twice.

    Examples
    --------
    >>> caps_in("20", ["vendor/m=2.5"], ["vendor/m"])
    {'': 20000000000, 'vendor/m': 2500000000}
    """
    given = {} if cap_usd is None else {ALL: nanodollars_in(cap_usd, "--cap-usd")}
    for text in caps:
        name, sign, amount = text.rpartition("=")
        if not sign or name not in generators:
            raise ShelfError(
                f"--cap {brief(text)}: GENERATOR=USD is needed; generators: {', '.join(generators)}"
            )
        if name in given:
            raise ShelfError(f"--cap: {name} stands there twice")
        given[name] = nanodollars_in(amount, f"--cap {name}")
    return given
