"""The labels of a release: those of the installation, or others that it brings along."""

from __future__ import annotations

from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
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
        That of the release's own `taxonomy/`; where it has none, that of the installation.

    Raises
    ------
    ShelfError
        If one of its files is missing, wrong or not that of the manifest; the message names file,
        row and field.
    """
    own = [path for path in manifest.other_files if path.startswith(f"{TAXONOMY}/")]
    if not own:
        return load_taxonomy()
    for path in own:
        if path.endswith(".yaml") and not _is_as_listed(folder, manifest, path):
            raise ShelfError(
                f"{folder / path}: missing, or its bytes are not those of the manifest; rebuild "
                "the release, or run `shelf verify` on it"
            )
    return read_taxonomy(folder / TAXONOMY)


def _is_as_listed(folder: Path, manifest: Manifest, path: str) -> bool:
    file = folder / path
    return file.is_file() and sha256_of_file(file) == manifest.other_files[path].sha256
