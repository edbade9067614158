"""Whether this machine can evaluate what a worker takes."""

from __future__ import annotations

from importlib.util import find_spec

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.installation import encoder_commands

NEEDED = ("torch", "sentence_transformers")
"""Packages that every model of a worker runs with: all of them are of sentence-transformers."""


def check_ready() -> None:
    """See that the packages are here which every vetted model needs.

    Raises
    ------
    ShelfError
        If one is missing; the message has the commands that install them.
    """
    missing = [name.replace("_", "-") for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ShelfError(
            f"a worker needs {' and '.join(missing)} for every model that it takes; "
            f"run {encoder_commands()}"
        )
