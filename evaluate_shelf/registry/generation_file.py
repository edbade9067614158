"""`generation.yaml`: one file whose parts are checked by whoever uses them."""

from __future__ import annotations

import functools
from pathlib import Path

from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.strict_yaml import Row, read_yaml, validated


class _File(Row):
    prompts: object
    plans: object


def generation_part(name: str, folder: Path | None = None) -> tuple[object, Path]:
    """Give a part of `generation.yaml` as it stands there, and the file's name.

    Parameters
    ----------
    name : str
        `prompts` or `plans`.
    folder : pathlib.Path or None
        The configuration folder. None: the one of the installation.

    Raises
    ------
    ShelfError
        If the file is missing, is not YAML or lacks a part.
    """
    file = (folder or config_folder()).resolve() / "generation.yaml"
    return getattr(_read(file), name), file


@functools.lru_cache(maxsize=8)
def _read(file: Path) -> _File:
    return validated(_File, read_yaml(file), file)
