"""Rows of a corpus, checked and folded once for everything that counts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from builders.quality.stream import Batches
from evaluate_shelf.diagnostics.masking.names import folded_text as folded
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.manifest import SPLITS

__all__ = ["REQUIRED", "Rows", "folded", "read_rows"]

REQUIRED = ("id", "text", "split")
# Python strings of so many rows are held at a time, however large the stream's tables are.
_ROWS = 1000


@dataclass(frozen=True)
class Rows:
    """Consecutive rows of a corpus.

    Attributes
    ----------
    start : int
        Position of the first row in the corpus.
    table : pyarrow.Table
        The columns that were asked for and are there.
    splits : numpy.ndarray
        Positions in `SPLITS`, of shape (rows,), int8.
    """

    start: int
    table: pa.Table
    splits: NDArray[np.int8]
    _labels: dict[str, list[tuple[str, ...]]] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @cached_property
    def texts(self) -> list[str]:
        """The folded texts."""
        return [folded(text) for text in self.table["text"].to_pylist()]

    @cached_property
    def encoded(self) -> list[bytes]:
        """The folded texts in UTF-8."""
        return [text.encode() for text in self.texts]

    def labels(self, facet: str) -> list[tuple[str, ...]]:
        """The labels of each row in one facet; null and blank ones are none, no label is twice.

        A facet that the corpus lacks has no labels.
        """
        if facet not in self._labels:
            self._labels[facet] = self._read_labels(facet)
        return self._labels[facet]

    def _read_labels(self, facet: str) -> list[tuple[str, ...]]:
        if facet not in self.table.column_names:
            return [()] * len(self)
        return [_labels_of(value) for value in self.table[facet].to_pylist()]


def read_rows(name: str, batches: Batches, columns: Sequence[str]) -> Iterator[Rows]:
    """Read a corpus from its first row to its last.

    Parameters
    ----------
    name : str
        Of the corpus, for messages.
    batches : Batches
        The corpus.
    columns : sequence of str
        Wanted beside `id`, `text` and `split`.

    Yields
    ------
    Rows
        At most 1,000 each.

    Raises
    ------
    ShelfError
        If `id`, `text` or `split` is missing or null, a split has an unknown name, or a column
        holds neither strings nor lists of strings.
    """
    start = 0
    wanted = list(dict.fromkeys((*REQUIRED, *columns)))
    for table in batches(wanted):
        _check_columns(name, table.schema)
        for offset in range(0, table.num_rows, _ROWS):
            piece = table.slice(offset, _ROWS)
            _check_values(name, start, piece)
            yield Rows(start, piece, _splits(name, start, piece))
            start += piece.num_rows


def _check_columns(name: str, schema: pa.Schema) -> None:
    for column in REQUIRED:
        if column not in schema.names:
            raise ShelfError(f"{name}: the stream gives no column {column!r}")
    for field_ in schema:
        lists = field_.name not in REQUIRED
        if not _holds_text(field_.type, lists=lists):
            wanted = "strings or lists of strings" if lists else "strings"
            raise ShelfError(
                f"{name}, field {field_.name!r}: its type is {field_.type}; it has to hold {wanted}"
            )


def _check_values(name: str, start: int, table: pa.Table) -> None:
    for column in REQUIRED:
        if table[column].null_count:
            row = start + int(pc.index(table[column].is_null(), True).as_py())
            raise ShelfError(f"{name}, row {row}, field {column!r}: no value")


def _splits(name: str, start: int, table: pa.Table) -> NDArray[np.int8]:
    codes = pc.index_in(table["split"].cast(pa.string()), value_set=pa.array(SPLITS))
    if codes.null_count:
        row = int(pc.index(codes.is_null(), True).as_py())
        raise ShelfError(
            f"{name}, row {start + row}, field 'split': {table['split'][row].as_py()!r} is none "
            f"of {', '.join(SPLITS)}"
        )
    return np.asarray(codes.to_numpy(), dtype=np.int8)


def _labels_of(value: str | Sequence[str | None] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,) if value.strip() else ()
    return tuple(dict.fromkeys(label for label in value if label and label.strip()))


def _holds_text(kind: pa.DataType, *, lists: bool) -> bool:
    types = pa.types
    if types.is_dictionary(kind):
        return _holds_text(kind.value_type, lists=False)
    if lists and (types.is_list(kind) or types.is_large_list(kind)):
        return _holds_text(kind.value_type, lists=False)
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_null(kind))
