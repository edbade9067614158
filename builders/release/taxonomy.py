"""The files of a taxonomy that a release brings along."""

from __future__ import annotations

from pathlib import Path

from builders.taxonomies.folder import taxonomy_file_names
from evaluate_shelf.registry.taxonomy import taxonomy_folder
from evaluate_shelf.release.taxonomy import TAXONOMY


def taxonomy_files(folder: Path | None) -> dict[str, bytes]:
    """The files of a taxonomy by their paths in a release; none for SHELF's own.

    Parameters
    ----------
    folder : pathlib.Path or None
        As for `load_taxonomy`.

    Returns
    -------
    dict of str to bytes
        What `shelf taxonomy import` writes, and nothing else that may lie beside it.

    Examples
    --------
    >>> taxonomy_files(None)
    {}
    """
    own = taxonomy_folder(folder)
    if own == taxonomy_folder():
        return {}
    return {f"{TAXONOMY}/{name}": (own / name).read_bytes() for name in taxonomy_file_names(own)}
