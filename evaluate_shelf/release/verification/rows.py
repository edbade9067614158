"""Rows of a config: ids, splits, texts and labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy
from evaluate_shelf.release.documents import check_ids, check_texts
from evaluate_shelf.release.manifest import MANIFEST, Manifest, column_types


def check_rows(folder: Path, manifest: Manifest, name: str) -> None:
    """Refuse rows that contradict each other, the manifest or the taxonomy.

    Raises
    ------
    ShelfError
        Names file, row and field.
    """
    entry = manifest.configs[name]
    file_of_id: dict[str, tuple[str, str]] = {}
    split_of_group: dict[str, str] = {}
    counts: dict[str, dict[str, Counter[str]]] = {}
    for path, file in sorted(manifest.data_files.items()):
        if file.config != name:
            continue
        table, place = pq.read_table(folder / path), str(folder / path)
        if column_types(table.schema) != entry.columns:
            raise ShelfError(f"{place}: its columns are not those of the manifest's schema")
        if table.num_rows != file.rows:
            raise ShelfError(f"{place}: {table.num_rows} rows, the manifest has {file.rows}")
        ids = table["id"].to_pylist()
        check_ids(ids, place)
        _check_ids_elsewhere(ids, path, file.split, file_of_id, place)
        if entry.group_column:
            groups = table[entry.group_column].to_pylist()
            _check_groups(entry.group_column, groups, file.split, split_of_group, place)
        if entry.kind == "documents":
            check_texts(table["text"].to_pylist(), place)
            _check_document_fields(table, file.split, place)
            _check_labels(table, place, load_taxonomy())
        for column in entry.counts.get(file.split, {}):
            labels = (str(label) for label in _column(table, column) if label is not None)
            counts.setdefault(file.split, {}).setdefault(column, Counter()).update(labels)
    if counts != entry.counts:
        raise ShelfError(f"{folder / MANIFEST}, configs.{name}.counts: not those of the rows")


def _check_ids_elsewhere(
    ids: Sequence[str], path: str, split: str, seen: dict[str, tuple[str, str]], place: str
) -> None:
    for row, identity in enumerate(ids):
        other_path, other_split = seen.setdefault(identity, (path, split))
        if other_split != split:
            raise ShelfError(
                f"{place}, row {row}, field 'id': {identity!r} stands in the {other_split} split "
                "as well"
            )
        if other_path != path:
            raise ShelfError(f"{place}, row {row}, field 'id': {identity!r} is in {other_path} too")


def _check_groups(
    field: str, groups: Sequence[str | None], split: str, seen: dict[str, str], place: str
) -> None:
    for row, group in enumerate(groups):
        if group is not None and seen.setdefault(group, split) != split:
            raise ShelfError(
                f"{place}, row {row}, field {field!r}: {group!r} stands in the {seen[group]} split "
                "as well"
            )


def _check_document_fields(table: pa.Table, split: str, place: str) -> None:
    texts = table["text"].to_pylist()
    expected: dict[str, Sequence[Any]] = {
        "body": texts,
        "word_count": [len(text.split()) for text in texts],
        "split": [split] * len(texts),
    }
    for field, values in expected.items():
        for row, (value, right) in enumerate(zip(_column(table, field), values, strict=False)):
            if value != right:
                short = f"{value!r:.60}, it should be {right!r:.60}"
                raise ShelfError(f"{place}, row {row}, field {field!r}: {short}")


def _check_labels(table: pa.Table, place: str, taxonomy: Taxonomy) -> None:
    name_of_class = {subject.code: subject.name for subject in taxonomy.classes}
    _check_known(table, "lcc_code", set(name_of_class), place, may_be_absent=False)
    single: dict[str, Collection[str]] = {
        "lcgft_category": {category.name for category in taxonomy.categories},
        "lcgft_form": set(taxonomy.forms),
        "audience": set(taxonomy.audiences),
        "register": {register.id for register in taxonomy.registers},
        "target_length": {length.id for length in taxonomy.lengths},
        "topics": set(taxonomy.topics),
        "geographic": {known.name for known in taxonomy.places},
    }
    for field, labels in single.items():
        _check_known(table, field, labels, place)
    codes = table["lcc_code"].to_pylist()
    for row, (code, name) in enumerate(zip(codes, _column(table, "lcc_name"), strict=False)):
        if name != name_of_class[code]:
            raise ShelfError(f"{place}, row {row}, field 'lcc_name': {name!r} is not class {code}")


def _check_known(
    table: pa.Table, field: str, labels: Collection[str], place: str, *, may_be_absent: bool = True
) -> None:
    for row, value in enumerate(_column(table, field)):
        if value in (None, "") and may_be_absent:
            continue
        for label in value if isinstance(value, list) else [value]:
            if label not in labels:
                raise ShelfError(
                    f"{place}, row {row}, field {field!r}: {label!r} is no label of the taxonomy"
                )


def _column(table: pa.Table, name: str) -> list[Any]:
    values: list[Any] = table[name].to_pylist() if name in table.column_names else []
    return values
