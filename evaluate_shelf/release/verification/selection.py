"""Rows that are some columns of a config's documents are those documents'."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.content import cell_checks
from evaluate_shelf.release.manifest import SPLITS, Manifest
from evaluate_shelf.release.reading import columns_of, parts_of


def check_selection(folder: Path, manifest: Manifest, name: str) -> None:
    """Refuse rows that are not those of the documents with their ids.

    Rows of a config with several splits stand in the splits of their documents; a config of one
    split, as retrieval has for its queries and its corpus, may take them from several.

    Raises
    ------
    ShelfError
        Names file, row and field.
    """
    entry = manifest.configs[name]
    source = entry.derived_from or ""
    fields = [field for field in entry.columns if field != "id"]
    documents = _documents(folder, manifest, source, fields)
    keeps_splits = len(manifest.rows_of(name)) > 1
    if "topics" in fields:
        _check_complete(folder, manifest, name, source)
    for part in parts_of(folder, manifest, name):
        ids = part.table["id"].to_pylist()
        rows = [documents.row.get(identity, -1) for identity in ids]
        own_split = SPLITS.index(part.split)
        for number, (identity, row) in enumerate(zip(ids, rows, strict=True)):
            place = f"{part.place}, row {part.first_row + number}, field 'id'"
            if row < 0:
                raise ShelfError(f"{place}: {source} has no document {identity!r}")
            if keeps_splits and documents.split[row] != own_split:
                other = SPLITS[documents.split[row]]
                raise ShelfError(f"{place}: {identity!r} is a document of the {other} split")
        unequal = _checks(part.table, fields) != documents.checks[rows]
        if unequal.any():
            number = int(np.flatnonzero(unequal.any(axis=1))[0])
            field = fields[int(unequal[number].argmax())]
            raise ShelfError(
                f"{part.place}, row {part.first_row + number}, field {field!r}: not the {field} "
                f"of document {ids[number]!r} of {source}"
            )


def _check_complete(folder: Path, manifest: Manifest, name: str, source: str) -> None:
    """Refuse a selection by topics that lacks a document which has some."""
    documents = columns_of(folder, manifest, source, ["id", "topics"])
    has_topics = pc.greater(pc.fill_null(pc.list_value_length(documents["topics"]), 0), 0)
    wanted = documents.filter(has_topics)["id"]
    given = columns_of(folder, manifest, name, ["id"])["id"]
    missing = wanted.filter(pc.invert(pc.is_in(wanted, value_set=given.combine_chunks())))
    if len(missing):
        raise ShelfError(
            f"{folder}: config {name!r}, field 'id': it lacks document {missing[0].as_py()!r}"
        )


class _Documents(NamedTuple):
    """Documents by their row: place of each id, number of its split, checks of its fields."""

    row: dict[str, int]
    split: NDArray[np.int8]
    checks: NDArray[np.uint32]


def _documents(folder: Path, manifest: Manifest, config: str, fields: Sequence[str]) -> _Documents:
    row: dict[str, int] = {}
    splits: list[NDArray[np.int8]] = []
    checks: list[NDArray[np.uint32]] = []
    for part in parts_of(folder, manifest, config, ["id", *fields]):
        first = len(row)
        row.update(zip(part.table["id"].to_pylist(), itertools.count(first), strict=False))
        splits.append(np.full(part.table.num_rows, SPLITS.index(part.split), dtype=np.int8))
        checks.append(_checks(part.table, fields))
    return _Documents(row, np.concatenate(splits), np.concatenate(checks))


def _checks(table: pa.Table, fields: Sequence[str]) -> NDArray[np.uint32]:
    # A corpus has an empty title where its document has none, since readers take its length.
    columns = {
        field: pc.fill_null(table[field], "") if field == "title" else table[field]
        for field in fields
    }
    return cell_checks(pa.table(columns))
