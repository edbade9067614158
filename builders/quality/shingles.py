"""Word 5-grams: as sets, which are exact, and as hashes of whole batches, which are fast."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

SHINGLE_WORDS = 5
LONGEST = 1 << 20
"""Bytes of the longest folded text whose 5-grams are hashed."""

_BATCH = 1 << 18
_BLANK, _LINE = ord(" "), ord("\n")


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """The word 5-grams of a folded text; a shorter text is one shingle by itself.

    Parameters
    ----------
    text : str
        As `folded` gives it.

    Returns
    -------
    frozenset of tuple of str
        Empty for an empty text.

    Examples
    --------
    >>> len(shingles("a rose is a rose is")), shingles("a rose")
    (2, frozenset({('a', 'rose')}))
    """
    words = text.split()
    if len(words) < SHINGLE_WORDS:
        return frozenset([tuple(words)] if words else [])
    return frozenset(zip(*(words[start:] for start in range(SHINGLE_WORDS)), strict=False))


def jaccard(first: frozenset[tuple[str, ...]], second: frozenset[tuple[str, ...]]) -> float:
    """Share of the shingles of either text that both have; 0 where neither has one.

    Examples
    --------
    >>> jaccard(shingles("a b c d e f"), shingles("a b c d e g"))
    0.3333333333333333
    """
    both = len(first & second)
    either = len(first) + len(second) - both
    return both / either if either else 0.0


class ShingleHashes:
    """Hashes of the word 5-grams of many texts at once.

    The hash of a shingle is a polynomial over its UTF-8 bytes, modulo 2**64, with a random value
    for each byte, then mixed. Sums of prefixes give it for every shingle of a batch in a few
    operations on arrays, whatever stands before it.

    Parameters
    ----------
    seed : int
        Another seed gives other hashes; the same one gives the same on any machine.

    Examples
    --------
    >>> texts = [b"one two three four five six", b"zero one two three four five"]
    >>> [(hashes, texts_of)] = ShingleHashes(0).batches(texts)
    >>> bool(hashes[0] == hashes[3]), len(set(hashes.tolist())), texts_of.tolist()
    (True, 3, [0, 0, 1, 1])
    """

    def __init__(self, seed: int) -> None:
        self._of_byte = random_words(seed, "bytes", 256)
        # Odd, so that it has an inverse.
        self._base = int(random_words(seed, "base", 1)[0]) | 1
        self._powers = self._inverse_powers = np.empty(0, dtype=np.uint64)

    def batches(
        self, texts: Sequence[bytes]
    ) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
        """Hash the shingles of texts.

        Parameters
        ----------
        texts : sequence of bytes
            Folded texts in UTF-8, none of them empty or longer than `LONGEST`.

        Yields
        ------
        hashes : numpy.ndarray
            Of shape (shingles,), uint64, in the order of the texts; equal shingles stand as often
            as they do in their text.
        texts_of : numpy.ndarray
            Position in `texts` of each shingle, of shape (shingles,), int64.
        """
        for first, last in _pieces(texts):
            hashes, texts_of = self._hashes(b"\n".join(texts[first:last]))
            yield hashes, texts_of + first

    def _hashes(self, joined: bytes) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        data = np.frombuffer(joined, dtype=np.uint8)
        self._grow(max(len(data), _BATCH))
        starts, ends, texts_of = _spans(data)
        sums = np.zeros(len(data) + 1, dtype=np.uint64)
        terms = self._of_byte[data]
        terms *= self._powers[: len(data)]
        np.cumsum(terms, out=sums[1:])
        hashes = (sums[ends] - sums[starts]) * self._inverse_powers[starts]
        return mixed(hashes), texts_of

    def _grow(self, length: int) -> None:
        """Have the powers for as many bytes; few texts are longer than a batch."""
        if length > len(self._powers):
            self._powers = _powers_of(self._base, length)
            self._inverse_powers = _powers_of(pow(self._base, -1, 1 << 64), length)


def random_words(seed: int, key: str, count: int) -> NDArray[np.uint64]:
    """Random 64-bit numbers that belong to a seed and a key, the same on any machine."""
    digest = hashlib.shake_256(f"{seed}\x1f{key}".encode()).digest(8 * count)
    return np.frombuffer(digest, dtype="<u8").astype(np.uint64)


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread each number's bits over all 64: the finaliser of splitmix64, one to one."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _pieces(texts: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Stretches of texts that fit the processor's cache, at least one text each."""
    first = size = 0
    for position, text in enumerate(texts):
        if position > first and size + len(text) > _BATCH:
            yield first, position
            first, size = position, 0
        size += len(text) + 1
    if first < len(texts):
        yield first, len(texts)


def _spans(
    data: NDArray[np.uint8],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Where each shingle starts and ends, and in which text it is."""
    word_ends = np.append(np.flatnonzero((data == _BLANK) | (data == _LINE)), len(data))
    word_starts = np.append(0, word_ends[:-1] + 1)
    last_words = np.append(np.flatnonzero(data[word_ends[:-1]] == _LINE), len(word_ends) - 1)
    words = np.diff(last_words, prepend=-1)
    counts = np.maximum(words - SHINGLE_WORDS + 1, 1)
    texts_of = np.repeat(np.arange(len(words)), counts)
    # Positions of a text's shingles count up from its first word.
    first_shingles = np.cumsum(counts) - counts
    shift = (last_words - words + 1) - first_shingles
    first = np.arange(len(texts_of)) + shift[texts_of]
    last = np.minimum(first + SHINGLE_WORDS - 1, last_words[texts_of])
    return word_starts[first], word_ends[last], texts_of


def _powers_of(base: int, count: int) -> NDArray[np.uint64]:
    factors = np.full(count, base, dtype=np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)
