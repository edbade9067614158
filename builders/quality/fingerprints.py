"""What is kept of each document to find duplicates: a fraction of a kilobyte, no text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from builders.quality.growing import GrowingArray
from builders.quality.rows import Rows, read_rows
from builders.quality.shingles import LONGEST
from builders.quality.signatures import BINS, Signatures
from builders.quality.stream import Batches

DIGEST_BYTES = 16


class Fingerprints:
    """Digests, signatures, splits and ids of a corpus, by position.

    A document takes 142 bytes and those of its id.

    Parameters
    ----------
    name : str
        Of the corpus, for messages.
    seed : int
        Of the hashes.

    Attributes
    ----------
    too_long : int
        Documents whose text is longer than `LONGEST`, and which have no signature.
    """

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.too_long = 0
        self._signatures_of = Signatures(seed)
        self._digests = GrowingArray(DIGEST_BYTES, np.uint8)
        self._signatures = GrowingArray(BINS, np.uint8)
        self._splits = GrowingArray(1, np.int8)
        self._ids: list[pa.Array] = []

    def __len__(self) -> int:
        return len(self._splits)

    def add(self, rows: Rows) -> None:
        """Take the next rows of the corpus."""
        self._digests.append(digests(rows.encoded))
        self._signatures.append(self._signatures_of.of(rows.encoded))
        self._splits.append(rows.splits[:, None])
        # Copied, since a slice would keep the whole table with its texts alive.
        self._ids.append(pa.array(rows.table["id"].to_pylist(), pa.large_string()))
        self.too_long += sum(len(text) > LONGEST for text in rows.encoded)

    @property
    def digests(self) -> NDArray[np.uint64]:
        """Halves of the digests, of shape (documents, 2), uint64."""
        halves: NDArray[np.uint64] = self._digests.rows.view("<u8")
        return halves

    @property
    def signatures(self) -> NDArray[np.uint8]:
        """Of shape (documents, 125), uint8."""
        return self._signatures.rows

    @property
    def splits(self) -> NDArray[np.int8]:
        """Positions in `SPLITS`, of shape (documents,), int8."""
        splits: NDArray[np.int8] = self._splits.rows[:, 0]
        return splits

    @property
    def ids(self) -> pa.ChunkedArray:
        """The ids, by position."""
        return pa.chunked_array(self._ids, pa.large_string())

    def ids_at(self, positions: Iterable[int]) -> list[str]:
        """The ids of a few documents."""
        ids: list[str] = self.ids.take(pa.array(positions, pa.int64())).to_pylist()
        return ids


def digests(texts: Iterable[bytes]) -> NDArray[np.uint8]:
    """The first 16 bytes of the SHA-256 of each folded text, of shape (texts, 16), uint8."""
    joined = b"".join(hashlib.sha256(text).digest()[:DIGEST_BYTES] for text in texts)
    return np.frombuffer(joined, dtype=np.uint8).reshape(-1, DIGEST_BYTES)


def fingerprints_of(name: str, batches: Batches, *, seed: int) -> Fingerprints:
    """Read a corpus once and keep what tells its duplicates.

    Parameters
    ----------
    name : str
        Of the corpus, for messages.
    batches : Batches
        The corpus.
    seed : int
        Of the hashes.

    Returns
    -------
    Fingerprints
        Of all its documents.
    """
    kept = Fingerprints(name, seed)
    for rows in read_rows(name, batches, ()):
        kept.add(rows)
    return kept
