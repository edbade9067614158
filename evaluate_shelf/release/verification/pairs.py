"""Pairs are borne out by the documents that they were drawn from."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.manifest import Manifest
from evaluate_shelf.release.reading import parts_of

_MOST_LEVELS = 3
_SIDES = ("doc_a", "doc_b")


# Each variant of a task has its label field too.
_LABEL_FIELDS = {
    "same_lcc_pairs": "lcc_code",
    "same_form_pairs": "lcgft_form",
    "same_register_pairs": "register",
    "same_audience_pairs": "audience",
}
_LADDER = ("lcc_subclass", "lcc_code", "lcgft_form", "lcgft_category", "topics")


class _Document(NamedTuple):
    split: str
    label: Any
    group: str
    ladder: tuple[Any, ...]
    title: int
    body: int


def check_pairs(folder: Path, manifest: Manifest, name: str) -> None:
    """Refuse pairs whose texts, label or split are not those of their documents.

    Raises
    ------
    ShelfError
        Names file, row and field.
    """
    entry = manifest.configs[name]
    by_topics = "shared_topics" in entry.columns
    field = "topics" if by_topics else _label_field(folder, manifest, name)
    documents = _documents(folder, manifest, name, entry.derived_from or "", field)
    has_one_split = len(manifest.rows_of(name)) == 1
    seen: set[tuple[str, str]] = set()
    for part in parts_of(folder, manifest, name):
        # Pairs that are there for testing alone are drawn from all splits.
        split = None if has_one_split else part.split
        for row, pair in enumerate(part.table.to_pylist(), start=part.first_row):
            place = f"{part.place}, row {row}, field"
            key = (min(pair["doc_a_id"], pair["doc_b_id"]), max(pair["doc_a_id"], pair["doc_b_id"]))
            if key[0] == key[1]:
                raise ShelfError(f"{place} 'doc_b_id': a document paired with itself")
            first, second = (_document(pair, side, documents, split, place) for side in _SIDES)
            if key in seen:
                raise ShelfError(f"{place} 'doc_b_id': the pair stands twice")
            seen.add(key)
            if first.group == second.group:
                raise ShelfError(f"{place} 'doc_b_id': both documents are of one group")
            if "relation_stratum" in pair:
                _check_stratum(pair, first.ladder, second.ladder, place)
            if by_topics:
                _check_topics(pair, first.label, second.label, name, place)
            else:
                _check_label(pair, first.label, second.label, field, place)


def _label_field(folder: Path, manifest: Manifest, name: str) -> str:
    """The one column that the pairs' labels are about."""
    fields = {
        value
        for part in parts_of(folder, manifest, name, ["label_field"])
        for value in pc.unique(part.table["label_field"]).to_pylist()
    }
    wanted = next((own for task, own in _LABEL_FIELDS.items() if task in name), None)
    if fields != {wanted}:
        raise ShelfError(
            f"{folder}: config {name!r}, field 'label_field': {sorted(map(str, fields))}, it "
            f"should be {wanted!r} alone"
        )
    return str(wanted)


def _check_stratum(
    pair: dict[str, Any], first: tuple[Any, ...], second: tuple[Any, ...], place: str
) -> None:
    """The first rung that holds; an absent label is the same as none."""
    subclass, lcc, form, category = (
        a is not None and a == b for a, b in zip(first[:4], second[:4], strict=True)
    )
    topics = {*(first[4] or [])}, {*(second[4] or [])}
    subclass = subclass and lcc
    holds = (
        subclass and form and bool(topics[0]) and topics[0] == topics[1],
        subclass,
        lcc,
        form,
        category,
        bool(topics[0] & topics[1]),
        True,
    )
    stratum = f"S{holds.index(True)}"
    if pair["relation_stratum"] != stratum:
        raise ShelfError(
            f"{place} 'relation_stratum': {pair['relation_stratum']!r}, but the documents' labels "
            f"give {stratum!r}"
        )


def _check_label(pair: dict[str, Any], first: Any, second: Any, field: str, place: str) -> None:
    if pair["label"] != int(first == second and first is not None):
        raise ShelfError(
            f"{place} 'label': {pair['label']!r}, but the documents' {field} are {first!r} and "
            f"{second!r}"
        )


def _check_topics(pair: dict[str, Any], first: Any, second: Any, name: str, place: str) -> None:
    shared = sorted({*(first or [])} & {*(second or [])})
    most = _MOST_LEVELS if name.endswith("topic_overlap_pairs") else 1
    expected = {
        "shared_topics": shared,
        "overlap_count": len(shared),
        "label": min(len(shared), most),
    }
    for field, value in expected.items():
        if pair[field] != value:
            raise ShelfError(
                f"{place} {field!r}: {pair[field]!r}, but the documents' topics give {value!r}"
            )


def _documents(
    folder: Path, manifest: Manifest, pairs: str, config: str, field: str
) -> dict[str, _Document]:
    """The paired documents by id; of their texts only a hash, as bodies may be many."""
    paired = pa.concat_arrays(
        [
            chunk
            for part in parts_of(folder, manifest, pairs, [f"{side}_id" for side in _SIDES])
            for column in part.table.columns
            for chunk in column.chunks
        ]
    )
    wanted = pc.unique(paired)
    documents = {}
    entry = manifest.configs[config]
    group = entry.group_column or "id"
    known = [name for name in _LADDER if name in entry.columns]
    columns = list(dict.fromkeys(["id", "title", "body", field, group, *known]))
    for part in parts_of(folder, manifest, config, columns):
        table = part.table.filter(pc.is_in(part.table["id"], value_set=wanted))
        for row in table.to_pylist():
            documents[row["id"]] = _Document(
                split=part.split,
                label=row[field],
                group=row[group] or row["id"],
                ladder=tuple(row.get(name) for name in _LADDER),
                title=hash(row["title"] or ""),
                body=hash(row["body"]),
            )
    return documents


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
        if hash(pair[f"{side}_{part}"]) != getattr(document, part):
            raise ShelfError(f"{place} '{side}_{part}': not the {part} of document {identity!r}")
    return document
