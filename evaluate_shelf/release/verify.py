"""Check a release folder: every file, row and label."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy
from evaluate_shelf.release.content import content_of
from evaluate_shelf.release.documents import check_ids, check_texts
from evaluate_shelf.release.manifest import (
    MANIFEST,
    DataFile,
    Manifest,
    column_types,
    config_content_sha256,
    read_manifest,
)


def verify_release(folder: Path) -> Manifest:
    """Check a release folder against its manifest, and its rows against the taxonomy.

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
        Names the first file, row and field that is wrong: a missing, changed or foreign file, a
        changed, missing or added row, an id that stands twice or in two splits, a group in two
        splits, an empty text, a label that the taxonomy does not have.
    """
    manifest = read_manifest(folder)
    _check_presence(folder, manifest)
    for path, file in sorted(manifest.data_files.items()):
        _check_data_file(folder, path, file)
    for path, plain in sorted(manifest.other_files.items()):
        if sha256_of_file(folder / path) != plain.sha256:
            raise ShelfError(f"{folder / path}: its bytes are not those of the manifest")
    for name, entry in manifest.configs.items():
        own = {p: f for p, f in manifest.data_files.items() if f.config == name}
        if config_content_sha256(own) != entry.content_sha256:
            raise ShelfError(f"{folder / MANIFEST}: configs.{name}.content_sha256 is another")
        _check_config(folder, manifest, name)
    _check_card(folder, manifest)
    return manifest


def _check_presence(folder: Path, manifest: Manifest) -> None:
    expected = {*manifest.data_files, *manifest.other_files, MANIFEST}
    present = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }
    for path in sorted(expected - present):
        raise ShelfError(f"{folder / path}: the file is missing")
    for path in sorted(present - expected):
        raise ShelfError(f"{folder / path}: the manifest does not know this file; remove it")


def _check_data_file(folder: Path, path: str, file: DataFile) -> None:
    if sha256_of_file(folder / path) == file.sha256:
        return
    where = str(folder / path)
    try:
        table = pq.read_table(folder / path)
    except (pa.ArrowException, OSError) as error:
        raise ShelfError(
            f"{where}: damaged, its bytes are not those of the manifest and it cannot be read"
        ) from error
    raise ShelfError(f"{where}{_first_difference(folder, table, file)}")


def _first_difference(folder: Path, table: pa.Table, file: DataFile) -> str:
    try:
        content = content_of(table)
    except (ValueError, TypeError) as error:
        return f": a value cannot be: {error}"
    kept = np.fromfile(folder / file.row_checks, dtype="<u4")
    common = min(len(kept), len(content.row_crc32))
    differing = np.flatnonzero(kept[:common] != content.row_crc32[:common])
    row = int(differing[0]) if len(differing) else common
    fields = [
        name
        for name, digest in file.field_sha256.items()
        if content.field_sha256.get(name) != digest
    ]
    if len(content.row_crc32) < len(kept):
        return f", row {row}: a row is missing: {len(content.row_crc32)} of {len(kept)} are there"
    if len(content.row_crc32) > len(kept):
        return f", row {row}: a row too many: {len(content.row_crc32)} in place of {len(kept)}"
    if not fields:
        return ": its rows are right, but its bytes are not those of the manifest"
    identity = table["id"][row].as_py() if "id" in table.column_names else None
    return f", row {row} (id {identity!r}), field {fields[0]!r}: changed since the build"


def _check_config(folder: Path, manifest: Manifest, name: str) -> None:
    entry = manifest.configs[name]
    taxonomy = load_taxonomy()
    split_of_id: dict[str, str] = {}
    split_of_group: dict[str, str] = {}
    for path, file in sorted(manifest.data_files.items()):
        if file.config != name:
            continue
        table, where = pq.read_table(folder / path), str(folder / path)
        if column_types(table.schema) != entry.columns:
            raise ShelfError(f"{where}: its columns are not those of the manifest's schema")
        if table.num_rows != file.rows:
            raise ShelfError(f"{where}: {table.num_rows} rows, the manifest has {file.rows}")
        ids = table["id"].to_pylist()
        check_ids(ids, where)
        _check_one_split("id", ids, file.split, split_of_id, where)
        if entry.group_column:
            groups = table[entry.group_column].to_pylist()
            _check_one_split(entry.group_column, groups, file.split, split_of_group, where)
        if entry.kind == "documents":
            check_texts(table["text"].to_pylist(), where)
            _check_labels(table, where, taxonomy)
        else:
            _check_pairs(table, where)


def _check_one_split(
    field: str, values: Sequence[str | None], split: str, seen: dict[str, str], where: str
) -> None:
    for row, value in enumerate(values):
        if value is not None and seen.setdefault(value, split) != split:
            raise ShelfError(
                f"{where}, row {row}, field {field!r}: "
                f"{value!r} stands in the {seen[value]} split as well"
            )


def _check_labels(table: pa.Table, where: str, taxonomy: Taxonomy) -> None:
    name_of_class = {subject.code: subject.name for subject in taxonomy.classes}
    allowed: dict[str, set[str]] = {
        "lcc_code": set(name_of_class),
        "lcgft_category": {category.name for category in taxonomy.categories},
        "lcgft_form": set(taxonomy.forms),
        "audience": set(taxonomy.audiences),
        "register": {register.id for register in taxonomy.registers},
        "target_length": {length.id for length in taxonomy.lengths},
    }
    for field, labels in allowed.items():
        if field not in table.column_names:
            continue
        for row, value in enumerate(table[field].to_pylist()):
            if value not in labels and not (value in (None, "") and field != "lcc_code"):
                raise ShelfError(
                    f"{where}, row {row}, field {field!r}: {value!r} is no label of the taxonomy"
                )
    lists = {"topics": set(taxonomy.topics), "geographic": {p.name for p in taxonomy.places}}
    for field, labels in lists.items():
        for row, values in enumerate(_column(table, field)):
            for value in values or ():
                if value not in labels:
                    place = f"{where}, row {row}, field {field!r}"
                    raise ShelfError(f"{place}: {value!r} is no label of the taxonomy")
    codes = table["lcc_code"].to_pylist()
    for row, (code, name) in enumerate(zip(codes, _column(table, "lcc_name"), strict=False)):
        if name != name_of_class[code]:
            raise ShelfError(f"{where}, row {row}, field 'lcc_name': {name!r} is not class {code}")
    texts = table["text"].to_pylist()
    for row, (text, count) in enumerate(zip(texts, _column(table, "word_count"), strict=False)):
        if count != len(text.split()):
            raise ShelfError(
                f"{where}, row {row}, field 'word_count': {count}, the text has {len(text.split())}"
            )


def _check_pairs(table: pa.Table, where: str) -> None:
    for row, pair in enumerate(table.to_pylist()):
        if pair["label"] not in (0, 1):
            raise ShelfError(f"{where}, row {row}, field 'label': {pair['label']!r} is not 0 or 1")
        if pair["doc_a_id"] == pair["doc_b_id"]:
            raise ShelfError(f"{where}, row {row}, field 'doc_b_id': a document paired with itself")
        for field in ("doc_a_body", "doc_b_body"):
            if not (pair[field] or "").strip():
                raise ShelfError(f"{where}, row {row}, field {field!r}: the text is empty")


def _check_card(folder: Path, manifest: Manifest) -> None:
    """The card's YAML names the configs and the rows that are there."""
    where = folder / "README.md"
    parts = where.read_text(encoding="utf-8").split("---\n", 2)
    front: dict[str, Any] = yaml.safe_load(parts[1]) if len(parts) == 3 else {}
    named = {config["config_name"] for config in front.get("configs", [])}
    if named != set(manifest.configs):
        raise ShelfError(f"{where}, field 'configs': not the configs of the manifest")
    for info in front.get("dataset_info", []):
        for split in info["splits"]:
            rows = sum(
                file.rows
                for file in manifest.data_files.values()
                if file.config == info["config_name"] and file.split == split["name"]
            )
            if rows != split["num_examples"]:
                raise ShelfError(
                    f"{where}, field 'dataset_info', config {info['config_name']!r}, split "
                    f"{split['name']!r}: {split['num_examples']} rows, the files have {rows}"
                )


def _column(table: pa.Table, name: str) -> list[Any]:
    values: list[Any] = table[name].to_pylist() if name in table.column_names else []
    return values
