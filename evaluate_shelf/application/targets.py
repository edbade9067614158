"""Where a result goes."""

from __future__ import annotations

from pathlib import Path

from evaluate_shelf.errors import ShelfError


def target_file(path: Path) -> Path:
    """The file that a name leads to: a link's target, so that the link stays.

    Parameters
    ----------
    path : pathlib.Path
        As the user named it.

    Raises
    ------
    ShelfError
        If it is there and is neither a file nor a link to one: a pipe or a device would be
        replaced by a file.
    """
    if path.is_dir():
        raise ShelfError(f"{path}: is a folder; name a file")
    is_link = path.is_symlink()
    if not path.is_file() and (is_link or path.exists()):
        what = "a link to no file" if is_link else "no regular file, but a pipe or a device"
        raise ShelfError(f"{path}: is {what}; name a file (the CSV is printed without --out)")
    return path.resolve() if is_link else path
