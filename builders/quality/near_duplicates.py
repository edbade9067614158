"""Pairs of documents that nearly agree: proposed by their signatures, verified on their texts.

A pair is of different texts. A text that stands several times is represented by its first
document; its copies are exact duplicates, which are reported as such.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from builders.quality.candidates import MOST_PAIRS, candidate_pairs
from builders.quality.fingerprints import Fingerprints, digests
from builders.quality.parts import (
    MOST_NAMED,
    PairCounts,
    Part,
    pair_counts,
    shown,
)
from builders.quality.rows import folded, read_rows
from builders.quality.shingles import SHINGLE_WORDS, jaccard, shingles
from builders.quality.signatures import probability_missed
from builders.quality.stream import Batches
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.manifest import SPLITS

THRESHOLD = 0.8
LEAST_THRESHOLD = 0.7
"""Below it, more than one pair in a hundred would not be found."""

TEXT_ROOM = 400 << 20

_CHANGED = "the stream gives another text than the first time; it has to be the same each time"


class NearPair(Part):
    """Two documents that nearly agree.

    Attributes
    ----------
    first, second : str
        Their ids, in the order of the corpus.
    first_split, second_split : str
        Where they are.
    jaccard : float
        Similarity of their word 5-grams, to four places.
    """

    first: str
    second: str
    first_split: str
    second_split: str
    jaccard: float


class NearDuplicates(Part):
    """Pairs of documents whose texts differ, but nearly agree.

    Attributes
    ----------
    threshold : float
        Least Jaccard similarity of a pair.
    shingle_words : int
        Words of a shingle.
    probability_missed : dict of str to float
        By similarity, how likely it is that a pair is no candidate; to two digits.
    documents : int
        Documents in at least one pair.
    pairs : PairCounts
        All were verified on their texts.
    candidates : int
        Pairs that the signatures proposed.
    large_buckets : int
        Sets of equal bands in which not every document was compared with every other.
    pairs_left_out : int
        Pairs in large buckets that were not compared, and pairs beyond the most that are kept. A
        pair counts once in each band, so this is more than the number of pairs.
    not_verified : int
        Candidates whose texts were not compared for want of room; of these it is not known
        whether they nearly agree.
    too_long : int
        Documents that were compared with none because their text has more than a mebibyte.
    named : list of NearPair
        At most 50: those across splits first, then the most similar.
    """

    threshold: float
    shingle_words: int
    probability_missed: dict[str, float]
    documents: int
    pairs: PairCounts
    candidates: int
    large_buckets: int
    pairs_left_out: int
    not_verified: int
    too_long: int
    named: list[NearPair]


def near_duplicates(
    kept: Fingerprints,
    batches: Batches,
    *,
    threshold: float = THRESHOLD,
    most_pairs: int = MOST_PAIRS,
    text_room: int = TEXT_ROOM,
) -> NearDuplicates:
    """Find the pairs of different texts that nearly agree.

    Parameters
    ----------
    kept : Fingerprints
        Of the corpus.
    batches : Batches
        The same corpus, of which `text` is read once more if there are candidates.
    threshold : float, default=0.8
        Least Jaccard similarity of word 5-grams, from 0.7 to 1.
    most_pairs : int, default=500000
        Most candidates that are kept; those across splits come first.
    text_room : int, default=419430400
        Most bytes of texts that are held for it at a time.

    Returns
    -------
    NearDuplicates
        Every pair is verified. How likely one is missed is `probability_missed`.

    Raises
    ------
    ShelfError
        If the threshold is out of range or the stream gives other rows than the first time.
    """
    if not LEAST_THRESHOLD <= threshold <= 1:
        raise ShelfError(
            f"near duplicates: threshold {threshold}: give one from {LEAST_THRESHOLD} to 1"
        )
    candidates = candidate_pairs(kept, threshold, most=most_pairs)
    similarity = similarities(kept, batches, candidates.pairs, room=text_room)
    compared = int((~np.isnan(similarity)).sum())
    found = similarity >= threshold
    pairs, similarity = candidates.pairs[found], similarity[found]
    splits = kept.splits[pairs]
    matrix = np.zeros((len(SPLITS), len(SPLITS)), dtype=np.int64)
    np.add.at(matrix, (splits[:, 0], splits[:, 1]), 1)
    return NearDuplicates(
        threshold=threshold,
        shingle_words=SHINGLE_WORDS,
        probability_missed={
            f"{value:g}": float(f"{probability_missed(value):.1e}")
            for value in sorted({threshold, 0.9, 0.95})
        },
        documents=len(np.unique(pairs)),
        pairs=pair_counts(matrix),
        candidates=len(candidates.pairs),
        large_buckets=candidates.large_buckets,
        pairs_left_out=candidates.left_out,
        not_verified=len(candidates.pairs) - compared,
        too_long=kept.too_long,
        named=_named(kept, pairs, similarity),
    )


def similarities(
    kept: Fingerprints, batches: Batches, pairs: NDArray[np.int64], *, room: int = TEXT_ROOM
) -> NDArray[np.float64]:
    """Compare the texts of pairs.

    Parameters
    ----------
    kept : Fingerprints
        Of the corpus.
    batches : Batches
        The same corpus, of which `text` is read once more if there are pairs.
    pairs : numpy.ndarray
        Of shape (pairs, 2), int64, as `Candidates.pairs`.
    room : int, default=419430400
        Most bytes of texts that are held at a time.

    Returns
    -------
    numpy.ndarray
        Jaccard similarity of their word 5-grams, of shape (pairs,), float64; NaN where the
        earlier text could not be held.

    Raises
    ------
    ShelfError
        If the stream gives other rows than the first time.
    """
    similarity = np.full(len(pairs), np.nan)
    last_use = dict(pairs.tolist())  # of an earlier document: the later ones ascend
    held: dict[int, bytes] = {}
    free = room
    for position, text in _texts_at(kept, batches, np.unique(pairs)):
        first, last = np.searchsorted(pairs[:, 1], [position, position + 1])
        own = shingles(text.decode()) if last > first else frozenset()
        for pair in range(first, last):
            earlier = int(pairs[pair, 0])
            if earlier in held:
                similarity[pair] = jaccard(shingles(held[earlier].decode()), own)
            if last_use[earlier] == position:
                free += len(held.pop(earlier, b""))
        if position in last_use and len(text) <= free:
            held[position] = text
            free -= len(text)
    return similarity


def _texts_at(
    kept: Fingerprints, batches: Batches, positions: NDArray[np.int64]
) -> Iterator[tuple[int, bytes]]:
    """The folded texts at some positions of the corpus, read once more."""
    if not len(positions):
        return
    end = 0
    for rows in read_rows(kept.name, batches, ()):
        end = rows.start + len(rows)
        first, last = np.searchsorted(positions, [rows.start, end])
        for position in positions[first:last].tolist():
            text = folded(rows.table["text"][position - rows.start].as_py()).encode()
            if not (digests([text]).view("<u8") == kept.digests[position]).all():
                raise ShelfError(f"{kept.name}, row {position}: {_CHANGED}")
            yield position, text
    if end != len(kept):
        raise ShelfError(f"{kept.name}, row {min(end, len(kept))}: {_CHANGED}")


def _named(
    kept: Fingerprints, pairs: NDArray[np.int64], similarity: NDArray[np.float64]
) -> list[NearPair]:
    splits = kept.splits[pairs]
    within = splits[:, 0] == splits[:, 1]
    best = np.lexsort((-similarity, within))[:MOST_NAMED]
    return [
        NearPair(
            first=shown(first),
            second=shown(second),
            first_split=SPLITS[of_first],
            second_split=SPLITS[of_second],
            jaccard=round(float(value), 4),
        )
        for first, second, (of_first, of_second), value in zip(
            kept.ids_at(pairs[best, 0]),
            kept.ids_at(pairs[best, 1]),
            splits[best],
            similarity[best],
            strict=True,
        )
    ]
