"""The documents of each corpus that a matrix uses, cut to size and split."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.data import label_names
from evaluate_shelf.printable import UNPRINTABLE
from evaluate_shelf.release.documents import Documents
from evaluate_shelf.statistics.streams import stream
from evaluate_shelf.transfer_matrix.corpora import Corpus
from evaluate_shelf.transfer_matrix.settings import FIELD, Settings
from evaluate_shelf.transfer_matrix.splitting import Parts, split_by_class, split_by_groups

Part = Literal["train", "test"]

_LONGEST_LABEL = 300
_NO_CLASS = re.compile(rf"[{UNPRINTABLE}]|.{{{_LONGEST_LABEL + 1}}}")


@dataclass(frozen=True)
class Sample:
    """The documents of a corpus that a matrix uses.

    Attributes
    ----------
    corpus : Corpus
        Where they are from.
    used : ndarray of int64, shape (n_used,)
        Their positions in `corpus.documents`.
    labelled : int
        How many documents of the corpus have a class; those without one are in no sample.
    settings : Settings
    parts : Parts
        Positions in `used`.
    """

    corpus: Corpus
    used: NDArray[np.int64]
    labelled: int
    settings: Settings
    parts: Parts

    @property
    def name(self) -> str:
        """The corpus's name."""
        return self.corpus.name

    @property
    def is_whole(self) -> bool:
        """Whether no document was left out by chance."""
        return len(self.used) == self.labelled

    @property
    def grouped_by(self) -> str | None:
        """The column of the groups that the split keeps together; None where it keeps none."""
        return self.corpus.group_column if self.settings.split == "groups" else None

    @property
    def key(self) -> list[Any]:
        """What a cell depends on; not the name, which is the user's."""
        return [self.corpus.data.content_sha256, self.corpus.group_column, len(self.used)]

    @property
    def field(self) -> str:
        """What of the corpus is encoded, for the key of stored vectors."""
        parts = ["text"]
        if self.settings.words is not None:
            parts.append(f"first {self.settings.words} words")
        if not self.is_whole:
            parts.append(f"{len(self.used)} documents, seed {self.settings.seed}")
        return ", ".join(parts)

    @cached_property
    def labels(self) -> NDArray[Any]:
        """Class of each document, shape (n_used,)."""
        return np.array(self.corpus.documents.column(FIELD), dtype=object)[self.used]

    @cached_property
    def groups(self) -> NDArray[Any]:
        """Group of each document, shape (n_used,): what an interval resamples."""
        return np.array(self.corpus.documents.groups, dtype=object)[self.used]

    def labels_of(self, part: Part) -> list[str]:
        """Classes of a part's documents."""
        labels: list[str] = self.labels[getattr(self.parts, part)].tolist()
        return labels

    def ids_of(self, part: Part) -> list[str]:
        """Ids of a part's documents."""
        ids = self.corpus.documents.ids
        return [ids[row] for row in self.rows_of(part)]

    def texts_of(self, part: Part) -> list[str]:
        """Texts of a part's documents, as far as they are read."""
        taken: Documents = self.corpus.documents.take(self.rows_of(part).tolist())
        return first_words(taken.column("text"), self.settings.words)

    def rows_of(self, part: Part) -> NDArray[np.int64]:
        """Positions of a part's documents in `corpus.documents`."""
        rows: NDArray[np.int64] = self.used[getattr(self.parts, part)]
        return rows

    def digests_of(self, part: Part) -> list[bytes]:
        """A hash of each text, the same for texts that differ in case or white space alone."""
        return [self._digests[position] for position in getattr(self.parts, part)]

    @cached_property
    def _digests(self) -> list[bytes]:
        taken = self.corpus.documents.take(self.used.tolist())
        return [_digest(own) for own in first_words(taken.column("text"), self.settings.words)]


def samples(corpora: Sequence[Corpus], settings: Settings) -> tuple[Sample, ...]:
    """Cut corpora to size and split them.

    Parameters
    ----------
    corpora : sequence of Corpus
    settings : Settings
        With `equal`, the smallest corpus is the one with the fewest documents that have a class.

    Returns
    -------
    tuple of Sample
        In the order of the corpora.

    Raises
    ------
    ShelfError
        If a corpus, or what is to be learned from of it, has fewer than two classes, or it cannot
        be split.
    """
    labelled = [_labelled(corpus) for corpus in corpora]
    fewest = min(map(len, labelled))
    size = fewest if settings.size == "equal" else None
    return tuple(
        _sample(corpus, positions, size, settings)
        for corpus, positions in zip(corpora, labelled, strict=True)
    )


def first_words(texts: Sequence[str], words: int | None) -> list[str]:
    """Texts up to so many words, which white space parts; whole texts where there is no number.

    Examples
    --------
    >>> first_words(["one two  three"], 2)
    ['one two']
    """
    if words is None:
        return list(texts)
    return [" ".join(text.split(maxsplit=words)[:words]) for text in texts]


def _labelled(corpus: Corpus) -> NDArray[np.int64]:
    """Positions of the documents that have a class."""
    documents = corpus.documents
    labels = documents.column(FIELD)
    positions = [n for n, label in enumerate(labels) if label]
    if not positions:
        raise ShelfError(f"{corpus.place}: no document has a {FIELD}; leave {corpus.name} out")
    strange = next((n for n in positions if _NO_CLASS.search(labels[n])), None)
    if strange is not None:
        raise ShelfError(
            f"{corpus.place}, document {documents.ids[strange]!r}, field {FIELD!r}: "
            f"{labels[strange]!r:.80} is no class, which is one printable line of at most "
            f"{_LONGEST_LABEL} letters; mend it, or empty the field"
        )
    return np.array(positions, dtype=np.int64)


def _sample(
    corpus: Corpus, positions: NDArray[np.int64], size: int | None, settings: Settings
) -> Sample:
    used = positions
    if size is not None and size < len(positions):
        draws = stream(settings.seed, "transfer matrix", corpus.data.content_sha256)
        used = np.sort(draws.choice(positions, size=size, replace=False))
    whole = Sample(corpus, used, len(positions), settings, Parts(np.arange(0), np.arange(0)))
    place = f"{corpus.place}, corpus {corpus.name!r}"
    label_names(whole.labels.tolist(), place)
    try:
        if whole.grouped_by is not None:
            parts = split_by_groups(whole.groups.tolist(), settings.test_share, settings.seed)
        else:
            parts = split_by_class(whole.labels.tolist(), settings.test_share, settings.seed)
    except ShelfError as error:
        raise ShelfError(f"{place}: {error}") from error
    label_names(whole.labels[parts.train].tolist(), f"{place}, the part to learn from")
    return Sample(corpus, used, len(positions), settings, parts)


def _digest(text: str) -> bytes:
    return hashlib.sha256(" ".join(text.lower().split()).encode("utf-8")).digest()
