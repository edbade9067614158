"""Lengths of texts in words."""

from __future__ import annotations

import numpy as np

from builders.quality.growing import GrowingArray
from builders.quality.parts import Part
from builders.quality.rows import Rows

# Steps of the square root of two, from eight words to sixteen thousand.
EDGES = (0, *(round(2 ** (exponent / 2)) for exponent in range(6, 29)))


class LengthBin(Part):
    """Documents with at least `least` words and fewer than `below`; the last bin has no end."""

    least: int
    below: int | None
    documents: int


class Lengths(Part):
    """Words of the documents, as white space parts them.

    Attributes
    ----------
    min, p10, median, p90, p99, max : int
        Percentiles: the least length that at least this share of the documents does not exceed.
    mean : float
        To two places.
    histogram : list of LengthBin
        Edges rise by the square root of two.
    """

    min: int
    p10: int
    median: int
    mean: float
    p90: int
    p99: int
    max: int
    histogram: list[LengthBin]


class LengthCounter:
    """Counts the words of each document of a corpus; four bytes a document."""

    def __init__(self) -> None:
        self._words = GrowingArray(1, np.int32)

    def add(self, rows: Rows) -> None:
        """Take the next rows of the corpus."""
        words = [text.count(" ") + 1 if text else 0 for text in rows.texts]
        self._words.append(np.array(words, dtype=np.int32)[:, None])

    def lengths(self) -> Lengths | None:
        """What was counted; None for an empty corpus."""
        words = self._words.rows[:, 0]
        if not len(words):
            return None
        bins = np.searchsorted(EDGES, words, side="right") - 1
        low, p10, median, p90, p99, high = np.percentile(
            words, [0, 10, 50, 90, 99, 100], method="inverted_cdf"
        ).tolist()
        return Lengths(
            min=low,
            p10=p10,
            median=median,
            mean=round(int(words.sum(dtype=np.int64)) / len(words), 2),
            p90=p90,
            p99=p99,
            max=high,
            histogram=[
                LengthBin(least=least, below=below, documents=int(documents))
                for least, below, documents in zip(
                    EDGES,
                    (*EDGES[1:], None),
                    np.bincount(bins, minlength=len(EDGES)),
                    strict=True,
                )
            ],
        )
