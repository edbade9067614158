"""Random draws that are the same on every machine and under every version of Python."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draws:
    """A stream of draws that belongs to a key, whatever was drawn before elsewhere.

    Only `random.Random.random` is used, the one method whose sequence Python promises to keep.

    Parameters
    ----------
    seed : int
        The build's seed.
    *keys : str or int
        What the draws are for.

    Examples
    --------
    >>> Draws(42, "block-00", 7).integer(1000) == Draws(42, "block-00", 7).integer(1000)
    True
    """

    def __init__(self, seed: int, *keys: str | int) -> None:
        # The unit separator keeps ("ab", "c") apart from ("a", "bc").
        text = "\x1f".join(str(key) for key in (seed, *keys))
        digest = hashlib.sha256(text.encode("utf-8")).digest()
        self._random = random.Random(int.from_bytes(digest, "big"))  # noqa: S311 - not a secret

    def uniform(self) -> float:
        """A number in [0, 1)."""
        return self._random.random()

    def integer(self, n: int) -> int:
        """A whole number in [0, n)."""
        return int(self._random.random() * n)

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + self.integer(high - low + 1)

    def happens(self, probability: float) -> bool:
        """Whether an event of this probability happens."""
        return self._random.random() < probability

    def choice(self, values: Sequence[T]) -> T:
        """One of the values, each as likely."""
        return values[self.integer(len(values))]

    def weighted(self, values: Sequence[T], weights: Sequence[float]) -> T:
        """One of the values, each as likely as its weight says."""
        left = self._random.random() * sum(weights)
        for value, weight in zip(values, weights, strict=True):
            left -= weight
            if left < 0:
                return value
        return values[-1]

    def sample(self, values: Sequence[T], k: int) -> list[T]:
        """`k` different places of the sequence, in the order in which they are drawn."""
        return self.shuffled(values)[:k]

    def shuffled(self, values: Sequence[T]) -> list[T]:
        """All values in random order (Fisher and Yates)."""
        result = list(values)
        for last in range(len(result) - 1, 0, -1):
            other = self.integer(last + 1)
            result[last], result[other] = result[other], result[last]
        return result
