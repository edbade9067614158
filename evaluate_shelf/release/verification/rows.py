"""Rows of a config: ids, splits, texts and labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.taxonomy import Taxonomy
from evaluate_shelf.release.documents import check_texts
from evaluate_shelf.release.manifest import MANIFEST, Manifest, column_types
from evaluate_shelf.release.reading import Part, label_counts, parts_of


def check_rows(folder: Path, manifest: Manifest, name: str, taxonomy: Taxonomy) -> None:
    """Refuse rows that contradict each other, the manifest or the release's taxonomy.

    Raises
    ------
    ShelfError
        Names file, row and field.
    """
    entry = manifest.configs[name]
    for path, file in sorted(manifest.data_files.items()):
        if file.config == name:
            _check_shape(folder / path, file.rows, entry.columns)
    ids = _Ids()
    split_of_group: dict[str, str] = {}
    counts: dict[str, dict[str, Counter[str]]] = {}
    for part in parts_of(folder, manifest, name):
        if "id" in entry.columns:
            ids.check(part)
        if entry.group_column:
            _check_groups(entry.group_column, part, split_of_group)
        if "text" in entry.columns:
            check_texts(part.table["text"].to_pylist(), part.place, part.first_row)
        if entry.kind == "documents":
            _check_document_fields(part)
            _check_labels(part, taxonomy)
        for column in entry.counts.get(part.split, {}):
            counted = counts.setdefault(part.split, {}).setdefault(column, Counter())
            if column in part.table.column_names:
                counted.update(label_counts(part.table[column]))
    if counts != {split: own for split, own in entry.counts.items() if own}:
        raise ShelfError(f"{folder / MANIFEST}, configs.{name}.counts: not those of the rows")


def _check_shape(path: Path, rows: int, columns: dict[str, str]) -> None:
    metadata = pq.read_metadata(path)
    if column_types(metadata.schema.to_arrow_schema()) != columns:
        raise ShelfError(f"{path}: its columns are not those of the manifest's schema")
    if metadata.num_rows != rows:
        raise ShelfError(f"{path}: {metadata.num_rows} rows, the manifest has {rows}")


class _Ids:
    """The ids of a config that were seen, each with its file, split and row."""

    def __init__(self) -> None:
        self._places: list[tuple[str, str]] = []
        self._seen: dict[str, tuple[int, int]] = {}

    def check(self, part: Part) -> None:
        """Refuse absent and repeated ids."""
        if (part.place, part.split) not in self._places:
            self._places.append((part.place, part.split))
        own = len(self._places) - 1
        for row, identity in enumerate(part.table["id"].to_pylist(), start=part.first_row):
            where = f"{part.place}, row {row}, field 'id'"
            if not identity:
                raise ShelfError(f"{where}: no id")
            number, other_row = self._seen.setdefault(identity, (own, row))
            if (number, other_row) == (own, row):
                continue
            other_place, other_split = self._places[number]
            if other_split != part.split:
                raise ShelfError(f"{where}: {identity!r} stands in the {other_split} split as well")
            if number != own:
                raise ShelfError(f"{where}: {identity!r} is in {other_place} too")
            raise ShelfError(f"{where}: {identity!r} stands in row {other_row} already")


def _check_groups(field: str, part: Part, seen: dict[str, str]) -> None:
    for row, group in enumerate(part.table[field].to_pylist(), start=part.first_row):
        if group is not None and seen.setdefault(group, part.split) != part.split:
            raise ShelfError(
                f"{part.place}, row {row}, field {field!r}: {group!r} stands in the "
                f"{seen[group]} split as well"
            )


def _check_document_fields(part: Part) -> None:
    texts = part.table["text"].to_pylist()
    expected: dict[str, Sequence[Any]] = {
        "body": texts,
        "word_count": [len(text.split()) for text in texts],
        "split": [part.split] * len(texts),
    }
    if {"pair_id", "spec_id", "group_id"} <= set(part.table.column_names):
        groups = pc.coalesce(part.table["pair_id"], part.table["spec_id"])
        expected["group_id"] = groups.to_pylist()
    for field, values in expected.items():
        pairs = zip(_column(part.table, field), values, strict=False)
        for row, (value, right) in enumerate(pairs, start=part.first_row):
            if value != right:
                short = f"{value!r:.60}, it should be {right!r:.60}"
                raise ShelfError(f"{part.place}, row {row}, field {field!r}: {short}")


def _check_labels(part: Part, taxonomy: Taxonomy) -> None:
    name_of_class = {subject.code: subject.name for subject in taxonomy.classes}
    _check_known(part, "lcc_code", set(name_of_class), may_be_absent=False)
    labels: dict[str, Collection[str]] = {
        "lcgft_category": {category.name for category in taxonomy.categories},
        "lcgft_form": set(taxonomy.forms),
        "audience": set(taxonomy.audiences),
        "register": {register.id for register in taxonomy.registers},
        "target_length": {length.id for length in taxonomy.lengths},
        "topics": set(taxonomy.topics),
        "geographic": {known.name for known in taxonomy.places},
    }
    for field, known in labels.items():
        _check_known(part, field, known)
    named = zip(part.table["lcc_code"].to_pylist(), _column(part.table, "lcc_name"), strict=False)
    for row, (code, name) in enumerate(named, start=part.first_row):
        if name != name_of_class[code]:
            raise ShelfError(
                f"{part.place}, row {row}, field 'lcc_name': {name!r} is not class {code}"
            )


def _check_known(
    part: Part, field: str, labels: Collection[str], *, may_be_absent: bool = True
) -> None:
    if field not in part.table.column_names:
        return
    column = part.table[field]
    values = pc.list_flatten(column) if pa.types.is_list(column.type) else column
    absent: set[Any] = {None, ""} if may_be_absent else set()
    wrong = {value for value in pc.unique(values).to_pylist() if value not in labels} - absent
    if wrong:
        row, label = _first_of(column.to_pylist(), wrong.__contains__)
        raise ShelfError(
            f"{part.place}, row {part.first_row + row}, field {field!r}: {label!r} is no label of "
            "the taxonomy"
        )


def _first_of(column: Iterable[Any], is_wrong: Callable[[Any], bool]) -> tuple[int, Any]:
    """Number of the first row with a wrong value, and that value."""
    return next(
        (row, own)
        for row, value in enumerate(column)
        for own in (value if isinstance(value, list) else [value])
        if is_wrong(own)
    )


def _column(table: pa.Table, name: str) -> list[Any]:
    values: list[Any] = table[name].to_pylist() if name in table.column_names else []
    return values
