"""A config's rows as the tasks need them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.registry.taxonomy import Taxonomy
from evaluate_shelf.release.manifest import SPLITS, ConfigEntry, Manifest, Split, read_manifest
from evaluate_shelf.release.taxonomy import taxonomy_of

_LIMIT_HINT = "rebuild the release, or run `shelf verify` on it"


Prose = Callable[[str], pa.ChunkedArray]
"""Gives a long column of a split by its name."""

LONG_COLUMNS = (
    "text",
    "body",
    "prompt",
    "doc_a_title",
    "doc_a_body",
    "doc_b_title",
    "doc_b_body",
)
"""Read only when asked for: where vectors are stored, no text is needed."""


@dataclass(frozen=True)
class Documents:
    """Documents, or pairs of them, of one or several splits.

    Attributes
    ----------
    table : pyarrow.Table
        The rows, in the release's order; the long columns may be absent.
    group_column : str or None
        The column of the resampling unit.
    numbers : ndarray of int64, shape (n,), or None
        Number of each row in its split of the release; None where these are all rows.
    prose : callable or None
        Gives the long columns, for the rows of `table`.
    """

    table: pa.Table
    group_column: str | None
    numbers: NDArray[np.int64] | None = None
    prose: Prose | None = None

    @cached_property
    def ids(self) -> list[str]:
        """The documents' ids."""
        return self.column("id")

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Number of each row in its split of the release."""
        return np.arange(len(self)) if self.numbers is None else self.numbers

    @cached_property
    def groups(self) -> list[str]:
        """The group of each document: the split's group, or the document where it has none."""
        if self.group_column is None:
            return self.ids
        groups = self.column(self.group_column)
        return [g if g is not None else i for g, i in zip(groups, self.ids, strict=True)]

    def arrow(self, name: str) -> pa.ChunkedArray:
        """A column as it is stored.

        Raises
        ------
        ShelfError
            If the config has no such column.
        """
        if name in self.table.column_names:
            return self.table[name]
        if self.prose is not None and name in LONG_COLUMNS:
            return self.prose(name)
        raise ShelfError(f"the config has no column {name!r}; {_LIMIT_HINT}")

    def column(self, name: str) -> list[Any]:
        """Values of a column, in order; raises as `arrow`."""
        values: list[Any] = self.arrow(name).to_pylist()
        return values

    def take(self, rows: Sequence[int]) -> Documents:
        """Some of the rows, named by their positions."""
        prose = self.prose
        return Documents(
            self.table.take(pa.array(rows, pa.int64())),
            self.group_column,
            self.rows[np.asarray(rows, dtype=np.int64)],
            prose and (lambda name: prose(name).take(pa.array(rows, pa.int64()))),
        )

    def followed_by(self, other: Documents, offset: int) -> Documents:
        """These rows and then those of another split, whose numbers begin at `offset`."""
        prose, more = self.prose, other.prose
        return Documents(
            pa.concat_tables([self.table, other.table]),
            self.group_column,
            np.concatenate([self.rows, offset + other.rows]),
            prose
            and more
            and (lambda name: pa.chunked_array(prose(name).chunks + more(name).chunks)),
        )

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

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """The labels that its rows have; raises as `taxonomy_of`."""
        return taxonomy_of(self.folder, self.manifest)

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
            If a file is missing or was changed, the split is empty or an id stands twice, each
            with the file and the row. A text that is empty is refused when it is first read.
        """
        entry = self.config(config)
        paths = self.manifest.files_of(config, split)
        tables = [self._checked_table(path) for path in paths]
        if not sum(table.num_rows for table in tables):
            raise ShelfError(f"{self.folder}: config {config!r}: the {split} split is empty")
        table = pa.concat_tables(tables)
        check_ids(table["id"].to_pylist(), f"{self.folder / paths[0]}")
        return Documents(table, entry.group_column, prose=self._prose(paths))

    def _prose(self, paths: Sequence[str]) -> Prose:
        files = [self.folder / path for path in paths]

        def prose(name: str) -> pa.ChunkedArray:
            parts = [pq.read_table(file, columns=[name])[name] for file in files]
            if name == "text":
                for file, part in zip(files, parts, strict=True):
                    check_texts(part.to_pylist(), f"{file}")
            return pa.chunked_array([chunk for part in parts for chunk in part.chunks], pa.string())

        return prose

    def _checked_table(self, path: str) -> pa.Table:
        file = self.folder / path
        if not file.is_file():
            raise ShelfError(f"{file}: the file is missing; {_LIMIT_HINT}")
        if sha256_of_file(file) != self.manifest.data_files[path].sha256:
            raise ShelfError(
                f"{file}: its bytes are not those of the manifest; "
                f"`shelf verify {self.folder}` names the row and field"
            )
        short = [n for n in pq.read_schema(file).names if n not in LONG_COLUMNS]
        return pq.read_table(file, columns=short)


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
