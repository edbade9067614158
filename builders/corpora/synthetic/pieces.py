"""Rows of documents in pieces, each whole or not there, made on all cores."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from builders.corpora.columns import piece_schema
from evaluate_shelf.files import replacing

Progress = Callable[[int, int], None]
ItemT = TypeVar("ItemT")
Rows = Callable[[ItemT], dict[str, Any]]
"""Makes a row of an item, in another process if need be."""

_DOCUMENTS_A_PIECE = 100
# Below so many pieces, starting other processes takes longer than it saves.
_PIECES_FOR_PROCESSES = 20


def written_pieces(
    items: Iterable[ItemT],
    rows: Rows[ItemT],
    *,
    count: int,
    folder: Path,
    progress: Progress | None = None,
) -> list[Path]:
    """Make the rows of items, those that an interrupted build made already left out.

    Parameters
    ----------
    items : iterable
        Orders, or answers; the same folder always gets the same.
    rows : callable
        Makes the row of each, with the columns of `piece_schema`. It can be sent to another
        process.
    count : int
        How many items there are.
    folder : pathlib.Path
        Where the pieces lie; each is a Parquet file.
    progress : callable, default=None
        Called with the number of documents done and in all.

    Returns
    -------
    list of pathlib.Path
        The pieces in order. Rejected documents are in them too.
    """
    paths: list[Path] = []
    done = 0

    def tell(documents: int) -> None:
        nonlocal done
        done += documents
        if progress:
            progress(done, count)

    def missing() -> Iterator[tuple[Path, list[ItemT]]]:
        left = iter(items)
        while piece := list(itertools.islice(left, _DOCUMENTS_A_PIECE)):
            path = folder / f"documents-{len(paths):06d}.parquet"
            paths.append(path)
            if path.is_file():
                tell(len(piece))
            else:
                yield path, piece

    workers = min(os.cpu_count() or 1, 8)
    if workers > 1 and count > _PIECES_FOR_PROCESSES * _DOCUMENTS_A_PIECE:
        _write_in_processes(missing(), rows, workers, tell)
    else:
        for path, piece in missing():
            tell(write_piece(path, piece, rows))
    return paths


def write_piece(path: Path, piece: Sequence[ItemT], rows: Rows[ItemT]) -> int:
    """Write one piece; gives the number of its documents."""
    own = [rows(item) for item in piece]
    with replacing(path) as temporary:
        pq.write_table(
            pa.Table.from_pylist(own, schema=piece_schema()), temporary, compression="zstd"
        )
    return len(own)


def _write_in_processes(
    pieces: Iterator[tuple[Path, list[ItemT]]],
    rows: Rows[ItemT],
    workers: int,
    tell: Callable[[int], None],
) -> None:
    # Spawned, since a fork would copy locks that Arrow's threads hold.
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin)
    running: set[Future[int]] = set()
    try:
        for path, piece in pieces:
            running.add(executor.submit(write_piece, path, piece, rows))
            if len(running) >= 2 * workers:
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    tell(future.result())
        for future in running:
            tell(future.result())
    finally:
        executor.shutdown(cancel_futures=True)


def _begin() -> None:
    """Leave Ctrl-C to the parent, and do not outlive it where it is killed.

    Every core has a process already, so each computes with one thread.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pa.set_cpu_count(1)
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    parent = multiprocessing.parent_process()
    if parent is not None:

        def watch() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()
