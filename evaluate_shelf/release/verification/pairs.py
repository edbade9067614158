"""Pairs are borne out by the documents that they were drawn from."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.manifest import Manifest


class _Document(NamedTuple):
    split: str
    fields: dict[str, Any]


def check_pairs(folder: Path, manifest: Manifest, name: str) -> None:
    """Refuse pairs whose texts, label or split are not those of their documents.

    Raises
    ------
    ShelfError
        Names file, row and field.
    """
    entry = manifest.configs[name]
    documents = _documents(folder, manifest, entry.derived_from or "")
    splits = {file.split for file in manifest.data_files.values() if file.config == name}
    seen: set[frozenset[str]] = set()
    for path, file in sorted(manifest.data_files.items()):
        if file.config != name:
            continue
        # Pairs that are there for testing alone are drawn from all splits.
        split = file.split if len(splits) > 1 else None
        for row, pair in enumerate(pq.read_table(folder / path).to_pylist()):
            place = f"{folder / path}, row {row}, field"
            key = frozenset((pair["doc_a_id"], pair["doc_b_id"]))
            if len(key) < 2:
                raise ShelfError(f"{place} 'doc_b_id': a document paired with itself")
            sides = [_document(pair, side, documents, split, place) for side in ("doc_a", "doc_b")]
            if key in seen:
                raise ShelfError(f"{place} 'doc_b_id': the pair stands twice")
            seen.add(key)
            labels = [side.fields.get(pair["label_field"]) for side in sides]
            if pair["label"] != int(labels[0] == labels[1]):
                raise ShelfError(
                    f"{place} 'label': {pair['label']!r}, but the documents' "
                    f"{pair['label_field']} are {labels[0]!r} and {labels[1]!r}"
                )


def _documents(folder: Path, manifest: Manifest, config: str) -> dict[str, _Document]:
    return {
        row["id"]: _Document(file.split, row)
        for path, file in manifest.data_files.items()
        if file.config == config
        for row in pq.read_table(folder / path).to_pylist()
    }


def _document(
    pair: dict[str, Any],
    side: str,
    documents: dict[str, _Document],
    split: str | None,
    place: str,
) -> _Document:
    identity = pair[f"{side}_id"]
    document = documents.get(identity)
    if document is None:
        raise ShelfError(f"{place} '{side}_id': there is no document {identity!r}")
    if split is not None and document.split != split:
        raise ShelfError(
            f"{place} '{side}_id': {identity!r} is a document of the {document.split} split"
        )
    for part in ("title", "body"):
        if pair[f"{side}_{part}"] != (document.fields[part] or ""):
            raise ShelfError(f"{place} '{side}_{part}': not the {part} of document {identity!r}")
    return document
