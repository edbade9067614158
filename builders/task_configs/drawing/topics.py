"""Sets of topics, one a document, as two arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from builders.task_configs.drawing.hashed import Codes, Hashes, mixed
from builders.task_configs.drawing.runs import ranges

# Of a document with more topics, so many are looked at for a partner: 56 triples at most.
_LOOKED_AT = 8


@dataclass(frozen=True)
class Topics:
    """The topics of n documents.

    Attributes
    ----------
    offsets : numpy.ndarray of int64, shape (n + 1,)
        The topics of document d are `codes[offsets[d]:offsets[d + 1]]`.
    codes : numpy.ndarray of int64, shape (total,)
        Codes from 0; within a document they rise.
    """

    offsets: Codes
    codes: Codes

    @cached_property
    def counts(self) -> Codes:
        """How many topics each document has, shape (n,)."""
        return np.diff(self.offsets)

    @cached_property
    def owners(self) -> Codes:
        """The document of each of `codes`, shape (total,)."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @cached_property
    def names(self) -> int:
        """One more than the highest code."""
        return int(self.codes.max()) + 1 if len(self.codes) else 0

    def shared(self, first: Codes, second: Codes) -> Codes:
        """How many topics the documents of each pair have in common.

        Parameters
        ----------
        first, second : numpy.ndarray of int64, shape (pairs,)
            Positions of documents.

        Returns
        -------
        numpy.ndarray of int64, shape (pairs,)

        Examples
        --------
        >>> topics = topics_of([["law", "art"], ["art"], [], ["law", "art", "sea"]])
        >>> topics.shared(np.array([0, 0, 0]), np.array([1, 2, 3])).tolist()
        [1, 0, 2]
        """
        left, right = self._numbered(first), self._numbered(second)
        if not len(left) or not len(right):
            return np.zeros(len(first), dtype=np.int64)
        place = np.minimum(np.searchsorted(right, left), len(right) - 1)
        common = left[right[place] == left] // self.names
        return np.bincount(common, minlength=len(first))

    def set_hashes(self) -> Hashes:
        """A number for each document that is the same for equal sets of topics, shape (n,)."""
        sums = np.zeros(len(self.codes) + 1, dtype=np.uint64)
        np.cumsum(mixed(self.codes.astype(np.uint64) + np.uint64(1)), out=sums[1:])
        return sums[self.offsets[1:]] - sums[self.offsets[:-1]]

    def subsets(self, size: int, documents: Codes) -> tuple[Codes, Codes]:
        """Every way to take `size` topics of a document.

        Parameters
        ----------
        size : int
            1, 2 or 3.
        documents : numpy.ndarray of int64
            Positions of documents.

        Returns
        -------
        keys, documents : numpy.ndarray of int64, shape (subsets,)
            Equal keys for equal subsets, and the document of each. Of a document with more than
            eight topics eight are taken, the same ones wherever they occur.
        """
        keys: list[Codes] = []
        owners: list[Codes] = []
        counts = self.counts[documents]
        for count in np.unique(counts[counts >= size]).tolist():
            own = documents[counts == count]
            table = self.codes[self.offsets[own][:, None] + np.arange(count)]
            if count > _LOOKED_AT:
                table = _lowest_hashes(table)
            for columns in combinations(range(table.shape[1]), size):
                key = np.zeros(len(own), dtype=np.int64)
                for column in columns:
                    key = key * self.names + table[:, column]
                keys.append(key)
                owners.append(own)
        if not keys:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        return np.concatenate(keys), np.concatenate(owners)

    def _numbered(self, documents: Codes) -> Codes:
        """Number of the place in `documents` times `names`, plus the topic: rising numbers."""
        starts = self.offsets[documents]
        lengths = self.offsets[documents + 1] - starts
        place = np.repeat(np.arange(len(documents)), lengths)
        return place * self.names + self.codes[ranges(starts, lengths)]


def topics_of(lists: Iterable[Sequence[str] | None]) -> Topics:
    """Code the topics of documents.

    Parameters
    ----------
    lists : iterable of sequence of str, or None
        One a document. A topic that is named twice counts once, an empty name not at all.

    Returns
    -------
    Topics
        Codes are in the order of the names.

    Examples
    --------
    >>> topics = topics_of([["law", "art"], None, ["sea", "sea"]])
    >>> topics.offsets.tolist(), topics.codes.tolist()
    ([0, 2, 2, 3], [0, 1, 2])
    """
    # Codes by first sight, so that no list of strings is held twice.
    seen: dict[str, int] = {}
    counts: list[int] = []
    met: list[int] = []
    for names in lists:
        own = {seen.setdefault(name, len(seen)) for name in names or () if name}
        counts.append(len(own))
        met.extend(own)
    rank = np.empty(len(seen), dtype=np.int64)
    rank[[seen[name] for name in sorted(seen)]] = np.arange(len(seen))
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    codes = rank[np.array(met, dtype=np.int64)]
    owner = np.repeat(np.arange(len(counts)), np.diff(offsets))
    return Topics(offsets, codes[np.lexsort((codes, owner))])


def _lowest_hashes(table: Codes) -> Codes:
    """The topics of each row whose hashes are lowest, so that alike documents keep the same."""
    hashes = mixed(table.astype(np.uint64) + np.uint64(1))
    kept = np.argsort(hashes, axis=1, kind="stable")[:, :_LOOKED_AT]
    lowest: Codes = np.sort(np.take_along_axis(table, kept, axis=1), axis=1)
    return lowest
