"""How often documents contain the names of their own labels, and what masking takes out of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from evaluate_shelf.diagnostics.masking.names import NAMED_FACETS, folded_text, named_in
from evaluate_shelf.diagnostics.masking.removal import removed
from evaluate_shelf.diagnostics.masking.terms import Terms, labels_in, terms_of_rows
from evaluate_shelf.release.documents import Documents, Release
from evaluate_shelf.release.manifest import SPLITS

FEWEST_DOCUMENTS = 30
"""A share of fewer documents is not shown."""

_PARTS = {"source_version": "generation", "model": "generator"}
_WHOLE = ("all", "all")


class Part(NamedTuple):
    """Documents of a config: all of them, those of one generation, or of one generator.

    Attributes
    ----------
    by : {'all', 'generation', 'generator'}
        What they have in common.
    value : str
        Which one.
    """

    by: str
    value: str


@dataclass
class NameCount:
    """Documents of a part that contain the name of their own label in one facet.

    Attributes
    ----------
    labelled : int
        Documents that have a label; of several labels any one counts.
    in_text, in_head : int
        Those whose text, and whose first 200 words, have the name.
    """

    labelled: int = 0
    in_text: int = 0
    in_head: int = 0


@dataclass
class Lost:
    """What masking takes out of the documents of a part; the sham arm takes out as much.

    Attributes
    ----------
    documents : int
        All of them.
    changed : int
        Those that lose a token.
    tokens : int
        Tokens that all of them lose.
    """

    documents: int = 0
    changed: int = 0
    tokens: int = 0


@dataclass(frozen=True)
class LabelTerms:
    """The counts of a config over all its splits: every document is counted, none is sampled.

    Attributes
    ----------
    names : dict of tuple of Part and str to NameCount
        By part and facet.
    lost : dict of Part to Lost
        By part.
    """

    names: dict[tuple[Part, str], NameCount]
    lost: dict[Part, Lost]


def label_terms(release: Release, config: str) -> LabelTerms:
    """Count own label terms in every document of a config.

    Both arms are made for each document, and checked to have lost as many tokens.

    Parameters
    ----------
    release : Release
        Where the config lies.
    config : str
        A config of documents.

    Returns
    -------
    LabelTerms

    Raises
    ------
    ShelfError
        If the config is none, has no label, or an arm has lost another number of tokens.
    """
    names: dict[tuple[Part, str], NameCount] = defaultdict(NameCount)
    lost: dict[Part, Lost] = defaultdict(Lost)
    for split in SPLITS:
        if not release.manifest.files_of(config, split):
            continue
        documents = release.documents(config, split)
        place = f"{release.folder}: config {config!r}"
        for row in _rows(documents, terms_of_rows(documents.table, place)):
            _add_names(row, names)
            _add_lost(row, lost)
    return LabelTerms(dict(names), dict(lost))


def share(count: int, of: int) -> float | None:
    """A share; None where it is of fewer than 30 documents.

    Examples
    --------
    >>> share(15, 30), share(1, 29)
    (0.5, None)
    """
    return count / of if of >= FEWEST_DOCUMENTS else None


def label_term_values(found: LabelTerms) -> dict[str, list[dict[str, Any]]]:
    """The counts with their shares, as plain values, in the order of parts and facets."""
    parts = sorted(found.lost, key=_order)
    return {
        "names": [
            {
                **part._asdict(),
                "facet": facet,
                "labelled": own.labelled,
                "in_text": own.in_text,
                "in_first_200_words": own.in_head,
                "share_in_text": share(own.in_text, own.labelled),
                "share_in_first_200_words": share(own.in_head, own.labelled),
            }
            for part in parts
            for facet in NAMED_FACETS
            if (own := found.names.get((part, facet)))
        ],
        "removed": [
            {
                **part._asdict(),
                "documents": own.documents,
                "changed": own.changed,
                "tokens": own.tokens,
                "share_changed": share(own.changed, own.documents),
                "mean_tokens": share(own.tokens, own.documents),
            }
            for part in parts
            for own in [found.lost[part]]
        ],
    }


class _Row(NamedTuple):
    identity: str
    text: str
    terms: Terms
    labels: dict[str, list[str]]
    parts: tuple[Part, ...]


def _rows(documents: Documents, terms: Sequence[Terms]) -> Iterator[_Row]:
    columns = documents.table.column_names
    facets = {name: documents.column(name) for name in NAMED_FACETS if name in columns}
    parts = {by: documents.column(name) for name, by in _PARTS.items() if name in columns}
    for number, (identity, text) in enumerate(
        zip(documents.ids, documents.column("text"), strict=True)
    ):
        own = [Part(by, values[number]) for by, values in parts.items() if values[number]]
        labels = {facet: labels_in(values[number]) for facet, values in facets.items()}
        yield _Row(identity, text, terms[number], labels, (Part(*_WHOLE), *own))


def _add_names(row: _Row, names: dict[tuple[Part, str], NameCount]) -> None:
    text = folded_text(row.text)
    for facet, labels in row.labels.items():
        if not labels:
            continue
        named = named_in(labels, text)
        for part in row.parts:
            count = names[part, facet]
            count.labelled += 1
            count.in_text += named.in_text
            count.in_head += named.in_head


def _add_lost(row: _Row, lost: dict[Part, Lost]) -> None:
    tokens = removed("masked", row.identity, row.text, row.terms).tokens
    removed("sham", row.identity, row.text, row.terms)
    for part in row.parts:
        own = lost[part]
        own.documents += 1
        own.changed += tokens > 0
        own.tokens += tokens


def _order(part: Part) -> tuple[int, str]:
    return ["all", *_PARTS.values()].index(part.by), part.value
