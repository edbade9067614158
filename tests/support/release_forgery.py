"""Damage a copy of a release, and cover it up as a forger would."""

from __future__ import annotations

import hashlib
import json
import shutil
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
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


def sha256_of_lines(values: Iterable[Any]) -> str:
    return hashlib.sha256(b"".join(line_of(value) + b"\n" for value in values)).hexdigest()


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
        (self.folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

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
                content_sha256=sha256_of_lines(rows),
                field_sha256={
                    name: sha256_of_lines(table[name].to_pylist()) for name in table.column_names
                },
            )
            checks = [zlib.crc32(line_of(row[name])) for row in rows for name in table.column_names]
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
        (self.folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    def _recount_card(self, manifest: dict[str, Any]) -> None:
        front, prose = self.card()
        for info in front["dataset_info"]:
            for split in info["splits"]:
                split["num_examples"] = sum(
                    file["rows"]
                    for file in manifest["data_files"].values()
                    if (file["config"], file["split"]) == (info["config_name"], split["name"])
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
