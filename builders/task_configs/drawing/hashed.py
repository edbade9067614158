"""Random arrays that are the same on every machine and under every version of numpy.

This is the one place that draws arrays at random. Every number is a hash of a key and a counter
(splitmix64), computed in unsigned 64-bit integers, whose arithmetic is exact everywhere. Random
order is the order of hashes. Nothing is taken from numpy's generators, whose streams may change.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]
Codes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def mixed(values: Hashes) -> Hashes:
    """The finalizer of splitmix64: a one-to-one map that spreads every bit over all others.

    Parameters
    ----------
    values : numpy.ndarray of uint64
        Any shape.

    Returns
    -------
    numpy.ndarray of uint64
        Of the same shape.

    Examples
    --------
    >>> [hex(int(value)) for value in mixed(np.array([0, 1], dtype=np.uint64))]
    ['0x0', '0x5692161d100b05e5']
    """
    values = (values ^ (values >> np.uint64(30))) * _FIRST
    values = (values ^ (values >> np.uint64(27))) * _SECOND
    return values ^ (values >> np.uint64(31))


class HashStream:
    """A stream of random arrays that belongs to a key.

    Parameters
    ----------
    seed : int
        The build's seed.
    *keys : str or int
        What the draws are for.

    Examples
    --------
    >>> HashStream(42, "train").order(5).tolist() == HashStream(42, "train").order(5).tolist()
    True
    >>> sorted(HashStream(42, "train").order(5).tolist())
    [0, 1, 2, 3, 4]
    """

    def __init__(self, seed: int, *keys: str | int) -> None:
        text = "\x1f".join(str(key) for key in (seed, *keys))
        digest = hashlib.sha256(text.encode("utf-8")).digest()
        self._key = int.from_bytes(digest[:8], "big")
        self._drawn = 0

    def hashes(self, n: int) -> Hashes:
        """`n` fresh numbers, each of 2**64 as likely."""
        counters = np.arange(self._drawn + 1, self._drawn + 1 + n, dtype=np.uint64)
        self._drawn += n
        # An array of one, since numpy warns of the wrap-around of a lone number.
        return mixed(counters * _STEP + np.array([self._key], dtype=np.uint64))

    def order(self, n: int) -> Codes:
        """The numbers 0 to `n` - 1 in random order."""
        return np.argsort(self.hashes(n), kind="stable")

    def below(self, bounds: Codes) -> Codes:
        """A whole number in [0, bound) for each bound; bounds lie in [1, 2**31]."""
        high = self.hashes(len(bounds)) >> np.uint64(32)
        return ((high * bounds.astype(np.uint64)) >> np.uint64(32)).astype(np.int64)

    def coins(self, n: int) -> Flags:
        """`n` times true or false, each as likely."""
        return (self.hashes(n) >> np.uint64(63)).astype(np.bool_)
