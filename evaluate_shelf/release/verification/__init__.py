"""Check a release folder: manifest, files, rows, pairs and card, in this order."""

from __future__ import annotations

from pathlib import Path

from evaluate_shelf.release.manifest import Manifest, read_manifest
from evaluate_shelf.release.taxonomy import taxonomy_of
from evaluate_shelf.release.verification.card import check_card
from evaluate_shelf.release.verification.files import check_files, check_manifest
from evaluate_shelf.release.verification.pairs import check_pairs
from evaluate_shelf.release.verification.pool import check_pool
from evaluate_shelf.release.verification.rows import check_rows
from evaluate_shelf.release.verification.search import check_search, check_subsets
from evaluate_shelf.release.verification.selection import check_selection


def verify_release(folder: Path) -> Manifest:
    """Check a release folder against its manifest, and its rows against its taxonomy.

    Parameters
    ----------
    folder : pathlib.Path
        A release folder.

    Returns
    -------
    Manifest
        Its manifest, when all is right.

    Raises
    ------
    ShelfError
        Names the first file, row and field that is wrong: a missing, changed or foreign file; a
        changed, missing or added row; an id that stands twice or in two splits; a group in two
        splits; an empty text; a label that the taxonomy does not have; a pair that its documents
        do not bear out; a card that does not fit the files.
    """
    manifest = read_manifest(folder)
    check_manifest(folder, manifest)
    check_files(folder, manifest)
    check_subsets(folder, manifest)
    taxonomy = taxonomy_of(folder, manifest)
    for name in manifest.configs:
        check_rows(folder, manifest, name, taxonomy)
    for name, entry in manifest.configs.items():
        if {"source_config", "split"} <= entry.columns.keys():
            check_pool(folder, manifest, name)
        if entry.kind == "pairs":
            check_pairs(folder, manifest, name)
        if entry.kind == "selection":
            check_selection(folder, manifest, name)
        if entry.kind == "qrels":
            check_search(folder, manifest, name)
    check_card(folder, manifest)
    return manifest
