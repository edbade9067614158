"""Pairing documents that have something in common, each document at most once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from builders.task_configs.drawing.hashed import Codes, Flags, HashStream
from builders.task_configs.drawing.record import Conflict, Pairs, joined
from builders.task_configs.drawing.runs import occurrences

# How far two documents may lie apart in their bucket to be tried together, and how often the
# buckets are gone through.
_REACH = 16
_PASSES = 4


@dataclass
class Budget:
    """How many places of each class pairs may still take.

    Attributes
    ----------
    classes : numpy.ndarray of int64, shape (n,)
        Class of each document.
    left : numpy.ndarray of int64, shape (classes,)
        Places; `take` counts them down.
    """

    classes: Codes
    left: Codes

    def open(self) -> Flags:
        """Documents whose class has a place left, shape (n,)."""
        left: Flags = self.left[self.classes] > 0
        return left

    def affordable(self, pairs: Pairs) -> Flags:
        """Which of the pairs can be taken, all of them together; first come, first served."""
        places = np.column_stack([self.classes[pairs.first], self.classes[pairs.second]]).ravel()
        fits = occurrences(places) < self.left[places]
        both: Flags = fits[0::2] & fits[1::2]
        return both

    def take(self, pairs: Pairs) -> None:
        """Count the places of pairs down."""
        self.left -= np.bincount(self.classes[pairs.documents], minlength=len(self.left))


def bucket_pairs(
    keys: Codes,
    documents: Codes,
    *,
    free: Flags,
    conflict: Conflict,
    quota: int,
    stream: HashStream,
    budget: Budget | None = None,
) -> Pairs:
    """Pair free documents that have a key in common.

    Each bucket is shuffled; its neighbours are tried together, then documents two apart, and so
    on. Of the pairs that may be, a random set is taken in which no document comes twice. The work
    is linear in the entries but for one sort.

    Parameters
    ----------
    keys, documents : numpy.ndarray of int64, shape (entries,)
        Documents and the keys of the buckets in which they lie; a document may lie in several.
    free : numpy.ndarray of bool, shape (n,)
        Documents that may be used. Those that get used are struck out.
    conflict : callable
        Says of arrays of first and second documents which pairs may not be.
    quota : int
        The most pairs.
    stream : HashStream
        Of the draws.
    budget : Budget or None
        Limits for classes, counted down.

    Returns
    -------
    Pairs
        In random order.
    """
    taken: list[Pairs] = []
    for _ in range(_PASSES):
        order = np.lexsort((stream.hashes(len(keys)), keys))
        keys, documents = keys[order], documents[order]
        before = sum(map(len, taken))
        reach, width = 1, 4
        while (missing := quota - sum(map(len, taken))) > 0 and reach <= _REACH:
            live = free if budget is None else free & budget.open()
            kept = live[documents]
            keys, documents = keys[kept], documents[kept]
            near = np.flatnonzero(keys[:-reach] == keys[reach:])
            if not len(near):
                break
            # No more are looked at than will do: most are good where there are many.
            tried = _some(near, width * missing + 64, stream)
            pairs = Pairs(documents[tried], documents[tried + reach])
            found = _disjoint(pairs.where(~conflict(pairs.first, pairs.second)), len(free), stream)
            if budget is not None:
                found = found.where(budget.affordable(found))
            found = found.where(np.arange(len(found)) < missing)
            if len(found):
                free[found.documents] = False
                taken.append(found)
                if budget is not None:
                    budget.take(found)
            elif len(tried) < len(near):
                width *= 8
            else:
                reach += 1
        if sum(map(len, taken)) == before:
            break
    return joined(taken)


def one_each(keys: Codes, documents: Codes, stream: HashStream) -> tuple[Codes, Codes]:
    """One entry of each document, at random.

    So a document that lies in many buckets is as likely to be paired as any other.

    Parameters
    ----------
    keys, documents : numpy.ndarray of int64, shape (entries,)
        As for `bucket_pairs`.
    stream : HashStream
        Of the draws.

    Returns
    -------
    keys, documents : numpy.ndarray of int64, shape (documents,)
    """
    order = np.lexsort((stream.hashes(len(keys)), documents))
    order = order[occurrences(documents[order]) == 0]
    return keys[order], documents[order]


def _some(values: Codes, size: int, stream: HashStream) -> Codes:
    """About `size` of the values at random, all of them where they are few."""
    if len(values) <= 2 * size:
        return values
    places = stream.below(np.full(size, len(values), dtype=np.int64))
    return values[np.unique(places)]


def _disjoint(pairs: Pairs, n: int, stream: HashStream) -> Pairs:
    """The pairs that come before all others with one of their documents, in random order."""
    rank = stream.order(len(pairs))
    best = np.full(n, len(pairs), dtype=np.int64)
    np.minimum.at(best, pairs.first, rank)
    np.minimum.at(best, pairs.second, rank)
    alone = np.flatnonzero((best[pairs.first] == rank) & (best[pairs.second] == rank))
    return pairs.where(alone[np.argsort(rank[alone], kind="stable")])
