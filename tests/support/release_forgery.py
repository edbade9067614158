"""Damage a copy of a release, and cover it up as a forger would."""

from __future__ import annotations

import hashlib
import json
import shutil
import struct
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

Rows = list[dict[str, Any]]


def line_of(value: Any) -> bytes:
    """A value's canonical JSON, from the documented rule."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def hash_of_rows(rows: Rows, schema: pa.Schema) -> str:
    """The content hash of rows, value by value, from the documented rule."""
    return sha256_of_bytes(line_of([len(rows), hashes_of_fields(rows, schema)]))


def hashes_of_fields(rows: Rows, schema: pa.Schema) -> dict[str, str]:
    return {field.name: _hash_of([row[field.name] for row in rows], field.type) for field in schema}


def check_of(value: Any) -> int:
    if value is None:
        return 0xFFFFFFFF
    return zlib.crc32(value.encode() if isinstance(value, str) else line_of(value))


def _hash_of(values: list[Any], kind: pa.DataType) -> str:
    present = bytes(value is not None for value in values)
    lengths, data, inner = b"", b"", {}
    if pa.types.is_list(kind):
        name = "list"
        lengths = b"".join(struct.pack("<q", len(value or [])) for value in values)
        items = [item for value in values for item in value or []]
        inner = {"item": _hash_of(items, kind.value_type)}
    elif pa.types.is_struct(kind):
        name = "struct"
        fields = [kind.field(number) for number in range(kind.num_fields)]
        inner = {
            field.name: _hash_of([(value or {}).get(field.name) for value in values], field.type)
            for field in fields
        }
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        name = "string"
        lengths = b"".join(struct.pack("<q", len((value or "").encode())) for value in values)
        data = "".join(value or "" for value in values).encode()
    elif pa.types.is_floating(kind):
        name = "number"
        data = b"".join(struct.pack("<d", (value or 0.0) + 0.0) for value in values)
    else:
        name = "boolean" if pa.types.is_boolean(kind) else "integer"
        data = b"".join(struct.pack("<q", int(value or 0)) for value in values)
    streams = [sha256_of_bytes(stream) for stream in (present, lengths, data)]
    return sha256_of_bytes(line_of([name, *streams, inner]))


def sha256_of_bytes(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class Release:
    """A release folder that may be damaged."""

    folder: Path

    @classmethod
    def copy_of(cls, source: Path, folder: Path) -> Release:
        shutil.copytree(source, folder)
        return cls(folder)

    def path(self, config: str, split: str = "test") -> Path:
        return self.folder / "data" / config / f"{split}-00000-of-00001.parquet"

    def rows(self, config: str, split: str = "test") -> Rows:
        return pq.read_table(self.path(config, split)).to_pylist()

    def write_rows(self, config: str, split: str, rows: Rows, **options: Any) -> Path:
        """Put other rows in the place of a split's."""
        path = self.path(config, split)
        table = pa.Table.from_pylist(rows, schema=pq.read_schema(path))
        pq.write_table(table, path, **{"compression": "zstd", **options})
        return path

    def change_rows(self, config: str, split: str, change: Callable[[Rows], Rows | None]) -> Path:
        """Change a split's rows by a function, in place or by what it gives back."""
        rows = self.rows(config, split)
        changed = change(rows)
        return self.write_rows(config, split, rows if changed is None else changed)

    def change_row(self, config: str, row: int, split: str = "test", **fields: Any) -> Path:
        return self.change_rows(config, split, lambda rows: rows[row].update(fields))

    @property
    def manifest(self) -> dict[str, Any]:
        return json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))

    def change_manifest(self, change: Callable[[dict[str, Any]], None]) -> None:
        manifest = self.manifest
        change(manifest)
        self.write_manifest(manifest)

    def write_manifest(self, manifest: dict[str, Any]) -> None:
        """Write a manifest with a checksum that fits it."""
        rest = {name: value for name, value in manifest.items() if name != "checksum"}
        forged = {**rest, "checksum": sha256_of_bytes(line_of(rest))}
        (self.folder / "manifest.json").write_text(json.dumps(forged), encoding="utf-8")

    def rehash(self) -> None:
        """Make the manifest, the row checks and the card's numbers those of the files.

        What is left for `shelf verify` is what the rows say.
        """
        manifest = self.manifest
        for path, file in manifest["data_files"].items():
            table = pq.read_table(self.folder / path)
            rows = table.to_pylist()
            file.update(
                _size_and_hash(self.folder / path),
                rows=len(rows),
                content_sha256=hash_of_rows(rows, table.schema),
                field_sha256=hashes_of_fields(rows, table.schema),
            )
            if not file["row_checks"]:
                continue
            checks = [check_of(row[name]) for row in rows for name in table.column_names]
            (self.folder / file["row_checks"]).write_bytes(struct.pack(f"<{len(checks)}I", *checks))
        for name, entry in manifest["configs"].items():
            files = {p: f for p, f in manifest["data_files"].items() if f["config"] == name}
            contents = {path: file["content_sha256"] for path, file in files.items()}
            entry["content_sha256"] = sha256_of_bytes(line_of(contents))
            for split, counts in entry["counts"].items():
                rows = [
                    row
                    for path, file in files.items()
                    if file["split"] == split
                    for row in pq.read_table(self.folder / path).to_pylist()
                ]
                for column in counts:
                    counts[column] = Counter(
                        str(row[column]) for row in rows if row[column] is not None
                    )
        self._recount_card(manifest)
        for path, file in manifest["other_files"].items():
            file.update(_size_and_hash(self.folder / path))
        self.write_manifest(manifest)

    def _recount_card(self, manifest: dict[str, Any]) -> None:
        front, prose = self.card()
        for info in front["dataset_info"]:
            for split in info["splits"]:
                split["num_examples"] = sum(
                    file["rows"]
                    for file in manifest["data_files"].values()
                    if (file["config"], file["split"])
                    == (
                        manifest["aliases"].get(info["config_name"], info["config_name"]),
                        split["name"],
                    )
                )
        self.write_card(front, prose)

    def card(self) -> tuple[dict[str, Any], str]:
        """The front matter and the prose of README.md."""
        text = (self.folder / "README.md").read_text(encoding="utf-8")
        _, front, prose = text.split("---\n", 2)
        return yaml.safe_load(front), prose

    def write_card(self, front: dict[str, Any], prose: str) -> None:
        text = yaml.safe_dump(front, sort_keys=False, allow_unicode=True)
        (self.folder / "README.md").write_text(f"---\n{text}---\n{prose}", encoding="utf-8")


def _size_and_hash(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    return {"bytes": len(content), "sha256": sha256_of_bytes(content)}
