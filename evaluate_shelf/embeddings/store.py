"""Vectors on disk: one memory-mapped file for the texts of a config, resumable in the middle."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

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
        raise ShelfError(f"{folder}: the stored vectors are damaged; remove this folder")
    return Stored(_mapped(file, state, "r"), state)


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
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        done = stored_vectors(folder, n_texts)
        if done is None:
            _encode(folder, n_texts, begin())
            done = stored_vectors(folder, n_texts)
    if done is None:
        raise ShelfError(f"{folder}: the vectors were removed while they were written")
    return done


def _encode(folder: Path, n_texts: int, encoding: Encoding) -> None:
    file = folder / _VECTORS
    state = _state(folder)
    if state is None or state.texts != n_texts or not file.is_file():
        state = State(texts=n_texts)
    encoding.done, encoding.seconds = state.batches, state.seconds
    encoding.tokens, encoding.unreported = state.tokens, state.unreported
    encoding.cut = state.cut
    encoding.dimension = state.dimension or None
    mapped = _mapped(file, state, "r+") if state.batches else None
    flushed = time.monotonic()
    for batch, vectors in encoding.batches():
        if mapped is None:
            state = state.model_copy(update={"dimension": int(vectors.shape[1])})
            with file.open("wb") as stream:
                stream.truncate(4 * n_texts * state.dimension)
            mapped = _mapped(file, state, "r+")
        mapped[batch] = vectors
        if time.monotonic() - flushed > _SECONDS_BETWEEN_CHECKPOINTS:
            _checkpoint(folder, mapped, state, encoding)
            flushed = time.monotonic()
    state = _checkpoint(folder, mapped, state, encoding)
    whole = state.model_copy(update={"sha256": sha256_of_file(file)})
    write_json(folder / _STATE, whole.model_dump())


def _checkpoint(folder: Path, mapped: np.memmap | None, state: State, encoding: Encoding) -> State:
    """Flush the vectors, then say how many batches are whole."""
    if mapped is not None:
        mapped.flush()
        with (folder / _VECTORS).open("rb+") as stream:
            os.fsync(stream.fileno())
    now = state.model_copy(
        update={
            "batches": encoding.done,
            "seconds": round(encoding.seconds, 3),
            "tokens": encoding.tokens,
            "unreported": encoding.unreported,
            "cut": encoding.cut,
        }
    )
    write_json(folder / _STATE, now.model_dump())
    return now


def _state(folder: Path) -> State | None:
    try:
        return State.model_validate_json((folder / _STATE).read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise ShelfError(f"{folder}: the stored vectors are damaged; remove this folder") from error


def _mapped(file: Path, state: State, mode: Literal["r", "r+"]) -> np.memmap:
    return np.memmap(file, dtype="<f4", mode=mode, shape=(state.texts, state.dimension))
