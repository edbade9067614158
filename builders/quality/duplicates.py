"""Documents of the same text: equal after lower-casing and folding white space."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from builders.quality.fingerprints import Fingerprints
from builders.quality.parts import MOST_NAMED, PairCounts, Part, by_split, pair_counts, shown
from evaluate_shelf.release.manifest import SPLITS

_MOST_IDS = 10


class RepeatedText(Part):
    """A text that stands more than once.

    Attributes
    ----------
    ids : list of str
        Of its first documents, at most 10.
    documents : dict of str to int
        How often it stands in each split.
    """

    ids: list[str]
    documents: dict[str, int]


class ExactDuplicates(Part):
    """Texts that stand more than once.

    Attributes
    ----------
    texts : int
        Different texts that do.
    across_splits : int
        Those of them that do so in more than one split.
    surplus : int
        Documents that would go if each text were kept once.
    pairs : PairCounts
        Of documents with the same text.
    named : list of RepeatedText
        At most 50, those across splits first, then in the order of the corpus.
    """

    texts: int
    across_splits: int
    surplus: int
    pairs: PairCounts
    named: list[RepeatedText]


def exact_duplicates(kept: Fingerprints) -> ExactDuplicates:
    """Find the texts that stand more than once.

    Parameters
    ----------
    kept : Fingerprints
        Of a corpus.

    Returns
    -------
    ExactDuplicates
        Equal digests of 128 bits count as equal texts.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from builders.quality.fingerprints import fingerprints_of
    >>> from builders.quality.stream import batches_of
    >>> table = pa.table(
    ...     {
    ...         "id": ["a", "b", "c"],
    ...         "text": ["The end.", "THE  end.", "Else."],
    ...         "split": ["train", "test", "test"],
    ...     }
    ... )
    >>> found = exact_duplicates(fingerprints_of("books", batches_of(table), seed=0))
    >>> found.texts, found.pairs.across["train-test"], found.named[0].ids
    (1, 1, ['a', 'b'])
    """
    order, firsts = _sorted_texts(kept.digests)
    sizes = np.diff(firsts, append=len(order))
    repeated = np.flatnonzero(sizes > 1)
    counts = _counts_by_split(kept.splits[order], firsts)[repeated]
    across = (counts > 0).sum(axis=1) > 1
    # A text's first document has the smallest position, since the sort is stable.
    starts, ends = firsts[repeated], firsts[repeated] + sizes[repeated]
    best = np.lexsort((order[starts], ~across))[:MOST_NAMED]
    return ExactDuplicates(
        texts=len(repeated),
        across_splits=int(across.sum()),
        surplus=int((sizes[repeated] - 1).sum()),
        pairs=_pairs(counts),
        named=[
            RepeatedText(
                ids=[shown(name) for name in kept.ids_at(order[start:end][:_MOST_IDS])],
                documents=by_split(counts[text]),
            )
            for text, start, end in zip(best, starts[best], ends[best], strict=True)
        ],
    )


def first_documents(digests: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The first document of each different text.

    Parameters
    ----------
    digests : numpy.ndarray
        Of shape (documents, 2), uint64.

    Returns
    -------
    numpy.ndarray
        Positions, of shape (texts,), int64, ascending.

    Examples
    --------
    >>> first_documents(np.array([[7, 7], [7, 6], [7, 7]], dtype=np.uint64)).tolist()
    [0, 1]
    """
    order, firsts = _sorted_texts(digests)
    return np.sort(order[firsts])


def _sorted_texts(digests: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Documents in the order of their digests, and where in it each text starts."""
    order = np.lexsort((digests[:, 1], digests[:, 0]))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (digests[order[1:]] != digests[order[:-1]]).any(axis=1)
    return order, np.flatnonzero(new)


def _counts_by_split(splits: NDArray[np.int8], firsts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Documents of each text in each split, of shape (texts, 3)."""
    if not len(firsts):
        return np.zeros((0, len(SPLITS)), dtype=np.int64)
    return np.stack(
        [np.add.reduceat((splits == s).astype(np.int64), firsts) for s in range(len(SPLITS))],
        axis=1,
    )


def _pairs(counts: NDArray[np.int64]) -> PairCounts:
    matrix = np.triu(counts.T @ counts, k=1)
    np.fill_diagonal(matrix, (counts * (counts - 1) // 2).sum(axis=0))
    return pair_counts(matrix)
