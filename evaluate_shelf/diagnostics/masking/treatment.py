"""The texts of a config in one of the two arms, as the tasks read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluate_shelf.diagnostics.masking.removal import NOTHING_LEFT, Arm, removed
from evaluate_shelf.diagnostics.masking.terms import Terms, terms_of_rows
from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.release.documents import Documents, Release
from evaluate_shelf.release.manifest import SPLITS


@dataclass(frozen=True)
class Treated:
    """Texts in one of the arms.

    Attributes
    ----------
    texts : pyarrow.ChunkedArray of string, shape (n,)
        What is left of each.
    tokens : ndarray of int64, shape (n,)
        How many tokens each has lost.
    """

    texts: pa.ChunkedArray
    tokens: NDArray[np.int64]


@dataclass(frozen=True)
class RemovedTokens:
    """What the documents of a config have lost.

    Attributes
    ----------
    documents : int
        All of them, or those of a pair config's test pairs.
    changed : int
        Those that have lost a token.
    emptied : int
        Those of which nothing is left; they are read as a full stop.
    tokens : int
        Tokens that all of them have lost.
    """

    documents: int
    changed: int
    emptied: int
    tokens: int

    @property
    def mean_tokens(self) -> float:
        """Mean over all documents, 0 if there is none."""
        return self.tokens / self.documents if self.documents else 0.0


def treated(arm: Arm, ids: Sequence[str], texts: Sequence[str], terms: Sequence[Terms]) -> Treated:
    """Texts in one of the arms.

    Parameters
    ----------
    arm : {'masked', 'sham'}
        What is removed.
    ids, texts : sequence of str, length n
        Of the documents.
    terms : sequence of tuple of str, length n
        Their own terms.

    Returns
    -------
    Treated

    Raises
    ------
    ShelfError
        As `removed`, with the document's id.

    Examples
    --------
    >>> found = treated("masked", ["a", "b"], ["On law.", "On art."], [("Law",), ("Maps",)])
    >>> found.texts.to_pylist(), found.tokens.tolist()
    (['On .', 'On art.'], [1, 0])
    """
    found = [removed(arm, *row) for row in zip(ids, texts, terms, strict=True)]
    return Treated(
        pa.chunked_array([pa.array([own.text for own in found], pa.string())]),
        np.array([own.tokens for own in found], dtype=np.int64),
    )


def removed_tokens(parts: Iterable[Treated]) -> RemovedTokens:
    """What several parts of a config have lost together.

    Examples
    --------
    >>> removed_tokens([treated("masked", ["a"], ["Law"], [("Law",)])])
    RemovedTokens(documents=1, changed=1, emptied=1, tokens=1)
    """
    several = list(parts)
    tokens = np.concatenate([np.empty(0, np.int64), *(part.tokens for part in several)])
    emptied = sum(
        text == NOTHING_LEFT and lost > 0
        for part in several
        for text, lost in zip(part.texts.to_pylist(), part.tokens.tolist(), strict=True)
    )
    return RemovedTokens(len(tokens), int((tokens > 0).sum()), emptied, int(tokens.sum()))


class TreatedDocuments:
    """Documents of one split in one of the arms; no text is read before one is asked for.

    Parameters
    ----------
    arm : {'masked', 'sham'}
        What is removed.
    documents : Documents
        Their rows, with the columns of their labels.
    place : str
        What they are, for messages.

    Raises
    ------
    UnsupportedError
        When a text is asked for, if the rows have no label at all.
    """

    def __init__(self, arm: Arm, documents: Documents, place: str) -> None:
        self._arm = arm
        self._full = documents
        self._place = place

    @cached_property
    def treated(self) -> Treated:
        """Their texts, made once: masking takes longer than reading them."""
        terms = terms_of_rows(self._full.table, self._place)
        return treated(self._arm, self._full.ids, self._full.column("text"), terms)

    @property
    def documents(self) -> Documents:
        """The same rows, whose column `text` is that of the arm."""
        return replace(self._full, prose=self._prose)

    def _prose(self, name: str) -> pa.ChunkedArray:
        return self.treated.texts if name == "text" else self._full.arrow(name)


def treated_sides(
    arm: Arm, release: Release, config: str, ids: Sequence[str], texts: Sequence[str]
) -> Treated:
    """Texts of the documents of pairs, each without its own terms or as many of its tokens.

    Parameters
    ----------
    arm : {'masked', 'sham'}
        What is removed.
    release : Release
        Where the pairs lie.
    config : str
        A config of pairs; labels are those of the config that the pairs were drawn from.
    ids, texts : sequence of str, length n
        Of the documents.

    Returns
    -------
    Treated

    Raises
    ------
    UnsupportedError
        If it is not known what the pairs were drawn from, or a document is not there, or has no
        column with a label.
    """
    terms = _terms_of_sources(release, config)
    missing = [identity for identity in ids if identity not in terms]
    if missing:
        raise UnsupportedError(
            f"config {config!r}: document {missing[0]!r} is not in the config that its pairs were "
            "drawn from, so its own terms are not known"
        )
    return treated(arm, ids, texts, [terms[identity] for identity in ids])


def _terms_of_sources(release: Release, config: str) -> dict[str, Terms]:
    """The own terms of every document of the config that pairs were drawn from, by id."""
    source = release.config(config).derived_from
    if source is None or source not in release.manifest.configs:
        raise UnsupportedError(
            f"config {config!r}: the release does not have the documents that its pairs were "
            "drawn from, so their own terms are not known"
        )
    found: dict[str, Terms] = {}
    for split in SPLITS:
        if release.manifest.files_of(source, split):
            documents = release.documents(source, split)
            terms = terms_of_rows(documents.table, f"config {source!r}")
            found.update(zip(documents.ids, terms, strict=True))
    return found
