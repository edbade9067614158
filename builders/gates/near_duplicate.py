"""G6: a document is not nearly the same as an earlier one of its corpus.

Earlier is what has the smaller id, so the verdict depends neither on who wrote first nor on how
the corpus is read. Documents that other gates refuse are compared with as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from builders.quality.candidates import candidate_pairs
from builders.quality.fingerprints import Fingerprints, digests, fingerprints_of
from builders.quality.near_duplicates import LEAST_THRESHOLD, similarities
from builders.quality.signatures import BINS
from builders.quality.stream import Batches

NEAR_DUPLICATE = 0.9
"""Least similarity to an earlier document at which a document is refused."""

LEAST_SIMILARITY = LEAST_THRESHOLD
"""Similarities below it are not looked for, and are given as 0."""

NONE = -1
_SEED = 42
_CHANCE = 1 / 256  # to agree in a bin by accident


@dataclass(frozen=True)
class Nearest:
    """The most similar earlier document of each document.

    Attributes
    ----------
    similarity : numpy.ndarray
        Jaccard similarity of word 5-grams, of shape (documents,), float64, to four places, in the
        order of the corpus; 1 for equal texts, 0 where none of 0.7 or more was found. Case and
        white space do not count. A document without words is similar to none.
    earlier : numpy.ndarray
        Position of that document, of shape (documents,), int64; -1 for none.
    estimated : int
        Pairs whose texts were not compared for want of room; their similarity is that of their
        signatures.
    left_out : int
        Pairs in large groups of alike documents that were not compared; each is counted in every
        band that the two have in common.
    too_long : int
        Documents of more than a mebibyte, which were compared with equal ones alone.
    """

    similarity: NDArray[np.float64]
    earlier: NDArray[np.int64]
    estimated: int
    left_out: int
    too_long: int


def nearest_earlier(name: str, batches: Batches) -> Nearest:
    """Find the most similar earlier document of each document of a corpus.

    Parameters
    ----------
    name : str
        Of the corpus, for messages.
    batches : Batches
        The corpus, which is read twice; `split` may be anything.

    Returns
    -------
    Nearest

    Examples
    --------
    >>> from builders.quality.stream import batches_of
    >>> table = pa.table({"id": ["b", "a"], "text": ["It rained. "] * 2, "split": ["train"] * 2})
    >>> found = nearest_earlier("wells", batches_of(table))
    >>> found.similarity.tolist(), found.earlier.tolist()
    ([1.0, 0.0], [1, -1])
    """
    kept = fingerprints_of(name, batches, seed=_SEED)
    firsts, group_of = _groups(kept)
    similarity = np.zeros(len(kept))
    earlier = np.full(len(kept), NONE, dtype=np.int64)
    is_copy = firsts[group_of] != np.arange(len(kept))
    is_copy &= ~_without_words(kept)
    similarity[is_copy], earlier[is_copy] = 1.0, firsts[group_of[is_copy]]

    candidates = candidate_pairs(kept, LEAST_SIMILARITY)
    found = similarities(kept, batches, candidates.pairs)
    unknown = np.isnan(found)
    found[unknown] = _estimated(kept, candidates.pairs[unknown])
    alike = found >= LEAST_SIMILARITY
    ranks = _ranks(kept)
    for pair, value in zip(candidates.pairs[alike], found[alike].round(4), strict=True):
        # Its copies have its text: what is before the first of them is before them all.
        before, after = sorted(firsts[group_of[pair]], key=ranks.__getitem__)
        if value > similarity[after]:
            similarity[after], earlier[after] = value, before
    return Nearest(
        similarity, earlier, int(unknown.sum()), candidates.left_out, too_long=kept.too_long
    )


def _ranks(kept: Fingerprints) -> NDArray[np.int64]:
    """Place of each document in the order of ids."""
    order = np.asarray(pc.sort_indices(kept.ids.combine_chunks()), dtype=np.int64)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _groups(kept: Fingerprints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each different text the position of its first document, and of each document its text."""
    if not len(kept):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    _, group_of = np.unique(kept.digests, axis=0, return_inverse=True)
    group_of = group_of.reshape(-1)
    order = np.argsort(_ranks(kept), kind="stable")
    firsts = np.empty(int(group_of.max()) + 1, dtype=np.int64)
    # Of values for one place the last one stays, so the first document comes last.
    firsts[group_of[order[::-1]]] = order[::-1]
    return firsts, group_of


def _without_words(kept: Fingerprints) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = (kept.digests == digests([b""]).view("<u8")).all(axis=1)
    return same


def _estimated(kept: Fingerprints, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    first, second = kept.signatures[pairs[:, 0]], kept.signatures[pairs[:, 1]]
    share: NDArray[np.float64] = (first == second).sum(axis=1) / BINS
    return (share - _CHANCE) / (1 - _CHANCE)


def table_of(ids: list[str], texts: list[str]) -> pa.Table:
    """Documents as a corpus that `nearest_earlier` reads."""
    return pa.table({"id": ids, "text": texts, "split": ["train"] * len(ids)})
