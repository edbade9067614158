"""How often a document contains the name of its own label.

The definition is that of the published figures, the class name verbatim in its own document, for
every facet: the name stands in the text with no letter, digit or underscore on either side. Case
is ignored, and a name may run over a line end.
"""

from __future__ import annotations

from functools import lru_cache

from builders.quality.parts import Part
from builders.quality.rows import Rows, folded

FACETS = (
    "lcc_name",
    "lcgft_category",
    "lcgft_form",
    "topics",
    "audience",
    "register",
    "geographic",
)
"""Facets whose labels have names."""

HEAD_WORDS = 200
"""Words of a text's beginning."""


class Signal(Part):
    """Documents that contain the name of their own label in one facet.

    Attributes
    ----------
    labelled : int
        Documents that have a label; of several labels any one counts.
    in_text : int
        Those of them whose text has the name.
    in_head : int
        Those whose first 200 words have it.
    """

    labelled: int
    in_text: int
    in_head: int

    @property
    def share_in_text(self) -> float:
        """Share of the labelled documents, 0 if there is none."""
        return self.in_text / self.labelled if self.labelled else 0.0

    @property
    def share_in_head(self) -> float:
        """Share of the labelled documents, 0 if there is none."""
        return self.in_head / self.labelled if self.labelled else 0.0


class SignalCounter:
    """Counts the documents of a corpus that contain the name of their own label.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from builders.quality.rows import read_rows
    >>> from builders.quality.stream import batches_of
    >>> table = pa.table(
    ...     {
    ...         "id": ["a", "b"],
    ...         "text": ["Of music.", "Of musicians."],
    ...         "split": ["train", "test"],
    ...         "lcc_name": ["Music", "Music"],
    ...     }
    ... )
    >>> counter = SignalCounter()
    >>> for rows in read_rows("books", batches_of(table), ["lcc_name"]):
    ...     counter.add(rows)
    >>> counter.signals()["lcc_name"].share_in_text
    0.5
    """

    def __init__(self) -> None:
        self._counts = {facet: [0, 0, 0] for facet in FACETS}

    def add(self, rows: Rows) -> None:
        """Take the next rows of the corpus."""
        for facet, counts in self._counts.items():
            for labels, text in zip(rows.labels(facet), rows.texts, strict=True):
                if labels:
                    counts[0] += 1
                    ends = [end for label in labels if (end := end_of_name(label, text))]
                    counts[1] += bool(ends)
                    counts[2] += bool(ends) and min(ends) <= _end_of_head(text)

    def signals(self) -> dict[str, Signal]:
        """The counts of each facet that has labels."""
        return {
            facet: Signal(labelled=labelled, in_text=in_text, in_head=in_head)
            for facet, (labelled, in_text, in_head) in self._counts.items()
            if labelled
        }


def end_of_name(label: str, text: str) -> int:
    """Where the first occurrence of a label's name ends in a text.

    Parameters
    ----------
    label : str
        The name.
    text : str
        As `folded` gives it.

    Returns
    -------
    int
        Number of characters up to there, 0 if the text does not have the name.

    Examples
    --------
    >>> end_of_name("Law", "outlaws know the law."), end_of_name("Law", "lawful")
    (20, 0)
    """
    name = _folded_name(label)
    start = text.find(name)
    # A plain search, and a look at both sides, takes a tenth of what an expression takes.
    while start >= 0:
        end = start + len(name)
        if not (_in_word(text[start - 1 : start]) or _in_word(text[end : end + 1])):
            return end
        start = text.find(name, start + 1)
    return 0


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _end_of_head(text: str) -> int:
    return len(" ".join(text.split(" ", HEAD_WORDS)[:HEAD_WORDS]))


# Labels repeat; those of a catalogue are many, and only the last ones are kept.
_folded_name = lru_cache(maxsize=1 << 14)(folded)
