"""Pooled documents are those of their slices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.content import cell_checks
from evaluate_shelf.release.manifest import Manifest
from evaluate_shelf.release.reading import columns_of, parts_of


def check_pool(folder: Path, manifest: Manifest, name: str) -> None:
    """Refuse a pooled row that is not its slice's.

    A slice that is no part of the release cannot be compared. The pool may leave out documents of
    a slice: repeated texts, and those of a group that another slice has in another split.

    Parameters
    ----------
    folder : pathlib.Path
        A release folder.
    manifest : Manifest
        Its manifest.
    name : str
        The config that pools others.

    Raises
    ------
    ShelfError
        Names file, row and field.
    """
    pool = manifest.configs[name]
    origins = columns_of(folder, manifest, name, ["id", "source_config"])
    for source in pc.unique(origins["source_config"]).to_pylist():
        entry = manifest.configs.get(source or "")
        if entry is None:
            continue
        shared = [column for column in entry.columns if column in pool.columns and column != "id"]
        places, checks = _rows_of_pool(folder, manifest, name, source, shared)
        for part in parts_of(folder, manifest, source):
            ids = part.table["id"].to_pylist()
            rows = np.array([places.get(identity, -1) for identity in ids])
            unequal = cell_checks(part.table.select(shared)) != checks[rows]
            unequal[rows < 0] = False
            if unequal.any():
                row = int(np.flatnonzero(unequal.any(axis=1))[0])
                field = shared[int(unequal[row].argmax())]
                raise ShelfError(
                    f"{part.place}, row {part.first_row + row}, field {field!r}: {name} has "
                    f"another {field} of document {ids[row]!r}"
                )
            for identity in ids:
                places.pop(identity, None)
        for identity in places:
            raise ShelfError(
                f"{folder}: config {name!r}, field 'id': {source} has no document {identity!r}"
            )


def _rows_of_pool(
    folder: Path, manifest: Manifest, name: str, source: str, columns: list[str]
) -> tuple[dict[str, int], NDArray[np.uint32]]:
    """Place of each id among the pool's rows of a slice, and the checks of these rows."""
    places: dict[str, int] = {}
    checks = []
    for part in parts_of(folder, manifest, name, ["id", "source_config", *columns]):
        own = part.table.filter(pc.equal(part.table["source_config"], source))
        for identity in own["id"].to_pylist():
            places[identity] = len(places)
        checks.append(cell_checks(own.select(columns)))
    return places, np.concatenate(checks)
