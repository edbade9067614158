"""How often a document contains the name of its own label; the definition is the benchmark's."""

from __future__ import annotations

from builders.quality.parts import Part
from builders.quality.rows import Rows
from evaluate_shelf.diagnostics.masking.names import HEAD_WORDS, named_in
from evaluate_shelf.diagnostics.masking.names import NAMED_FACETS as FACETS

__all__ = ["FACETS", "HEAD_WORDS", "Signal", "SignalCounter"]


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
                    named = named_in(labels, text)
                    counts[1] += named.in_text
                    counts[2] += named.in_head

    def signals(self) -> dict[str, Signal]:
        """The counts of each facet that has labels."""
        return {
            facet: Signal(labelled=labelled, in_text=in_text, in_head=in_head)
            for facet, (labelled, in_text, in_head) in self._counts.items()
            if labelled
        }
