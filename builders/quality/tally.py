"""Counts of values in rows that stream by, held in Arrow and not as Python objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.release.manifest import SPLITS

_FEW = 1 << 16


class SplitTally:
    """How many rows of each split have a value.

    Examples
    --------
    >>> tally = SplitTally()
    >>> tally.add(["b", "a", "b"], [0, 0, 2])
    >>> values, counts = tally.counts()
    >>> values.to_pylist(), counts.tolist()
    (['a', 'b'], [[1, 0, 0], [1, 0, 1]])
    """

    def __init__(self) -> None:
        self._parts: list[pa.Table] = []
        self._rows = self._rows_after_merge = 0

    def add(self, values: Sequence[str], splits: Sequence[int] | NDArray[np.int8]) -> None:
        """Count rows.

        Parameters
        ----------
        values : sequence of str
            One a row.
        splits : sequence of int
            Positions in `SPLITS`, one a row.
        """
        if not len(values):
            return
        self._parts.append(_counted(values, splits))
        self._rows += self._parts[-1].num_rows
        # Merged when the parts have doubled, so that the work grows with the rows alone.
        if self._rows > max(_FEW, 2 * self._rows_after_merge):
            self._merge()

    def counts(self) -> tuple[pa.ChunkedArray, NDArray[np.int64]]:
        """Give the values and their rows by split.

        Returns
        -------
        values : pyarrow.ChunkedArray
            In the order of their code points.
        counts : numpy.ndarray
            Of shape (values, 3), int64.
        """
        self._merge()
        table = self._parts[0].sort_by("value")
        return table["value"], np.stack([table[split].to_numpy() for split in SPLITS], axis=1)

    def _merge(self) -> None:
        self._parts = [_summed(pa.concat_tables(self._parts or [_counted([], [])]))]
        self._rows = self._rows_after_merge = self._parts[0].num_rows


def _counted(values: Sequence[str], splits: Sequence[int] | NDArray[np.int8]) -> pa.Table:
    own = np.asarray(splits)
    columns: dict[str, Any] = {"value": pa.array(values, pa.large_string())}
    for number, split in enumerate(SPLITS):
        columns[split] = pa.array(own == number).cast(pa.int64())
    return _summed(pa.table(columns))


def _summed(table: pa.Table) -> pa.Table:
    # One thread, since several give the groups in an order of their own.
    grouped = table.group_by("value", use_threads=False)
    sums = grouped.aggregate([(split, "sum") for split in SPLITS])
    columns: dict[str, Any] = {"value": sums["value"]}
    for split in SPLITS:
        columns[split] = sums[f"{split}_sum"]
    return pa.table(columns)
