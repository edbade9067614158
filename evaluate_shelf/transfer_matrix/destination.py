"""Whether a file can be written, asked before the work and not after it."""

from __future__ import annotations

import contextlib
import os
from itertools import takewhile
from pathlib import Path

from evaluate_shelf.errors import ShelfError


def check_destination(file: Path, option: str) -> None:
    """Refuse a file that could not be written at the end.

    An empty file is written beside it and removed again, and so are the folders that are missing:
    permissions alone do not say whether a disk takes one.

    Parameters
    ----------
    file : pathlib.Path
        It need not be there, and neither need its folder.
    option : str
        What the user named it with, for the message.

    Raises
    ------
    ShelfError
        If it is a folder, or nothing can be written there.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> check_destination(Path(folder.name) / "new" / "matrix.json", "--out")
    >>> list(Path(folder.name).iterdir())
    []
    >>> folder.cleanup()
    """
    advice = f"give {option} a path that can be written to"
    try:
        if file.is_dir():
            raise ShelfError(f"{file}: is a folder; {advice}")
        _try(file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ShelfError(f"{file}: cannot be written: {reason}; {advice}") from error


def _try(file: Path) -> None:
    """Write an empty file beside it, and leave nothing of it."""
    above = (file.parent, *file.parent.parents)
    missing = list(takewhile(lambda folder: not folder.exists(), above))
    # As long as the name that it is written under first.
    tried = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        tried.touch()
        tried.unlink()
    finally:
        for folder in missing:
            with contextlib.suppress(OSError):
                folder.rmdir()
