"""Pairs of texts that may nearly agree, found by sorting the bands of their signatures.

Two texts that agree in the five bytes of a band stand side by side when the band is sorted, so no
index of buckets is held.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from builders.quality.duplicates import first_documents
from builders.quality.fingerprints import Fingerprints
from builders.quality.signatures import BANDS, BINS, band_keys

BUCKET = 16
"""In a bucket of equal bands, a document is compared with so many before it and with the first."""

MOST_PAIRS = 500_000

# The signature of a pair at the threshold is off by so much once in a thousand million times.
_MARGIN = 0.3
_CHUNK = 1 << 15


@dataclass(frozen=True)
class Candidates:
    """Pairs that the signatures propose.

    Attributes
    ----------
    pairs : numpy.ndarray
        Positions of the earlier and the later document, of shape (pairs, 2), int64; sorted by the
        later, then by the earlier one.
    large_buckets : int
        Sets of equal bands in which not every document is compared with every other.
    left_out : int
        Pairs in large buckets that were not compared, and pairs beyond the most that are kept.
        Each band counts its own.
    """

    pairs: NDArray[np.int64]
    large_buckets: int
    left_out: int


def candidate_pairs(kept: Fingerprints, threshold: float, *, most: int = MOST_PAIRS) -> Candidates:
    """Propose pairs of different texts by their signatures alone.

    Parameters
    ----------
    kept : Fingerprints
        Of the corpus.
    threshold : float
        Least Jaccard similarity of the pairs that are looked for.
    most : int, default=500000
        Most pairs that are kept: those across splits, then the first in the corpus.

    Returns
    -------
    Candidates
        Pairs that agree in a band, and in a share of their bins of `threshold - 0.3` or more.
    """
    texts = _comparable(kept)
    found = np.empty(0, dtype=np.int64)
    large_buckets = left_out = 0
    for band in range(BANDS):
        keys = band_keys(kept.signatures, band)[texts]
        order = np.argsort(keys, kind="stable")
        buckets = _bucket_of_each(keys[order])
        large, omitted = _left_out(buckets)
        new = [
            _codes(_alike(kept.signatures, texts[order[places]], threshold - _MARGIN), len(kept))
            for places in _pairs_in_buckets(buckets)
        ]
        found = np.unique(np.concatenate([found, *new]))
        large_buckets += large
        left_out += omitted + max(len(found) - most, 0)
        found = _first_across(found, kept.splits, most)
    return Candidates(_pairs_of(found, len(kept)), large_buckets, left_out)


def _codes(pairs: NDArray[np.int64], documents: int) -> NDArray[np.int64]:
    """Pairs as one number each, which sorts by the later document first."""
    return pairs[:, 1] * documents + pairs[:, 0]


def _pairs_of(codes: NDArray[np.int64], documents: int) -> NDArray[np.int64]:
    later, earlier = np.divmod(codes, max(documents, 1))
    return np.stack([earlier, later], axis=1)


def _first_across(
    codes: NDArray[np.int64], splits: NDArray[np.int8], most: int
) -> NDArray[np.int64]:
    """At most so many pairs, in their order: those across splits, then the first ones."""
    if len(codes) <= most:
        return codes
    pairs = _pairs_of(codes, len(splits))
    within = splits[pairs[:, 0]] == splits[pairs[:, 1]]
    chosen: NDArray[np.int64] = codes[np.sort(np.argsort(within, kind="stable")[:most])]
    return chosen


def _comparable(kept: Fingerprints) -> NDArray[np.int64]:
    """Positions of the first document of each text that has a signature."""
    texts = first_documents(kept.digests)
    signed = np.asarray(kept.signatures.any(axis=1))
    return texts[signed[texts]]


def _bucket_of_each(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """For each of the sorted keys, the place of the first one that is equal."""
    new = np.ones(len(keys), dtype=bool)
    new[1:] = keys[1:] != keys[:-1]
    firsts = np.flatnonzero(new)
    return np.repeat(firsts, np.diff(firsts, append=len(keys)))


def _pairs_in_buckets(buckets: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Pairs of places in one bucket: up to 16 apart, then those with the bucket's first place."""
    for lag in range(1, BUCKET + 1):
        earlier = np.flatnonzero(buckets[lag:] == buckets[:-lag])
        if not len(earlier):
            return
        yield np.stack([earlier, earlier + lag], axis=1)
    far = np.flatnonzero(np.arange(len(buckets)) - buckets > BUCKET)
    yield np.stack([buckets[far], far], axis=1)


def _left_out(buckets: NDArray[np.int64]) -> tuple[int, int]:
    """How many buckets are not compared in full, and how many of their pairs are left out."""
    sizes = np.unique(buckets, return_counts=True)[1]
    # The places up to 17 are compared with all before them, place p leaves out p - 17.
    beyond = sizes[sizes > BUCKET + 2] - BUCKET - 1
    return len(beyond), int((beyond * (beyond - 1) // 2).sum())


def _alike(
    signatures: NDArray[np.uint8], pairs: NDArray[np.int64], least: float
) -> NDArray[np.int64]:
    """The pairs whose signatures agree in that share of the bins or more."""
    agreeing = [
        (signatures[chunk[:, 0]] == signatures[chunk[:, 1]]).sum(axis=1) >= least * BINS
        for chunk in np.array_split(pairs, len(pairs) // _CHUNK + 1)
    ]
    alike: NDArray[np.int64] = pairs[np.concatenate(agreeing)]
    return alike
