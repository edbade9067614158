"""The manifest agrees with itself and with the files and rows that are there."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.release.content import Content, ContentHasher, cell_checks
from evaluate_shelf.release.manifest import (
    MANIFEST,
    DataFile,
    Kind,
    Manifest,
    checksum_of,
    config_content_sha256,
)
from evaluate_shelf.release.reading import batches_of

_ALWAYS_THERE = {"README.md", "CAVEATS.md", "CITATION.cff", "croissant.json", "eval.yaml"}
_COLUMNS_OF_KIND: dict[Kind, set[str]] = {
    "documents": {"id", "text", "lcc_code"},
    "pairs": {"id", "doc_a_id", "doc_b_id", "label"},
    "selection": {"id", "text"},
    "qrels": {"query-id", "corpus-id", "score"},
    "instructions": {"query-id", "instruction"},
}
# What git and the Hub's client keep beside the files; `load_dataset` reads none of it.
_KEEPERS = {".git", ".cache", ".gitattributes", ".gitignore"}


def check_manifest(folder: Path, manifest: Manifest) -> None:
    """Refuse a manifest whose parts contradict each other."""
    place = folder / MANIFEST
    if manifest.checksum != checksum_of(manifest):
        raise ShelfError(f"{place}, checksum: the manifest was changed since the build")
    for path in sorted(_ALWAYS_THERE - manifest.other_files.keys()):
        raise ShelfError(f"{place}, other_files: it does not know {path}, which every release has")
    if manifest.default_config not in manifest.configs:
        raise ShelfError(f"{place}, default_config: {manifest.default_config!r} is no config of it")
    for path, file in sorted(manifest.data_files.items()):
        if file.config not in manifest.configs:
            raise ShelfError(f"{place}, data_files.{path}.config: {file.config!r} is no config")
        if file.row_checks is not None and file.row_checks not in manifest.other_files:
            raise ShelfError(f"{place}, data_files.{path}.row_checks: it knows no such file")
    for name, entry in manifest.configs.items():
        field = f"{place}, configs.{name}"
        if entry.group_column is not None and entry.group_column not in entry.columns:
            raise ShelfError(f"{field}.group_column: there is no column {entry.group_column!r}")
        if not entry.columns.keys() >= _COLUMNS_OF_KIND[entry.kind]:
            raise ShelfError(f"{field}.kind: {entry.kind!r} does not fit the columns")
        source = manifest.configs.get(entry.derived_from or "")
        follows = entry.kind != "documents"
        has_source = source is not None and source.kind == "documents"
        if has_source != follows or (entry.derived_from is not None) != follows:
            raise ShelfError(
                f"{field}.derived_from: what follows from documents, and that alone, names them"
            )
        own = {p: f for p, f in manifest.data_files.items() if f.config == name}
        if config_content_sha256(own) != entry.content_sha256:
            raise ShelfError(f"{field}.content_sha256: it does not follow from its files'")
    for alias, name in manifest.aliases.items():
        if name not in manifest.configs or alias in manifest.configs:
            raise ShelfError(f"{place}, aliases.{alias}: not a second name of a config")


def check_files(folder: Path, manifest: Manifest) -> None:
    """Refuse missing, foreign and changed files, naming row and field where one was changed."""
    for path in sorted({*manifest.data_files, *manifest.other_files}):
        if not (folder / path).is_file():
            raise ShelfError(f"{folder / path}: the file is missing")
    for path in foreign_files(folder, manifest):
        raise ShelfError(f"{folder / path}: the manifest does not know this file; remove it")
    for path, file in sorted(manifest.data_files.items()):
        _check_data_file(folder, path, file)
    for path, plain in sorted(manifest.other_files.items()):
        if _state(folder / path) != (plain.bytes, plain.sha256):
            raise ShelfError(f"{folder / path}: its bytes are not those of the manifest")


def foreign_files(folder: Path, manifest: Manifest) -> list[str]:
    """Paths of whatever lies in a release folder and is not the release's."""
    expected = {*manifest.data_files, *manifest.other_files, MANIFEST}
    folders = {parent.as_posix() for path in expected for parent in PurePosixPath(path).parents}
    foreign = []
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        if name.parts[0] in _KEEPERS or name.as_posix() in expected:
            continue
        # Links, pipes and empty folders are foreign too; of a full folder, what is in it.
        is_folder = path.is_dir() and not path.is_symlink()
        if not is_folder or (name.as_posix() not in folders and not any(path.iterdir())):
            foreign.append(name.as_posix())
    return sorted(foreign)


def _check_data_file(folder: Path, path: str, file: DataFile) -> None:
    place = str(folder / path)
    same_bytes = _state(folder / path) == (file.bytes, file.sha256)
    hasher = ContentHasher()
    try:
        for table in batches_of(folder / path):
            hasher.update(table)
    except (pa.ArrowException, OSError) as error:
        raise ShelfError(f"{place}: damaged, it cannot be read as Parquet") from error
    except ValueError as error:
        raise ShelfError(f"{place}: {error}") from error
    content = hasher.content()
    if content.sha256 != file.content_sha256 or content.field_sha256 != file.field_sha256:
        raise ShelfError(f"{place}{_first_difference(folder, path, content, file)}")
    if not same_bytes:
        raise ShelfError(
            f"{place}: its rows are those of the manifest, but its bytes are not: "
            "it was damaged or written again"
        )


def _first_difference(folder: Path, path: str, content: Content, file: DataFile) -> str:
    names = pq.read_schema(folder / path).names
    if names != list(file.field_sha256):
        return ": its columns are not those of the manifest"
    differ = [n for n in names if content.field_sha256.get(n) != file.field_sha256[n]]
    if file.row_checks is None:
        fields = ", ".join(repr(name) for name in differ)
        return f": {content.rows} rows in place of {file.rows}, or others: fields {fields}"
    kept = np.fromfile(folder / file.row_checks, dtype="<u4")
    if kept.size != file.rows * len(names):
        return f": {file.row_checks} does not fit it, and its rows are not those of the manifest"
    row, column, identity = _first_unequal(folder / path, kept.reshape(file.rows, len(names)))
    if content.rows < file.rows:
        return f", row {row}: a row is missing: {content.rows} of {file.rows} are there"
    if content.rows > file.rows:
        return f", row {row}: a row too many: {content.rows} in place of {file.rows}"
    if row == file.rows:
        return f", field {differ[0]!r}: its values are not those of the manifest"
    return f", row {row} (id {identity!r}), field {names[column]!r}: changed since the build"


def _first_unequal(
    path: Path, before: np.ndarray[tuple[int, int], np.dtype[np.uint32]]
) -> tuple[int, int, str | None]:
    """Row, column and id of the first cell that differs; the number of rows where none does."""
    start = 0
    for table in batches_of(path):
        own = before[start : start + table.num_rows]
        unequal = own != cell_checks(table)[: len(own)]
        rows = np.flatnonzero(unequal.any(axis=1))
        if len(rows):
            row = int(rows[0])
            identity = table["id"][row].as_py() if "id" in table.column_names else None
            return start + row, int(unequal[row].argmax()), identity
        start += len(own)
    return start, 0, None


def _state(path: Path) -> tuple[int, str]:
    return path.stat().st_size, sha256_of_file(path)
