"""What a task reads: the documents of a config, or the pairs drawn from them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.diagnostics.masking.removal import Arm
from evaluate_shelf.diagnostics.masking.treatment import (
    RemovedTokens,
    Treated,
    TreatedDocuments,
    removed_tokens,
    treated_sides,
)
from evaluate_shelf.errors import ItemsError, ShelfError, UnsupportedError
from evaluate_shelf.formulations.sides import texts_of
from evaluate_shelf.registry.conditions import TextCondition
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.registry.taxonomy import Taxonomy
from evaluate_shelf.release.documents import Documents, Release
from evaluate_shelf.release.manifest import Split


@dataclass(frozen=True)
class TaskData:
    """A config's splits, read when first asked for, their rows in the order of the ids.

    Attributes
    ----------
    release : Release
        Where the config lies.
    config : str
        A config of documents, or one of pairs.
    limit : int or None
        Documents (or pairs) a split in a smoke run.
    text : {'full', 'masked', 'sham'}
        What is read of a text; see `Protocol`.
    """

    release: Release
    config: str
    limit: int | None = None
    text: TextCondition = "full"
    _split_of_id: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    _treated: dict[Split, TreatedDocuments] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def train(self) -> Documents:
        """Documents that a probe may learn from."""
        return self._split("train")

    @cached_property
    def validation(self) -> Documents:
        """Documents that belong to the searched corpus only; a small corpus may have none."""
        if not self.release.manifest.files_of(self.config, "validation"):
            return self.train.take([])
        return self._split("validation")

    @cached_property
    def test(self) -> Documents:
        """Documents, or pairs, that are scored."""
        return self._split("test")

    @cached_property
    def corpus(self) -> Documents:
        """The searched documents: training split, then validation split."""
        return self.train.followed_by(self.validation, self._size("train"))

    @cached_property
    def all(self) -> Documents:
        """The documents of all three splits: the corpus, then the test split."""
        return self.corpus.followed_by(self.test, self._size("train") + self._size("validation"))

    @cached_property
    def tie_rank(self) -> NDArray[np.int64]:
        """Place of each corpus document in the order of ids, which decides between equal scores."""
        order = np.argsort(np.array(self.corpus.ids, dtype=object), kind="stable")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return rank

    @property
    def taxonomy(self) -> Taxonomy:
        """The labels of the release; raises as `taxonomy_of`."""
        return self.release.taxonomy

    @property
    def content_sha256(self) -> str:
        """Hash of the config's rows, from the manifest."""
        return self.release.config(self.config).content_sha256

    def side_texts(self, side: str) -> list[str]:
        """The text of one side, `a` or `b`, of each test pair, as it is read.

        Raises
        ------
        UnsupportedError
            If something is to be removed from it, and its document's labels are not known.
        """
        if self.text == "full":
            return texts_of(self.test, side)
        of_id = self._treated_side_texts
        return [of_id[identity] for identity in self.test.column(f"doc_{side}_id")]

    @property
    def removed(self) -> RemovedTokens | None:
        """What the documents have lost; None where texts are whole.

        Raises
        ------
        UnsupportedError
            If their labels are not known.
        """
        if self.text == "full":
            return None
        if self._is_of_pairs:
            return removed_tokens([self._treated_sides])
        n_documents = len(self.all)
        found = removed_tokens(own.treated for own in self._treated.values())
        assert found.documents == n_documents
        return found

    @property
    def _is_of_pairs(self) -> bool:
        return self.release.config(self.config).kind == "pairs"

    @cached_property
    def _side_ids(self) -> list[str]:
        """Each document of the test pairs once."""
        return sorted({*self.test.column("doc_a_id"), *self.test.column("doc_b_id")})

    @cached_property
    def _treated_sides(self) -> Treated:
        of_id = {
            identity: text
            for side in ("a", "b")
            for identity, text in zip(
                self.test.column(f"doc_{side}_id"), texts_of(self.test, side), strict=True
            )
        }
        texts = [of_id[identity] for identity in self._side_ids]
        return treated_sides(self._arm, self.release, self.config, self._side_ids, texts)

    @cached_property
    def _treated_side_texts(self) -> dict[str, str]:
        return dict(zip(self._side_ids, self._treated_sides.texts.to_pylist(), strict=True))

    @property
    def _arm(self) -> Arm:
        assert self.text != "full"
        return self.text

    def _size(self, split: Split) -> int:
        manifest = self.release.manifest
        return sum(manifest.data_files[path].rows for path in manifest.files_of(self.config, split))

    def _split(self, split: Split) -> Documents:
        documents = self.release.documents(self.config, split)
        for row, identity in enumerate(documents.ids):
            other = self._split_of_id.setdefault(identity, split)
            if other != split:
                raise ShelfError(
                    f"{self.release.folder}: config {self.config!r}, {split} split, row {row}, "
                    f"field 'id': {identity!r} stands in the {other} split as well"
                )
        documents = by_id(documents)
        if self.limit is not None:
            documents = first_of_each_class(documents, self.limit)
        if self.text == "full" or self._is_of_pairs:
            return documents
        own = TreatedDocuments(self._arm, documents, f"config {self.config!r}")
        self._treated[split] = own
        return own.documents


def by_id(documents: Documents) -> Documents:
    """The same rows in the order of their ids.

    So nothing that is drawn, shuffled, clustered or summed depends on the order in which a
    release keeps its rows. SHELF's own builders keep this order.

    Examples
    --------
    >>> by_id(Documents(pa.table({"id": ["b", "a"]}), None)).rows
    array([1, 0])
    """
    ids = documents.ids
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return documents if order == list(range(len(ids))) else documents.take(order)


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
    return documents.take(sorted(position for _, _, position in sorted(ranked)[:limit]))


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


class Labelled(NamedTuple):
    """The documents of a split that a task is about.

    Attributes
    ----------
    positions : ndarray of int64, shape (n_labelled,)
        Their positions in the split.
    labels : list of str
        Their labels.
    """

    positions: NDArray[np.int64]
    labels: list[str]


def labelled(task: Task, documents: Documents) -> Labelled:
    """The documents that have a label, where the task leaves the others out; else all.

    Raises
    ------
    UnsupportedError
        If a document has no label and the task leaves none out, or none has one.
    """
    if task.missing == "refuse":
        labels = labels_of(documents, task.label_field)
        return Labelled(np.arange(len(labels)), labels)
    if task.label_field not in documents.table.column_names:
        raise UnsupportedError(f"the config has no column {task.label_field!r}")
    given = documents.column(task.label_field)
    positions = [position for position, label in enumerate(given) if label]
    if not positions:
        raise UnsupportedError(f"no document has a {task.label_field}")
    return Labelled(np.array(positions, dtype=np.int64), [given[p] for p in positions])


def numbered(labels: Sequence[str], names: Sequence[str]) -> NDArray[np.intp]:
    """Number of each label in `names`; a label that is not there gets the number behind them."""
    number = {name: position for position, name in enumerate(names)}
    return np.array([number.get(label, len(names)) for label in labels], dtype=np.intp)


def label_names(labels: Sequence[str], place: str) -> list[str]:
    """Distinct labels in order.

    Raises
    ------
    UnsupportedError
        If there is only one: no model can be told from another on it.
    """
    names = sorted(set(labels))
    if len(names) < 2:
        raise UnsupportedError(
            f"{place}: only one class is left, {names[0]!r}; at least two are needed"
        )
    return names


def items_of(documents: Documents, columns: dict[str, pa.Array]) -> pa.Table:
    """Item rows of a task: the number of each test row, then what the task found for it.

    Parameters
    ----------
    documents : Documents
        The test split.
    columns : dict of str to pyarrow.Array
        One value a test row.
    """
    return pa.table({"row": pa.array(documents.rows, pa.int32()), **columns})


def checked_items(documents: Documents, items: pa.Table) -> pa.Table:
    """Item rows, if they are those of the test split in its order.

    Raises
    ------
    ItemsError
        If a row is missing, stands twice or is none of the release: a score over other items
        would be another score.

    Examples
    --------
    >>> test = Documents(pa.table({"id": ["a", "b"]}), None)
    >>> checked_items(test, pa.table({"row": [0, 1]}))["row"].to_pylist()
    [0, 1]
    """
    given = items["row"].to_numpy()
    expected = documents.rows
    missing = np.setdiff1d(expected, given)
    if len(missing):
        raise ItemsError(f"the run's items lack row {missing[0]} of the release's test split")
    foreign = np.setdiff1d(given, expected)
    if len(foreign):
        raise ItemsError(f"the run's items hold row {foreign[0]}, which is not in the test split")
    if len(given) > len(expected):
        raise ItemsError("the run's items hold a row twice")
    if not np.array_equal(given, expected):
        raise ItemsError("the run's items are not in the order of the release's test split")
    return items
