"""Vectors of a list of texts, in canonical batches and checked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from evaluate_shelf.embeddings.checks import checked_vectors
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.protocol import Counting, Encoder, Role, Truncating, Vectors

Progress = Callable[[int, int, float], None]
"""Told the number of texts done, the number in all, and how many seconds are left."""


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


@dataclass
class Encoding:
    """An encoder at work on a list of texts, batch by batch.

    Attributes
    ----------
    encoder : Encoder
        The model.
    ids, texts : sequence of str
        What to encode; the ids name a text whose vector cannot be used.
    role : {'document', 'query'}
        Passed on to the model.
    batch_size : int
        The protocol's.
    allow_zero : bool
        Whether a zero vector means something: to TF and TF-IDF, a text without a known term.
    progress : callable or None
        Told how far it is.
    done : int
        Number of batches that are encoded already.
    seconds : float
        Time in the model, warm-up included.
    tokens : int or None
        Tokens that the model counted; None where it counts none.
    unreported : int
        Answers that did not say how many.
    cut : int or None
        Texts longer than the model's limit; None where it does not tell.
    dimension : int or None
        Of the vectors, once it is known.
    """

    encoder: Encoder
    ids: Sequence[str]
    texts: Sequence[str]
    role: Role
    batch_size: int
    allow_zero: bool = False
    progress: Progress | None = None
    done: int = 0
    seconds: float = 0.0
    tokens: int | None = None
    unreported: int = 0
    cut: int | None = None
    dimension: int | None = None
    _session_seconds: float = field(default=0.0, init=False)
    _session_characters: int = field(default=0, init=False)

    def batches(self) -> Iterator[tuple[list[int], Vectors]]:
        """Positions and vectors of each batch that is not done; the longest texts come first.

        So a model that runs out of memory does so at once, and the time left is no less than
        what the first batches promise.

        Raises
        ------
        ShelfError
            If the model gives another number of vectors, or NaN, infinity or a zero vector; the
            message names the text's id.
        """
        pending = self.order()[self.done :]
        n_left = sum(len(batch) for batch in pending)
        characters_left = sum(self._characters(batch) for batch in pending)
        for batch in pending:
            vectors = self._encoded(batch)
            self.done += 1
            n_left -= len(batch)
            characters_left -= self._characters(batch)
            yield batch, vectors
            if self.progress:
                rate = self._session_seconds / max(self._session_characters, 1)
                self.progress(len(self.ids) - n_left, len(self.ids), rate * characters_left)

    def order(self) -> list[list[int]]:
        """Positions of the texts of each batch, in the order in which they are encoded."""
        return list(canonical_batches(self.ids, self.texts, self.batch_size))[::-1]

    def in_memory(self) -> Vectors:
        """Encode all of the texts, shape (n_texts, dimension), in their order."""
        result = np.empty((0, 0), dtype=np.float32)
        for batch, vectors in self.batches():
            if not result.size:
                result = np.empty((len(self.ids), vectors.shape[1]), dtype=np.float32)
            result[batch] = vectors
        return result

    def _characters(self, batch: Sequence[int]) -> int:
        return sum(len(self.texts[i]) for i in batch)

    def _encoded(self, batch: list[int]) -> Vectors:
        texts = [self.texts[i] for i in batch]
        before, unreported = None, 0
        if isinstance(self.encoder, Counting):
            before, unreported = self.encoder.tokens, self.encoder.unreported
        began = time.perf_counter()
        given = self.encoder.encode(texts, role=self.role)
        seconds = time.perf_counter() - began
        self.seconds += seconds
        self._session_seconds += seconds
        self._session_characters += self._characters(batch)
        vectors = checked_vectors(given, [self.ids[i] for i in batch], self.allow_zero)
        if self.dimension not in (None, vectors.shape[1]):
            raise ShelfError(
                f"the model gave vectors of {vectors.shape[1]} dimensions in one batch and of "
                f"{self.dimension} in another"
            )
        self.dimension = int(vectors.shape[1])
        if before is not None and isinstance(self.encoder, Counting):
            self.tokens = (self.tokens or 0) + self.encoder.tokens - before
            self.unreported += self.encoder.unreported - unreported
        if isinstance(self.encoder, Truncating):
            self.cut = (self.cut or 0) + self.encoder.count_cut(texts, role=self.role)
        return vectors


def encode_all(
    encoder: Encoder,
    ids: Sequence[str],
    texts: Sequence[str],
    *,
    role: Role,
    batch_size: int,
    progress: Progress | None = None,
    allow_zero: bool = False,
) -> Vectors:
    """Encode texts in canonical batches, in memory.

    Parameters
    ----------
    encoder, ids, texts, role, batch_size, progress, allow_zero
        As for `Encoding`.

    Returns
    -------
    ndarray of float32, shape (n_texts, dimension)
        In the order of `texts`.

    Raises
    ------
    ShelfError
        As `Encoding.batches`.
    """
    return Encoding(encoder, ids, texts, role, batch_size, allow_zero, progress).in_memory()
