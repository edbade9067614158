"""Vectors of a list of texts: canonical batches, checked, stored, resumable."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from filelock import FileLock

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file, write_json
from evaluate_shelf.models.protocol import Encoder, Role, Vectors

Progress = Callable[[int, int], None]


def canonical_batches(
    ids: Sequence[str], texts: Sequence[str], batch_size: int
) -> Iterator[list[int]]:
    """Positions of the texts in batches: by length in characters, then by id.

    A text's vector depends in its last bits on the batch it was in, so the batches depend on
    nothing but the texts.

    Examples
    --------
    >>> list(canonical_batches(["b", "a", "c"], ["xx", "xx", "x"], 2))
    [[2, 1], [0]]
    """
    order = sorted(range(len(ids)), key=lambda i: (len(texts[i]), ids[i]))
    for start in range(0, len(order), batch_size):
        yield order[start : start + batch_size]


def encode_all(
    encoder: Encoder,
    ids: Sequence[str],
    texts: Sequence[str],
    *,
    role: Role,
    batch_size: int,
    store: Path | None = None,
    progress: Progress | None = None,
    allow_zero: bool = False,
) -> Vectors:
    """Encode texts in canonical batches.

    Parameters
    ----------
    encoder : Encoder
        The model.
    ids, texts : sequence of str
        What to encode; the ids name a text whose vector cannot be used.
    role : {'document', 'query'}
        Passed on to the model.
    batch_size : int
        The protocol's.
    store : pathlib.Path, default=None
        Folder in which the vectors of exactly these texts and this model are kept. After an
        interruption the encoding goes on behind the last whole batch.
    progress : callable, default=None
        Called with the number of texts done and in all.
    allow_zero : bool, default=False
        Whether a zero vector means something: to TF and TF-IDF, a text without a known term.

    Returns
    -------
    ndarray of float32, shape (n_texts, dimension)
        In the order of `texts`.

    Raises
    ------
    ShelfError
        If the model gives another number of vectors, or NaN, infinity or a zero vector; the
        message names the text's id.
    """
    batches = list(canonical_batches(ids, texts, batch_size))
    dimension: list[int] = []

    def encoded(batch: list[int]) -> Vectors:
        given = encoder.encode([texts[i] for i in batch], role=role)
        vectors = _as_vectors(given, [ids[i] for i in batch], allow_zero)
        if dimension and vectors.shape[1] != dimension[0]:
            raise ShelfError(
                f"the model gave vectors of {vectors.shape[1]} dimensions in one batch and of "
                f"{dimension[0]} in another"
            )
        dimension.append(vectors.shape[1])
        return vectors

    if store is None:
        parts = []
        for number, batch in enumerate(batches):
            parts.append(encoded(batch))
            if progress:
                progress(min((number + 1) * batch_size, len(ids)), len(ids))
        in_order = np.concatenate(parts)
    else:
        store.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(store.with_suffix(".lock")):
            in_order = _through_store(store, batches, encoded, len(ids), batch_size, progress)
    result = np.empty_like(in_order)
    result[np.concatenate(batches)] = in_order
    return result


def _through_store(
    store: Path,
    batches: list[list[int]],
    encoded: Callable[[list[int]], Vectors],
    n_texts: int,
    batch_size: int,
    progress: Progress | None,
) -> Vectors:
    """Read the store, after adding the batches that it lacks."""
    state_file, vector_file = store / "state.json", store / "vectors.f32"
    store.mkdir(parents=True, exist_ok=True)
    state = json.loads(state_file.read_text()) if state_file.is_file() else {"batches": 0}
    done = state["batches"]
    if done < len(batches):
        with vector_file.open("r+b" if vector_file.is_file() else "w+b") as stream:
            # What lies behind the last batch that the state counts was cut off half-way.
            stream.truncate(state.get("bytes", 0))
            stream.seek(0, os.SEEK_END)
            for number in range(done, len(batches)):
                vectors = encoded(batches[number])
                stream.write(vectors.astype("<f4").tobytes())
                stream.flush()
                os.fsync(stream.fileno())
                state = {
                    "batches": number + 1,
                    "bytes": stream.tell(),
                    "dimension": int(vectors.shape[1]),
                }
                write_json(state_file, state)
                if progress:
                    progress(min((number + 1) * batch_size, n_texts), n_texts)
    if "sha256" not in state:
        state["sha256"] = sha256_of_file(vector_file)
        write_json(state_file, state)
    stored = np.fromfile(vector_file, dtype="<f4")
    if stored.size != n_texts * state["dimension"] or (
        sha256_of_file(vector_file) != state["sha256"]
    ):
        raise ShelfError(f"{store}: the stored vectors are damaged; remove this folder")
    return stored.reshape(n_texts, state["dimension"])


def _as_vectors(given: object, ids: Sequence[str], allow_zero: bool) -> Vectors:
    try:
        # Into float32 first: a float64 that is too large for it is infinite there.
        with np.errstate(over="ignore"):
            array = np.asarray(given)
            if np.iscomplexobj(array):
                raise TypeError("complex numbers")
            vectors = array.astype(np.float32)
    except (TypeError, ValueError) as error:
        raise ShelfError(f"the model gave no array of numbers for {ids[0]!r}: {error}") from error
    if vectors.ndim != 2 or len(vectors) != len(ids):
        raise ShelfError(
            f"the model gave an array of shape {vectors.shape} for {len(ids)} texts, "
            f"the first of which is {ids[0]!r}; one row a text is needed"
        )
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        name = ids[int(finite.argmin())]
        raise ShelfError(f"the model gave NaN or infinity in the vector of document {name!r}")
    zero = ~vectors.any(axis=1)
    if zero.any() and not allow_zero:
        raise ShelfError(f"the model gave a zero vector for document {ids[int(zero.argmax())]!r}")
    return vectors
