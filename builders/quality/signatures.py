"""MinHash signatures of texts, 125 bytes each.

One 64-bit hash a shingle puts it into one of 125 bins and orders it there; the smallest of each
bin stands for the bin (one-permutation hashing). An empty bin takes over the value of another bin
in an order drawn for it alone ("optimal densification"), so that every two texts agree in a bin
with a probability of their Jaccard similarity. Of each value one byte is kept, so that texts
without anything in common agree in a bin with a probability of 1/256.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from builders.quality.shingles import LONGEST, ShingleHashes, mixed, random_words

BANDS = 25
BAND_ROWS = 5
BINS = BANDS * BAND_ROWS

_EMPTY = np.uint32(0xFFFFFFFF)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


class Signatures:
    """Signatures of texts.

    Parameters
    ----------
    seed : int
        Of the hashes.

    Examples
    --------
    >>> signatures = Signatures(0).of([b"one two three", b"one two three", b"four"])
    >>> bool((signatures[0] == signatures[1]).all()), bool((signatures[0] == signatures[2]).all())
    (True, False)
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._hashes = ShingleHashes(seed)

    def of(self, texts: Sequence[bytes]) -> NDArray[np.uint8]:
        """Give the signatures of texts.

        Parameters
        ----------
        texts : sequence of bytes
            Folded, in UTF-8.

        Returns
        -------
        numpy.ndarray
            Of shape (texts, 125), uint8; zeros for a text that `has_signature` refuses.
        """
        chosen = [row for row, text in enumerate(texts) if has_signature(text)]
        result = np.zeros((len(texts), BINS), dtype=np.uint8)
        result[chosen] = self._signatures([texts[row] for row in chosen])
        return result

    def _signatures(self, texts: Sequence[bytes]) -> NDArray[np.uint8]:
        smallest = np.full((len(texts), BINS), _EMPTY, dtype=np.uint32)
        cells = smallest.reshape(-1)
        for hashes, texts_of in self._hashes.batches(texts):
            bins = ((hashes >> _HALF) * np.uint64(BINS)) >> _HALF
            values = (hashes & _LOW).astype(np.uint32)
            np.minimum.at(cells, texts_of * BINS + bins.astype(np.int64), values)
        self._densify(smallest)
        # The bin is mixed in, or the copies of one value would agree by chance all together.
        return (mixed(smallest.astype(np.uint64) + self._of_bin) >> np.uint64(56)).astype(np.uint8)

    def _densify(self, smallest: NDArray[np.uint32]) -> None:
        """Fill the empty bins in place, each from the first bin in its own order that is not."""
        own = smallest.copy()
        rows, bins = np.nonzero(own == _EMPTY)
        for donors in self._donors:
            if not len(rows):
                break
            taken = own[rows, donors[bins]]
            smallest[rows, bins] = taken
            left = taken == _EMPTY
            rows, bins = rows[left], bins[left]

    @cached_property
    def _donors(self) -> NDArray[np.int64]:
        """A permutation of the bins in the column of each bin, of shape (bins, bins)."""
        keys = random_words(self._seed, "donors", BINS * BINS).reshape(BINS, BINS)
        return np.argsort(keys, axis=0, kind="stable")

    @cached_property
    def _of_bin(self) -> NDArray[np.uint64]:
        return random_words(self._seed, "bins", BINS)


def has_signature(text: bytes) -> bool:
    """Whether a folded text has words, and no more than can be compared."""
    return 0 < len(text) <= LONGEST


def band_keys(signatures: NDArray[np.uint8], band: int) -> NDArray[np.uint64]:
    """The five bytes of a band of each signature as one number, of shape (texts,), uint64."""
    keys = np.zeros(len(signatures), dtype=np.uint64)
    for column in range(band * BAND_ROWS, (band + 1) * BAND_ROWS):
        keys = (keys << np.uint64(8)) | signatures[:, column]
    return keys


def probability_missed(jaccard: float) -> float:
    """Probability that two texts agree in no whole band, and so are not compared.

    Bins are taken to agree independently of each other.

    Parameters
    ----------
    jaccard : float
        Their similarity.

    Returns
    -------
    float
        (1 - p^5)^25, where p is the probability to agree in a bin.

    Examples
    --------
    >>> [float(f"{probability_missed(j):.1e}") for j in (0.1, 0.3, 0.5, 0.7, 0.8, 0.9)]
    [1.0, 0.94, 0.45, 0.0096, 4.6e-05, 1.9e-10]
    """
    bin_agrees: float = jaccard + (1 - jaccard) / 256
    missed: float = (1 - bin_agrees**BAND_ROWS) ** BANDS
    return missed
