"""Put the rows of a stream into the order of their ids without holding them all."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evaluate_shelf.release.manifest import SPLITS, Split

Stream = Callable[[], Iterable[pa.Table]]
"""Gives the rows of a stream, in parts, as often as it is called."""

DROPPED = -1
"""Stands for a split where a row is in none."""

_ROWS_A_BUCKET = 16_000


def split_codes(splits: Sequence[Split | None]) -> NDArray[np.int8]:
    """Numbers of splits in `SPLITS`, `DROPPED` for None.

    Examples
    --------
    >>> split_codes(["test", None, "train"]).tolist()
    [2, -1, 0]
    """
    code = {split: number for number, split in enumerate(SPLITS)}
    return np.array([code.get(split, DROPPED) for split in splits], dtype=np.int8)  # type: ignore[arg-type]


def by_split_and_id(
    rows: Stream, ids: pa.Array, splits: NDArray[np.int8], scratch: Path
) -> dict[Split, Iterator[pa.Table]]:
    """Sort a stream's rows by split and id.

    Each row goes to the bucket that holds its place; a bucket is then sorted in memory.

    Parameters
    ----------
    rows : callable
        The stream.
    ids : pyarrow.Array of string, shape (n_rows,)
        The rows' ids, in the stream's order.
    splits : ndarray of int8, shape (n_rows,)
        The number of each row's split, `DROPPED` for rows that are left out.
    scratch : pathlib.Path
        Where buckets lie until they are read.

    Returns
    -------
    dict of str to iterator of pyarrow.Table
        For each split that has rows, its rows; each is removed from `scratch` as it is read.
    """
    order = np.asarray(pc.sort_indices(ids))
    place = np.full(len(ids), -1, dtype=np.int64)
    buckets: dict[Split, range] = {}
    count = 0
    first_place = 0
    starts: list[int] = []
    for number, split in enumerate(SPLITS):
        members = order[splits[order] == number]
        if not len(members):
            continue
        place[members] = first_place + np.arange(len(members))
        own = range(0, len(members), _ROWS_A_BUCKET)
        starts.extend(first_place + start for start in own)
        buckets[split] = range(count, count + len(own))
        count += len(own)
        first_place += len(members)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    _distribute(rows, place, np.array(starts, dtype=np.int64), scratch)
    return {split: _sorted_buckets(scratch, numbers) for split, numbers in buckets.items()}


def _distribute(
    rows: Stream, place: NDArray[np.int64], starts: NDArray[np.int64], scratch: Path
) -> None:
    """Write each row, with its place, to its bucket."""
    writers: dict[int, pa.ipc.RecordBatchFileWriter] = {}
    done = 0
    try:
        for table in _gathered(rows(), _ROWS_A_BUCKET):
            own = place[done : done + table.num_rows]
            done += table.num_rows
            placed = table.append_column("_place", pa.array(own))
            bucket = np.where(own < 0, -1, np.searchsorted(starts, own, side="right") - 1)
            for number in np.unique(bucket[bucket >= 0]).tolist():
                if number not in writers:
                    writers[number] = pa.ipc.new_file(
                        scratch / f"{number:06d}.arrow",
                        placed.schema,
                        options=pa.ipc.IpcWriteOptions(compression="lz4"),
                    )
                part = placed.take(np.flatnonzero(bucket == number))
                writers[number].write_table(part.combine_chunks())
    finally:
        for writer in writers.values():
            writer.close()


def _sorted_buckets(scratch: Path, numbers: range) -> Iterator[pa.Table]:
    for number in numbers:
        path = scratch / f"{number:06d}.arrow"
        with pa.ipc.open_file(path) as reader:
            table = reader.read_all()
        yield table.take(pc.sort_indices(table["_place"])).drop_columns("_place")
        path.unlink()


def _gathered(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """The same rows in parts of at least so many, or fewer at the end."""
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        if sum(own.num_rows for own in waiting) >= rows:
            yield pa.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting)
