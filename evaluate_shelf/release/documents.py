"""A config's rows as the tasks need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.release.manifest import SPLITS, ConfigEntry, Manifest, Split, read_manifest

_LIMIT_HINT = "rebuild the release, or run `shelf verify` on it"


@dataclass(frozen=True)
class Documents:
    """Documents of one or several splits.

    Attributes
    ----------
    table : pyarrow.Table
        The rows, in the release's order.
    group_column : str or None
        The column of the resampling unit.
    """

    table: pa.Table
    group_column: str | None

    @cached_property
    def ids(self) -> list[str]:
        """The documents' ids."""
        return self.column("id")

    @cached_property
    def groups(self) -> list[str]:
        """The group of each document: the split's group, or the document where it has none."""
        if self.group_column is None:
            return self.ids
        groups = self.column(self.group_column)
        return [g if g is not None else i for g, i in zip(groups, self.ids, strict=True)]

    def column(self, name: str) -> list[Any]:
        """Values of a column, in order.

        Raises
        ------
        ShelfError
            If the config has no such column.
        """
        if name not in self.table.column_names:
            raise ShelfError(f"the config has no column {name!r}; {_LIMIT_HINT}")
        values: list[Any] = self.table[name].to_pylist()
        return values

    def __len__(self) -> int:
        return int(self.table.num_rows)


@dataclass(frozen=True)
class Release:
    """A release folder whose manifest was read; data is read when it is asked for."""

    folder: Path
    manifest: Manifest

    @classmethod
    def open(cls, folder: Path) -> Release:
        """Read the manifest of the release in `folder`."""
        return cls(folder, read_manifest(folder))

    def config(self, name: str) -> ConfigEntry:
        """Give a config's entry of the manifest.

        Raises
        ------
        ShelfError
            If the release has no such config.
        """
        if name not in self.manifest.configs:
            known = ", ".join(sorted(self.manifest.configs))
            raise ShelfError(f"{self.folder}: no config {name!r}; it has: {known}")
        return self.manifest.configs[name]

    def pairs_of(self, config: str, task: str) -> str | None:
        """Name of the pair config for `task` that was drawn from `config`, if there is one."""
        names = (task, f"{config}_{task}")
        for name in names:
            entry = self.manifest.configs.get(name)
            if entry and entry.kind == "pairs" and entry.derived_from == config:
                return name
        return None

    def documents(self, config: str, split: Split) -> Documents:
        """Read one split, checked against the manifest's hash and for what no task can use.

        Raises
        ------
        ShelfError
            If a file is missing or was changed, the split is empty, an id stands twice or a
            text is empty, each with the file and the row.
        """
        entry = self.config(config)
        paths = self.manifest.files_of(config, split)
        tables = [self._checked_table(path) for path in paths]
        if not sum(table.num_rows for table in tables):
            raise ShelfError(f"{self.folder}: config {config!r}: the {split} split is empty")
        table = pa.concat_tables(tables)
        name = f"{self.folder / paths[0]}"
        check_ids(table["id"].to_pylist(), name)
        if "text" in table.column_names:
            check_texts(table["text"].to_pylist(), name)
        return Documents(table, entry.group_column)

    def _checked_table(self, path: str) -> pa.Table:
        file = self.folder / path
        if not file.is_file():
            raise ShelfError(f"{file}: the file is missing; {_LIMIT_HINT}")
        if sha256_of_file(file) != self.manifest.data_files[path].sha256:
            raise ShelfError(
                f"{file}: its bytes are not those of the manifest; "
                f"`shelf verify {self.folder}` names the row and field"
            )
        return pq.read_table(file)


def check_ids(ids: Sequence[str | None], place: str) -> None:
    """Refuse absent and repeated ids, naming file and rows.

    Examples
    --------
    >>> check_ids(["a", "b", "a"], "test.parquet")
    Traceback (most recent call last):
    evaluate_shelf.errors.ShelfError: test.parquet, row 2, field 'id': 'a' stands in row 0 already
    """
    seen: dict[str, int] = {}
    for row, identity in enumerate(ids):
        if not identity:
            raise ShelfError(f"{place}, row {row}, field 'id': no id")
        if identity in seen:
            raise ShelfError(
                f"{place}, row {row}, field 'id': "
                f"{identity!r} stands in row {seen[identity]} already"
            )
        seen[identity] = row


def check_texts(texts: Sequence[str | None], place: str, first_row: int = 0) -> None:
    """Refuse empty and blank texts, naming file and row; `first_row` is the first text's.

    Examples
    --------
    >>> check_texts(["one", " "], "test.parquet")
    Traceback (most recent call last):
    evaluate_shelf.errors.ShelfError: test.parquet, row 1, field 'text': the text is empty
    """
    for row, text in enumerate(texts, start=first_row):
        if text is None or not text.strip():
            raise ShelfError(f"{place}, row {row}, field 'text': the text is empty")


__all__ = ["SPLITS", "Documents", "Release", "check_ids", "check_texts"]
