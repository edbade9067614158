"""Rows on disk, in the order in which they came, until each has its split."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

_ROWS_A_PIECE = 2000
_CHARACTERS_A_PIECE = 8_000_000


class Spool:
    """Rows that are written once, in pieces of bounded size, and read as often as needed.

    Parameters
    ----------
    path : pathlib.Path
        The file; what an interrupted build left there is replaced.
    schema : pyarrow.Schema
        Columns and types.
    remembered : tuple of str
        Columns of few characters that stay in memory.
    """

    def __init__(self, path: Path, schema: pa.Schema, remembered: tuple[str, ...]) -> None:
        self._path, self._schema = path, schema
        self._remembered = pa.schema([schema.field(name) for name in remembered])
        self._columns: list[pa.Table] = [self._remembered.empty_table()]
        self._waiting: list[dict[str, Any]] = []
        self._characters = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        self._writer = pa.ipc.new_file(
            path, schema, options=pa.ipc.IpcWriteOptions(compression="lz4")
        )

    def add(self, row: dict[str, Any], characters: int) -> None:
        """Take a row, of about so many characters."""
        self._waiting.append(row)
        self._characters += characters
        if len(self._waiting) >= _ROWS_A_PIECE or self._characters >= _CHARACTERS_A_PIECE:
            self._write()

    def close(self) -> pa.Table:
        """Finish writing.

        Returns
        -------
        pyarrow.Table
            The remembered columns of all rows.
        """
        self._write()
        self._writer.close()
        return pa.concat_tables(self._columns).combine_chunks()

    def pieces(self) -> Iterator[pa.Table]:
        """Read the rows, piece by piece."""
        with pa.ipc.open_file(self._path) as reader:
            for number in range(reader.num_record_batches):
                yield pa.Table.from_batches([reader.get_batch(number)])

    def remove(self) -> None:
        """Give the disk space back."""
        self._path.unlink()

    def _write(self) -> None:
        if self._waiting:
            table = pa.Table.from_pylist(self._waiting, schema=self._schema)
            self._writer.write_table(table.combine_chunks())
            self._columns.append(table.select(self._remembered.names))
        self._waiting, self._characters = [], 0
