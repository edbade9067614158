"""Write assigned documents in pieces, each whole or not there, on all cores."""

from __future__ import annotations

import functools
import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from builders.corpora.columns import written_schema
from builders.gates.verdict import judge
from builders.orders import Order
from builders.writers.lexical import VERSION, LexicalWriter
from builders.writers.lexicon import load_lexicon
from evaluate_shelf.files import replacing
from evaluate_shelf.registry.taxonomy import load_taxonomy
from evaluate_shelf.registry.taxonomy_rows import Length, Register, SubjectClass

Progress = Callable[[int, int], None]

_DOCUMENTS_A_PIECE = 100
# Below so many pieces, starting other processes takes longer than it saves.
_PIECES_FOR_PROCESSES = 20


def written_pieces(
    assigned: Iterator[Order],
    *,
    count: int,
    seed: int,
    folder: Path,
    progress: Progress | None = None,
) -> list[Path]:
    """Write documents, those that an interrupted build wrote already left out.

    Parameters
    ----------
    assigned : iterator of Order
        What to write; the same folder always gets the same.
    count : int
        How many there are.
    seed : int
        Of the writing.
    folder : pathlib.Path
        Where the pieces lie; each is a Parquet file with the columns of `written_schema`.
    progress : callable, default=None
        Called with the number of documents written and in all.

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

    def missing() -> Iterator[tuple[Path, list[Order]]]:
        while piece := list(itertools.islice(assigned, _DOCUMENTS_A_PIECE)):
            path = folder / f"documents-{len(paths):06d}.parquet"
            paths.append(path)
            if path.is_file():
                tell(len(piece))
            else:
                yield path, piece

    workers = min(os.cpu_count() or 1, 8)
    if workers > 1 and count > _PIECES_FOR_PROCESSES * _DOCUMENTS_A_PIECE:
        _write_in_processes(missing(), seed, workers, tell)
    else:
        for path, piece in missing():
            tell(write_piece(path, piece, seed))
    return paths


def write_piece(path: Path, piece: Sequence[Order], seed: int) -> int:
    """Write one piece; gives the number of its documents."""
    rows = [_row(order, seed) for order in piece]
    with replacing(path) as temporary:
        pq.write_table(
            pa.Table.from_pylist(rows, schema=written_schema()), temporary, compression="zstd"
        )
    return len(rows)


def _write_in_processes(
    pieces: Iterator[tuple[Path, list[Order]]],
    seed: int,
    workers: int,
    tell: Callable[[int], None],
) -> None:
    # Spawned, since a fork would copy locks that Arrow's threads hold.
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent)
    running: set[Future[int]] = set()
    try:
        for path, piece in pieces:
            running.add(executor.submit(write_piece, path, piece, seed))
            if len(running) >= 2 * workers:
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    tell(future.result())
        for future in running:
            tell(future.result())
    finally:
        executor.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """Leave Ctrl-C to the parent, and do not outlive it where it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:

        def watch() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()


@functools.cache
def _writer(style: str) -> LexicalWriter:
    lexicon = load_lexicon()
    return LexicalWriter(style, lexicon.styles[style], lexicon, load_taxonomy())


@functools.cache
def _rows_of_taxonomy() -> tuple[dict[str, Length], dict[str, Register], dict[str, SubjectClass]]:
    taxonomy = load_taxonomy()
    return (
        {length.id: length for length in taxonomy.lengths},
        {register.id: register for register in taxonomy.registers},
        {subject.code: subject for subject in taxonomy.classes},
    )


def _row(order: Order, seed: int) -> dict[str, Any]:
    lengths, registers, classes = _rows_of_taxonomy()
    spec, writer = order.spec, _writer(order.generator.removeprefix("lexical-writer/"))
    document = writer.write(spec, seed)
    length = lengths[spec.target_length]
    return {
        "id": order.id,
        "text": document.body,
        "title": document.title,
        "body": document.body,
        "word_count": len(document.body.split()),
        "lcc_code": spec.lcc_code,
        "lcc_name": spec.lcc_name,
        "lcc_uri": classes[spec.lcc_code].uri,
        "lcgft_category": spec.lcgft_category,
        "lcgft_form": spec.lcgft_form,
        "topics": list(spec.topics),
        "audience": spec.audience,
        "geographic": list(spec.geographic),
        "target_length": spec.target_length,
        "target_word_range": [length.min_words, length.max_words],
        "register": spec.register,
        "register_description": registers[spec.register].description,
        **asdict(document.provenance),
        "spec_id": spec.spec_id,
        "block_id": spec.block_id,
        "run_id": f"seed{seed}",
        # Null, since the same inputs have to give the same rows from any checkout; the manifest
        # names the versions that built the release.
        "git_commit": None,
        "git_dirty": None,
        "git_branch": None,
        "code_version": f"lexical-{VERSION}",
        "pair_id": order.pair_id,
        "pair_role": order.pair_role,
        "pair_axis": order.pair_axis,
        "thinking_budget": -1,
        "token_multiplier": 1.0,
        **judge(document, spec, length)._asdict(),
    }
