"""`builders` and `space` come with a checkout; the wheel has neither."""

from __future__ import annotations

import importlib
from types import ModuleType

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.installation import install_command


def checkout_module(name: str) -> ModuleType:
    """Import a module of `builders` or `space`.

    Raises
    ------
    ShelfError
        If there is no checkout, or it lacks a library that the module needs.
    """
    folder = name.split(".")[0]
    extra = {"builders": "build", "space": "space"}[folder]
    try:
        importlib.import_module(f"{folder}.checkout")
    except ImportError as error:
        raise ShelfError(
            f"this needs a checkout: the installed package has no `{folder}`; clone the "
            "repository and run `pip install -e .` in it"
        ) from error
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if (error.name or "").split(".")[0] == folder:
            raise
        raise ShelfError(
            f"this needs the extra `{extra}`: {error.name} is not installed; "
            f"run {install_command(extra)}"
        ) from error
