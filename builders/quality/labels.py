"""Labels by facet and split, and the labels that a split lacks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from builders.quality.parts import MOST_NAMED, Part, by_split, shown
from builders.quality.rows import Rows
from builders.quality.tally import SplitTally
from evaluate_shelf.release.manifest import SPLITS

FACETS = (
    "lcc_code",
    "lcgft_category",
    "lcgft_form",
    "topics",
    "audience",
    "register",
    "geographic",
)
"""Facets whose labels are counted."""

CHECKED = ("lcc_code", "lcgft_category", "lcgft_form", "register", "audience", "topics")
"""Facets whose labels every split should have."""

MOST_LABELS = 200


class LabelCount(Part):
    """Documents with a label, by split."""

    label: str
    documents: dict[str, int]


class FacetCounts(Part):
    """Labels of one facet.

    Attributes
    ----------
    labels : int
        Different ones.
    without : dict of str to int
        Documents that have none, by split.
    named : list of LabelCount
        The 200 most frequent ones, in the order of their frequency.
    others : dict of str to int
        Uses of the labels that are not named, by split.
    """

    labels: int
    without: dict[str, int]
    named: list[LabelCount]
    others: dict[str, int]


class AbsentLabels(Part):
    """Labels of other splits that a split lacks: how many, and the first 50 by name."""

    labels: int
    named: list[str]


class LabelCounter:
    """Counts the labels of a corpus.

    Parameters
    ----------
    facets : sequence of str
        Columns of strings or of lists of strings. One that the corpus lacks has no labels.

    Examples
    --------
    >>> from builders.quality.rows import read_rows
    >>> from builders.quality.stream import batches_of
    >>> table = pa.table(
    ...     {"id": ["a", "b"], "text": ["x", "y"], "split": ["train", "test"], "model": ["m", "n"]}
    ... )
    >>> counter = LabelCounter(["model"])
    >>> for rows in read_rows("books", batches_of(table), ["model"]):
    ...     counter.add(rows)
    >>> counter.counts()["model"].labels, counter.absent(["model"])["model"]["test"].named
    (2, ['m'])
    """

    def __init__(self, facets: Sequence[str]) -> None:
        self._tallies = {facet: SplitTally() for facet in facets}
        self._without = {facet: np.zeros(len(SPLITS), dtype=np.int64) for facet in facets}
        self._documents = np.zeros(len(SPLITS), dtype=np.int64)

    def add(self, rows: Rows) -> None:
        """Take the next rows of the corpus."""
        self._documents += np.bincount(rows.splits, minlength=len(SPLITS))
        for facet, tally in self._tallies.items():
            labels = rows.labels(facet)
            uses = np.array([len(own) for own in labels], dtype=np.int64)
            tally.add([label for own in labels for label in own], np.repeat(rows.splits, uses))
            self._without[facet] += np.bincount(rows.splits[uses == 0], minlength=len(SPLITS))

    def documents(self) -> dict[str, int]:
        """Documents by split."""
        return by_split(self._documents)

    def counts(self) -> dict[str, FacetCounts]:
        """The labels of each facet that any document has a label of."""
        return {
            facet: counts
            for facet, tally in self._tallies.items()
            if (counts := _facet_counts(*tally.counts(), self._without[facet])).labels
        }

    def absent(self, facets: Sequence[str]) -> dict[str, dict[str, AbsentLabels]]:
        """The labels that a split lacks and another one has.

        Parameters
        ----------
        facets : sequence of str
            Facets that are counted.

        Returns
        -------
        dict of str to dict of str to AbsentLabels
            By facet and by split; only splits with documents.
        """
        result: dict[str, dict[str, AbsentLabels]] = {}
        for facet in facets:
            labels, counts = self._tallies[facet].counts()
            if len(labels):
                result[facet] = {
                    split: _absent(labels, counts[:, number] == 0)
                    for number, split in enumerate(SPLITS)
                    if self._documents[number]
                }
        return result


def _facet_counts(
    labels: pa.ChunkedArray, counts: NDArray[np.int64], without: NDArray[np.int64]
) -> FacetCounts:
    order = np.argsort(-counts.sum(axis=1), kind="stable")
    named, others = order[:MOST_LABELS], order[MOST_LABELS:]
    return FacetCounts(
        labels=len(labels),
        without=by_split(without),
        named=[
            LabelCount(label=shown(label), documents=by_split(row))
            for label, row in zip(labels.take(named).to_pylist(), counts[named], strict=True)
        ],
        others=by_split(counts[others].sum(axis=0)),
    )


def _absent(labels: pa.ChunkedArray, lacking: NDArray[np.bool_]) -> AbsentLabels:
    missing = pc.filter(labels, pa.array(lacking))
    return AbsentLabels(
        labels=len(missing),
        named=[shown(label) for label in missing.slice(0, MOST_NAMED).to_pylist()],
    )
