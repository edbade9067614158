"""Lexical overlap of texts, in whole numbers alone, so that it is the same on any machine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from builders.task_configs.drawing.hashed import Codes, HashStream
from builders.task_configs.drawing.record import Conflict, Pairs, joined

_WORD = re.compile(r"[^\W_]+")

# A word that more than a tenth of the texts have is left out, unless so few texts have it.
_FREQUENT = 10
_FEW = 50

# Weights count sixteenths of a doubling of rarity, overlaps count millionths.
_FINENESS = 16
_WHOLE = 10**6

# Texts that are read, and rows that are compared, at a time.
_BLOCK = 256


class Overlaps:
    """Texts that can be compared.

    The overlap of two texts is the weight of the words that both have, out of the weight of the
    words that one of them has (weighted Jaccard), in millionths, rounded down. A word counts once
    a text; the weight of a word that d of N texts have is 16 log2(N / d), rounded down.

    Parameters
    ----------
    read : callable
        From positions, an array of at most 256, to their texts.
    positions : numpy.ndarray of int64, shape (k,)
        The texts to compare.

    Examples
    --------
    >>> texts = ["ships at sea", "a sea of ships", "law of land", "land law"]
    >>> overlaps = Overlaps(lambda positions: [texts[p] for p in positions], np.arange(4))
    >>> overlaps.of(Pairs(np.array([0, 0]), np.array([1, 2]))).tolist()
    [285714, 0]
    """

    def __init__(self, read: Callable[[Codes], Sequence[str]], positions: Codes) -> None:
        from scipy.sparse import csr_matrix

        offsets, words, names = _words(read, positions)
        texts_with = np.bincount(words, minlength=names)
        limit = max(len(positions) // _FREQUENT, min(_FEW, len(positions)))
        weight = _weights(texts_with, len(positions))
        weight[texts_with > limit] = 0
        shape = (len(positions), max(names, 1))
        self._weighted = csr_matrix((weight[words], words, offsets), shape=shape)
        self._weighted.eliminate_zeros()
        self._present = self._weighted.sign()
        self._total: Codes = np.asarray(self._weighted.sum(axis=1), dtype=np.int64).ravel()

    def of(self, pairs: Pairs) -> Codes:
        """The overlap of each pair of rows, shape (pairs,)."""
        parts = [
            np.asarray(
                self._weighted[pairs.first[rows]].multiply(self._present[pairs.second[rows]]).sum(1)
            ).ravel()
            for rows in _blocks(len(pairs))
        ]
        common = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
        return _overlap(common, self._total[pairs.first], self._total[pairs.second])

    def nearest(
        self, rows: Codes, k: int, conflict: Conflict, stream: HashStream
    ) -> tuple[Pairs, Codes]:
        """The pairs of each row with the `k` rows that overlap most with it.

        Parameters
        ----------
        rows : numpy.ndarray of int64
            The rows to pair with each other, rising.
        k : int
            The most partners of a row.
        conflict : callable
            Says of arrays of first and second rows which pairs may not be.
        stream : HashStream
            Decides between equal overlaps.

        Returns
        -------
        pairs : Pairs
            Each once, in falling order of overlap, equal ones in random order. A pair without
            overlap is none.
        overlap : numpy.ndarray of int64, shape (pairs,)
        """
        others = self._present[rows].T.tocsc()
        # Equal overlaps are told apart by a random rank, so that the best k are well defined.
        rank = stream.order(len(rows))
        parts: list[Pairs] = []
        for block in _blocks(len(rows)):
            own = rows[block]
            common = (self._weighted[own] @ others).toarray()
            near = _overlap(common, self._total[own][:, None], self._total[rows][None, :])
            near[
                conflict(np.repeat(own, len(rows)), np.tile(rows, len(own))).reshape(near.shape)
            ] = 0
            best = np.argpartition(-(near * len(rows) + rank), min(k, len(rows)) - 1, axis=1)[:, :k]
            row, place = np.nonzero(np.take_along_axis(near, best, axis=1))
            one, other = own[row], rows[best[row, place]]
            parts.append(Pairs(np.minimum(one, other), np.maximum(one, other)))
        pairs = joined(parts)
        # Two rows that are among each other's nearest came twice.
        span = int(rows.max(initial=0)) + 1
        pairs = pairs.where(np.unique(pairs.first * span + pairs.second, return_index=True)[1])
        overlap = self.of(pairs)
        order = np.lexsort((stream.hashes(len(pairs)), -overlap))
        return pairs.where(order), overlap[order]


def _overlap(common: Codes, one: Codes, other: Codes) -> Codes:
    result: Codes = common * _WHOLE // np.maximum(one + other - common, 1)
    return result


def _weights(texts_with: Codes, texts: int) -> Codes:
    """Weight of each word, by how many texts have it; exact, since Python's integers are."""
    numbers, inverse = np.unique(texts_with, return_inverse=True)
    # The bit length of floor(x) is one more than floor(log2(x)).
    weights = [
        (texts**_FINENESS // number**_FINENESS).bit_length() - 1 for number in numbers.tolist()
    ]
    return np.array(weights, dtype=np.int64)[inverse]


def _words(read: Callable[[Codes], Sequence[str]], positions: Codes) -> tuple[Codes, Codes, int]:
    """Codes of the different words of each text: where each text's begin, all of them, how many."""
    codes: dict[str, int] = {}
    ends = [0]
    parts: list[Codes] = []
    for block in _blocks(len(positions)):
        texts = read(positions[block])
        if len(texts) != len(positions[block]):
            raise ValueError("not as many texts as positions")
        for text in texts:
            different = dict.fromkeys(_WORD.findall(text.lower()))
            own = [codes.setdefault(word, len(codes)) for word in different]
            ends.append(ends[-1] + len(own))
            parts.append(np.array(own, dtype=np.int64))
    words = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
    return np.array(ends, dtype=np.int64), words, len(codes)


def _blocks(n: int) -> Iterator[slice]:
    for start in range(0, n, _BLOCK):
        yield slice(start, min(start + _BLOCK, n))
