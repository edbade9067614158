"""The labels of a release: those of the installation, or others that it brings along."""

from __future__ import annotations

from pathlib import Path

from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy, read_taxonomy
from evaluate_shelf.release.manifest import Manifest

TAXONOMY = "taxonomy"
"""The folder of a release that holds its labels where they are not SHELF's own."""


def taxonomy_of(folder: Path, manifest: Manifest) -> Taxonomy:
    """The labels that a release's rows are to have.

    Parameters
    ----------
    folder : pathlib.Path
        A release folder.
    manifest : Manifest
        Its manifest.

    Returns
    -------
    Taxonomy
        That of the release's own `taxonomy/`, as its files are now; where it has none, that of
        the installation.

    Raises
    ------
    ShelfError
        If one of its files is missing or wrong; the message names file, row and field.
    """
    if any(path.startswith(f"{TAXONOMY}/") for path in manifest.other_files):
        return read_taxonomy(folder / TAXONOMY)
    return load_taxonomy()
