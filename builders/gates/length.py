"""G3: a document is about as long as was asked for."""

from __future__ import annotations


def length_delta(word_count: int, low: int, high: int) -> int:
    """Signed distance in words to the nearest end of the range; 0 inside it.

    Examples
    --------
    >>> length_delta(8, 10, 25), length_delta(12, 10, 25), length_delta(30, 10, 25)
    (-2, 0, 5)
    """
    if word_count < low:
        return word_count - low
    return max(0, word_count - high)


def length_passes(delta: int, low: int, high: int) -> bool:
    """Whether the distance is within a quarter of the range, or five words if that is more.

    Examples
    --------
    >>> length_passes(5, 10, 25), length_passes(6, 10, 25)
    (True, False)
    """
    return abs(delta) <= max(5, round(0.25 * (high - low)))
