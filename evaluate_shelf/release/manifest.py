"""`manifest.json`: what a release folder holds, and the hashes that prove it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluate_shelf.bounded import ConfigName, InnerPath, Line, Reason
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_json

MANIFEST = "manifest.json"
Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test")
Kind = Literal["documents", "pairs", "selection", "qrels", "instructions"]
"""What a row is: a document, a pair, some columns of a document, a relevance, an instruction."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DataFile(_Part):
    """One Parquet file of a config's split.

    `bytes` and `sha256` are of the file, `content_sha256` and `field_sha256` of its rows; the
    file named by `row_checks` has the CRC-32 of each value in four little-endian bytes,
    row by row. Rows that follow from another config have no such file: they are compared with
    that config.
    """

    config: ConfigName
    split: Split
    bytes: int = Field(ge=0)
    sha256: Line
    rows: int = Field(ge=0)
    content_sha256: Line
    field_sha256: dict[Line, Line]
    row_checks: InnerPath | None


class PlainFile(_Part):
    """A file of the release that is not data: the card, the caveats, the row checks."""

    bytes: int = Field(ge=0)
    sha256: Line


class ConfigEntry(_Part):
    """One config of the release.

    Attributes
    ----------
    kind : {'documents', 'pairs', 'selection', 'qrels', 'instructions'}
        What a row is.
    derived_from : str or None
        The config of documents that the rows follow from; None for documents themselves.
    group_column : str or None
        The column whose values lie in one split each; the unit that intervals resample.
    counts : dict
        Split, facet, label: number of rows.
    """

    kind: Kind
    content_sha256: Line
    derived_from: ConfigName | None
    group_column: Line | None
    source: Line
    seeds: dict[Line, int]
    columns: dict[Line, str] = Field(alias="schema")
    counts: dict[str, dict[str, dict[str, int]]]
    notes: tuple[Reason, ...]

    model_config = ConfigDict(
        extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True
    )


class Manifest(_Part):
    """The whole of `manifest.json`.

    Attributes
    ----------
    aliases : dict of str to str
        Second names of configs, under which the card names the same files once more.
    checksum : str
        Hash of everything else that the manifest says.
    """

    manifest_version: Literal[2]
    name: Line
    built_with: dict[Line, Line]
    default_config: ConfigName
    configs: dict[ConfigName, ConfigEntry]
    aliases: dict[ConfigName, ConfigName] = {}
    data_files: dict[InnerPath, DataFile]
    other_files: dict[InnerPath, PlainFile]
    checksum: Line = ""

    @property
    def release_id(self) -> str:
        """Twelve hexadecimal digits of what the release says, not of how it was written.

        Two builds from the same inputs and seed have the same id on any machine.
        """
        return sha256_of_json(
            {name: config.content_sha256 for name, config in self.configs.items()}
        )[:12]

    def rows_of(self, config: str) -> dict[Split, int]:
        """Number of rows of each split that a config has."""
        return {
            split: sum(self.data_files[path].rows for path in self.files_of(config, split))
            for split in SPLITS
            if self.files_of(config, split)
        }

    def files_of(self, config: str, split: Split) -> list[str]:
        """Paths of a split's Parquet files, in the order of their shards."""
        return sorted(
            path
            for path, file in self.data_files.items()
            if file.config == config and file.split == split
        )


def config_content_sha256(files: dict[str, DataFile]) -> str:
    """Hash of a config's rows: its files' content hashes by split and shard."""
    return sha256_of_json({path: file.content_sha256 for path, file in sorted(files.items())})


def column_types(schema: pa.Schema) -> dict[str, str]:
    """Names of a table's column types, the same whatever the list items are called inside.

    Examples
    --------
    >>> column_types(pa.schema([("topics", pa.list_(pa.string()))]))
    {'topics': 'list<string>'}
    """
    return {field.name: _type_name(field.type) for field in schema}


def _type_name(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list<{_type_name(kind.value_type)}>"
    if pa.types.is_struct(kind):
        fields = (kind.field(number) for number in range(kind.num_fields))
        return f"struct<{', '.join(f'{f.name}: {_type_name(f.type)}' for f in fields)}>"
    return str(kind)


def read_manifest(folder: Path) -> Manifest:
    """Read and check a release folder's manifest.

    Raises
    ------
    ShelfError
        If there is none, or it is not of the form that this version reads.
    """
    path = folder / MANIFEST
    if not folder.is_dir():
        raise ShelfError(f"{folder}: no such folder")
    if not path.is_file():
        raise ShelfError(
            f"{folder}: no {MANIFEST}, so this is not a release folder; "
            "make one with `shelf build CONFIG --out DIR`"
        )
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        if first["loc"] == ("manifest_version",):
            raise ShelfError(
                f"{path}: a release of another version of SHELF; build it again with this one"
            ) from error
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise ShelfError(f"{path}: {place}: {first['msg']}") from error


def manifest_json(manifest: Manifest) -> dict[str, Any]:
    """The manifest as plain values with its checksum, ready to be written."""
    return {**_without_checksum(manifest), "checksum": checksum_of(manifest)}


def checksum_of(manifest: Manifest) -> str:
    """Hash of everything that a manifest says but its checksum."""
    return sha256_of_json(_without_checksum(manifest))


def _without_checksum(manifest: Manifest) -> dict[str, Any]:
    return manifest.model_dump(mode="json", by_alias=True, exclude={"checksum"})
