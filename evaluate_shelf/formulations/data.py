"""What a task reads: the documents of a config, or the pairs drawn from them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError, UnsupportedError
from evaluate_shelf.release.documents import Documents, Release
from evaluate_shelf.release.manifest import Split


@dataclass(frozen=True)
class TaskData:
    """A config's splits, read when first asked for.

    Attributes
    ----------
    release : Release
        Where the config lies.
    config : str
        A config of documents, or one of pairs.
    limit : int or None
        Documents (or pairs) a split in a smoke run.
    """

    release: Release
    config: str
    limit: int | None = None
    _split_of_id: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def train(self) -> Documents:
        """Documents that a probe may learn from."""
        return self._split("train")

    @cached_property
    def validation(self) -> Documents:
        """Documents that belong to the searched corpus only; a small corpus may have none."""
        if not self.release.manifest.files_of(self.config, "validation"):
            return Documents(self.train.table.slice(0, 0), self.train.group_column)
        return self._split("validation")

    @cached_property
    def test(self) -> Documents:
        """Documents, or pairs, that are scored."""
        return self._split("test")

    @property
    def content_sha256(self) -> str:
        """Hash of the config's rows, from the manifest."""
        return self.release.config(self.config).content_sha256

    def _split(self, split: Split) -> Documents:
        documents = self.release.documents(self.config, split)
        for row, identity in enumerate(documents.ids):
            other = self._split_of_id.setdefault(identity, split)
            if other != split:
                raise ShelfError(
                    f"{self.release.folder}: config {self.config!r}, {split} split, row {row}, "
                    f"field 'id': {identity!r} stands in the {other} split as well"
                )
        return documents if self.limit is None else first_of_each_class(documents, self.limit)


def first_of_each_class(documents: Documents, limit: int) -> Documents:
    """Take `limit` documents, class by class in turn, in an order that only ids decide.

    Parameters
    ----------
    documents : Documents
        A split.
    limit : int
        How many to keep; all where there are fewer.

    Returns
    -------
    Documents
        In the split's own order.
    """
    names = documents.table.column_names
    field = next((f for f in ("label", "lcc_code") if f in names), None)
    classes = documents.column(field) if field else [None] * len(documents)
    turn: dict[object, int] = {}
    ranked: list[tuple[int, int, int]] = []
    by_hash = sorted(
        range(len(documents)), key=lambda i: hashlib.sha256(documents.ids[i].encode()).digest()
    )
    for position in by_hash:
        label = classes[position]
        turn[label] = turn.get(label, 0) + 1
        ranked.append((turn[label], len(ranked), position))
    kept = sorted(position for _, _, position in sorted(ranked)[:limit])
    return Documents(documents.table.take(kept), documents.group_column)


def labels_of(documents: Documents, field: str) -> list[str]:
    """Labels of a single-label facet.

    Raises
    ------
    UnsupportedError
        If a document has none: a task needs its label on every document, so that no document
        is left out of a score unseen.
    """
    if field not in documents.table.column_names:
        raise UnsupportedError(f"the config has no column {field!r}")
    labels = documents.column(field)
    missing = sum(1 for label in labels if not label)
    if missing:
        raise UnsupportedError(f"{missing} of {len(labels)} documents have no {field}")
    return labels


def numbered(labels: Sequence[str], names: Sequence[str]) -> NDArray[np.intp]:
    """Number of each label in `names`; a label that is not there gets the number behind them."""
    number = {name: position for position, name in enumerate(names)}
    return np.array([number.get(label, len(names)) for label in labels], dtype=np.intp)


def label_names(labels: Sequence[str], place: str) -> list[str]:
    """Distinct labels in order.

    Raises
    ------
    ShelfError
        If there is only one: no model can be told from another on it.
    """
    names = sorted(set(labels))
    if len(names) < 2:
        raise ShelfError(f"{place}: only one class is left, {names[0]!r}; at least two are needed")
    return names


def in_order_of(ids: Sequence[str], items: pa.Table) -> pa.Table:
    """Put item rows into the order of the release's test split.

    Raises
    ------
    ShelfError
        If an item is missing, stands twice or is none of the release: a score over other items
        would be another score.

    Examples
    --------
    >>> in_order_of(["a", "b"], pa.table({"id": ["b", "a"]}))["id"].to_pylist()
    ['a', 'b']
    """
    given: list[str] = items["id"].to_pylist()
    place = {identity: row for row, identity in enumerate(given)}
    if len(place) < len(given):
        raise ShelfError("the run's items hold an id twice")
    missing = next((i for i in ids if i not in place), None)
    if missing is not None:
        raise ShelfError(f"the run's items lack {missing!r}, an item of the release's test split")
    if len(given) > len(ids):
        known = set(ids)
        foreign = next(i for i in given if i not in known)
        raise ShelfError(f"the run's items hold {foreign!r}, which is not in the test split")
    return items.take([place[i] for i in ids])
