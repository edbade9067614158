"""What is known of a config's documents besides their scores, each found once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.diagnostics.breakdown.difficulty import Labelled, levels_of, margins_of
from evaluate_shelf.diagnostics.breakdown.families import generators_of
from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.formulations.regions import REGION_FIELD, regions_of
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.taxonomy import Taxonomy
from evaluate_shelf.release.documents import SPLITS, Documents


class Facts:
    """Facts about documents of a config, in their order.

    Parameters
    ----------
    data : TaskData
        A config of documents.
    protocol : Protocol
        Settings of the lexical probe that difficulty comes from.
    of_all_splits : bool, default=False
        Whether they are about the documents of all splits, of which pairs may be made; else about
        those of the test split.
    """

    def __init__(self, data: TaskData, protocol: Protocol, of_all_splits: bool = False) -> None:
        self.data = data
        self._protocol = protocol
        self._of_all_splits = of_all_splits
        self._levels: dict[str, NDArray[np.int8]] = {}

    @cached_property
    def documents(self) -> Documents:
        """The documents that the facts are about."""
        return _of_all_splits(self.data) if self._of_all_splits else self.data.test

    @cached_property
    def characters(self) -> NDArray[np.int64]:
        """Length of each text, as the release has it."""
        return np.array([len(text) for text in self.documents.column("text")], dtype=np.int64)

    @cached_property
    def words(self) -> NDArray[np.int64]:
        """Number of words of each text, which white space parts."""
        texts = self.documents.column("text")
        return np.array([len(text.split()) for text in texts], dtype=np.int64)

    @cached_property
    def generators(self) -> list[str | None]:
        """Who wrote each text."""
        return generators_of(self.documents)

    @cached_property
    def position_of(self) -> dict[str, int]:
        """Position of each document by its id."""
        return {name: row for row, name in enumerate(self.documents.ids)}

    def levels(self, field: str) -> NDArray[np.int8]:
        """How hard each document is for a lexical probe of a label; see `levels_of`.

        The terciles are those of the test split. A document of the training split, from which the
        probe learns, has no level.
        """
        if field not in self._levels:
            tested = np.isin(np.array(self.documents.ids), np.array(self.data.test.ids))
            margins = self._margins(field)
            self._levels[field] = levels_of(margins, margins[tested])
        return self._levels[field]

    def _labels(self, documents: Documents, field: str) -> Sequence[str | None]:
        return single_labels(documents, field, self.data.taxonomy)

    def _margins(self, field: str) -> NDArray[np.float64]:
        learned, documents = self.data.train, self.documents
        known = set(learned.ids)
        labels = [
            None if name in known else label
            for name, label in zip(documents.ids, self._labels(documents, field), strict=True)
        ]
        return margins_of(
            Labelled(learned, self._labels(learned, field)),
            Labelled(documents, labels),
            self._protocol,
            f"config {self.data.config!r}, train split",
        )


def _of_all_splits(data: TaskData) -> Documents:
    """The documents of all splits that a config has."""
    manifest = data.release.manifest
    splits = [split for split in SPLITS if manifest.files_of(data.config, split)]
    first, *others = (getattr(data, split) for split in splits)
    documents: Documents = first
    for other in others:
        documents = documents.followed_by(other, len(documents))
    return documents


def single_labels(documents: Documents, field: str, taxonomy: Taxonomy) -> Sequence[str | None]:
    """The one label of each document, None where it has none; `taxonomy` is the release's.

    Raises
    ------
    UnsupportedError
        If the config lacks the column, or it holds lists.
    """
    if field == REGION_FIELD:
        return regions_of(documents, taxonomy)
    if field not in documents.table.column_names:
        raise UnsupportedError(f"the config has no column {field!r}")
    labels = documents.column(field)
    if any(isinstance(label, list) for label in labels):
        raise UnsupportedError(f"a document has several {field}, so that no single one is the true")
    return labels
