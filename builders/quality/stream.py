"""A corpus as a stream of tables that can be opened again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import pyarrow as pa


class Batches(Protocol):
    """Opens a corpus at its first row.

    Each call gives the same rows in the same order; how they are cut into tables is free.

    Parameters
    ----------
    columns : sequence of str
        The columns that are wanted. `id`, `text` and `split` are always there; another one that
        the corpus lacks is left out of the tables.

    Returns
    -------
    iterator of pyarrow.Table
        A few thousand rows each.
    """

    def __call__(self, columns: Sequence[str], /) -> Iterator[pa.Table]:
        """Open the corpus."""
        ...


def batches_of(table: pa.Table, *, rows: int = 1000) -> Batches:
    """A table in memory as a stream.

    Parameters
    ----------
    table : pyarrow.Table
        The corpus.
    rows : int, default=1000
        Rows a batch.

    Returns
    -------
    Batches
        A stream that can be opened any number of times.

    Examples
    --------
    >>> stream = batches_of(pa.table({"id": ["a", "b", "c"], "split": ["train"] * 3}), rows=2)
    >>> [batch["id"].to_pylist() for batch in stream(["id", "model"])]
    [['a', 'b'], ['c']]
    """

    def batches(columns: Sequence[str], /) -> Iterator[pa.Table]:
        chosen = table.select([name for name in columns if name in table.column_names])
        for start in range(0, table.num_rows, rows):
            yield chosen.slice(start, rows)

    return batches
