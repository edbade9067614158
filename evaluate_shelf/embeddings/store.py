"""Vectors on disk: one memory-mapped file for the texts of a config, resumable in the middle."""

from __future__ import annotations

import errno
import os
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from filelock import FileLock
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluate_shelf.embeddings.encoding import Encoding
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file, write_json
from evaluate_shelf.models.protocol import Vectors

_STATE = "state.json"
_VECTORS = "vectors.f32"
_SECONDS_BETWEEN_CHECKPOINTS = 2.0


class State(BaseModel):
    """What a store knows of its vectors.

    Attributes
    ----------
    texts : int
        How many vectors there are in all.
    batches : int
        Whole batches that are written and flushed.
    dimension : int
        Of a vector; 0 before the first.
    seconds : float
        Time in the model for all of them.
    tokens, cut : int or None
        Tokens that the model counted, and texts longer than its limit.
    unreported : int
        Answers that did not say how many tokens there were.
    crc32 : int
        Of the vectors of these batches, in the order in which they were encoded.
    sha256 : str or None
        Of the file, once it is whole.
    """

    model_config = ConfigDict(extra="forbid")

    texts: int = Field(ge=0)
    batches: int = Field(default=0, ge=0)
    dimension: int = Field(default=0, ge=0)
    seconds: float = Field(default=0.0, ge=0)
    tokens: int | None = None
    unreported: int = Field(default=0, ge=0)
    cut: int | None = None
    crc32: int = Field(default=0, ge=0)
    sha256: str | None = None


class Stored(NamedTuple):
    """Vectors of a store, in the order of the texts, with what is known of them."""

    vectors: Vectors
    state: State


def stored_vectors(folder: Path, n_texts: int) -> Stored | None:
    """Vectors of a store that is whole; None where it is not there or not finished.

    Parameters
    ----------
    folder : pathlib.Path
        The store.
    n_texts : int
        How many vectors there must be.

    Returns
    -------
    Stored or None
        The vectors are mapped, not read: they take memory only as they are used.

    Raises
    ------
    ShelfError
        If the file is not the one that was written.
    """
    state = _state(folder)
    if state is None or state.sha256 is None:
        return None
    file = folder / _VECTORS
    whole = file.is_file() and file.stat().st_size == 4 * state.dimension * state.texts
    if not whole or state.texts != n_texts or sha256_of_file(file) != state.sha256:
        raise _damaged(folder)
    shape = (state.texts, state.dimension)
    return Stored(np.memmap(file, dtype="<f4", mode="r", shape=shape), state)


def encode_into(folder: Path, n_texts: int, begin: Callable[[], Encoding]) -> Stored:
    """Encode what a store lacks, and give its vectors.

    Parameters
    ----------
    folder : pathlib.Path
        The store; one process at a time writes to it, others wait.
    n_texts : int
        How many vectors there will be.
    begin : callable
        Gives the encoder with its texts; called only if something is lacking.

    Returns
    -------
    Stored
        As `stored_vectors`. After an interruption the encoding goes on behind the last batches
        that were flushed, which happens every two seconds, so that the bytes are those of an
        undisturbed one.
    """
    with _kept_in(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder.with_suffix(".lock"))
        lock.acquire()
    try:
        done = stored_vectors(folder, n_texts)
        if done is None:
            _encode(folder, n_texts, begin())
            done = stored_vectors(folder, n_texts)
    finally:
        lock.release()
    if done is None:
        raise ShelfError(f"{folder}: the vectors were removed while they were written")
    return done


def _encode(folder: Path, n_texts: int, encoding: Encoding) -> None:
    state = _state(folder)
    if state is None or state.texts != n_texts or not (folder / _VECTORS).is_file():
        state = State(texts=n_texts)
    encoding.done, encoding.seconds = state.batches, state.seconds
    encoding.tokens, encoding.unreported = state.tokens, state.unreported
    encoding.cut = state.cut
    encoding.dimension = state.dimension or None
    crc32 = state.crc32
    with _kept_in(folder):
        # Unbuffered, so that nothing is left to be written, and to fail, when it is closed.
        file = (folder / _VECTORS).open("r+b" if state.batches else "w+b", buffering=0)
    with file:
        _check_written(folder, file, state, encoding)
        flushed = time.monotonic()
        for batch, vectors in encoding.batches():
            row_bytes = 4 * vectors.shape[1]
            with _kept_in(folder):
                for row, vector in zip(batch, vectors.astype("<f4"), strict=True):
                    file.seek(row * row_bytes)
                    if file.write(vector.tobytes()) < row_bytes:
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            crc32 = zlib.crc32(vectors.astype("<f4").tobytes(), crc32)
            if time.monotonic() - flushed > _SECONDS_BETWEEN_CHECKPOINTS:
                state = _checkpoint(folder, file, state, encoding, crc32)
                flushed = time.monotonic()
        state = _checkpoint(folder, file, state, encoding, crc32)
        # What is sealed below is what was encoded, and not what became of it since.
        _check_written(folder, file, state, encoding)
    with _kept_in(folder):
        whole = state.model_copy(update={"sha256": sha256_of_file(folder / _VECTORS)})
        write_json(folder / _STATE, whole.model_dump())


def _checkpoint(
    folder: Path, file: BinaryIO, state: State, encoding: Encoding, crc32: int
) -> State:
    """Flush the vectors, then say how many batches are whole."""
    now = state.model_copy(
        update={
            "batches": encoding.done,
            "dimension": encoding.dimension or 0,
            "seconds": round(encoding.seconds, 3),
            "tokens": encoding.tokens,
            "unreported": encoding.unreported,
            "cut": encoding.cut,
            "crc32": crc32,
        }
    )
    with _kept_in(folder):
        os.fsync(file.fileno())
        write_json(folder / _STATE, now.model_dump())
    return now


def _check_written(folder: Path, file: BinaryIO, state: State, encoding: Encoding) -> None:
    """Refuse a file whose finished batches are not those that were written."""
    row_bytes, crc32 = 4 * state.dimension, 0
    for batch in encoding.order()[: state.batches]:
        for row in batch:
            file.seek(row * row_bytes)
            crc32 = zlib.crc32(file.read(row_bytes), crc32)
    if crc32 != state.crc32:
        raise _damaged(folder)


def _state(folder: Path) -> State | None:
    try:
        return State.model_validate_json((folder / _STATE).read_bytes())
    except FileNotFoundError:
        return None
    except (ValidationError, OSError) as error:
        raise _damaged(folder) from error


def _damaged(folder: Path) -> ShelfError:
    return ShelfError(f"{folder}: the stored vectors are damaged; remove this folder")


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    """Name the folder and the way out where the file system refuses."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise ShelfError(
            f"{folder}: vectors cannot be kept there: {reason}; SHELF_CACHE may name another folder"
        ) from error
