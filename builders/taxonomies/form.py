"""The one form that every foreign vocabulary is read into."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple

from evaluate_shelf.records.record import cleaned

Format = Literal["skos", "tsv", "marc"]
Facet = Literal["subject", "forms", "topics", "places", "audience", "register"]


@dataclass(frozen=True, slots=True)
class Concept:
    """A labelled concept of a vocabulary.

    Attributes
    ----------
    id : str
        URI, control number, or what else names it; no two concepts share one.
    label : str
        What it is called, in one language; one line of text.
    broader : tuple of str
        Ids of the concepts right above it.
    description : str
        Its definition; "" if there is none.
    scope_note : str
        How its label is used; "" if there is none.
    other_labels : tuple of str
        Labels that the vocabulary gives besides.
    notation : str
        Its class mark; "" if there is none.
    """

    id: str
    label: str
    broader: tuple[str, ...] = ()
    description: str = ""
    scope_note: str = ""
    other_labels: tuple[str, ...] = ()
    notation: str = ""


class Kind(StrEnum):
    """What can happen to a concept on its way in; every case is counted and named."""

    DEPRECATED = "left out: deprecated"
    NO_LABEL = "left out: no label in the language"
    NO_URI = "left out: has no URI"
    EMPTY_LABEL = "left out: label without a letter or digit"
    LONG_LABEL = "left out: label too long"
    SAME_ID = "left out: id repeated"
    SAME_LABEL = "left out: label repeated"
    OTHER_HEADING = "left out: heading of another facet"
    NO_AUTHORITY = "left out: no authority record"
    REFERENCE = "left out: record for references only"
    UNREAD = "left out: damaged record"
    NOT_CHOSEN = "left out: above or beside what was asked for, or beyond its number"
    SEVERAL_LABELS = "repaired: several preferred labels in one language"
    CONTROL = "repaired: tab, line end or control character in a label"
    QUALIFIED = "repaired: label repeated, qualified by what is above it"
    BRIDGED = "repaired: broader concept left out, the next above it taken"
    NO_BROADER = "repaired: broader concept that is not there"
    SEVERAL_REGIONS = "repaired: several regions, the first taken"
    CLEANED = "description: own or neighbouring label removed"
    SHORTENED = "description: shortened"
    FROM_SCOPE_NOTE = "description: taken from the scope note"
    FROM_NARROWER = "description: made from narrower concepts"
    LABEL_KEPT = "description: none left, the label stands in its place"
    NO_GLOSS = "description: none left, none given"
    SAME_DESCRIPTION = "description: the same as another's"

    @property
    def is_left_out(self) -> bool:
        """Whether the concept is in the taxonomy no more."""
        return self.value.startswith("left out")


class Case(NamedTuple):
    """Something that happened to a concept.

    Attributes
    ----------
    kind : Kind
        What.
    id, label : str
        The concept; either may be "" where it is unknown.
    detail : str
        What else is worth knowing.
    before, after : str
        A description before and after cleaning.
    """

    kind: Kind
    id: str
    label: str
    detail: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader found.

    Attributes
    ----------
    name : str
        Of the vocabulary.
    concepts : list of Concept
        As they stand, not yet tidied.
    cases : list of Case
        What was left out or repaired in reading.
    broader_of_left_out : dict of str to tuple of str
        Ids right above concepts that were left out, so that a way up leads past them.
    uri : str
        Of the vocabulary; "" if its file does not say.
    licence : str
        What its file says of its terms; "" if nothing.
    """

    name: str
    concepts: list[Concept]
    cases: list[Case] = field(default_factory=list)
    broader_of_left_out: dict[str, tuple[str, ...]] = field(default_factory=dict)
    uri: str = ""
    licence: str = ""


LONGEST_LABEL = 200
"""Characters of the longest label that is taken."""

LONGEST_TEXT = 10_000
"""Characters of a definition or note that are taken."""

MOST_CONCEPTS = 500_000
"""The most concepts that are read from one file."""

MOST_BYTES = 64 * 2**20
"""Bytes of the largest file that is read, inflated."""


def plain(text: str) -> str:
    r"""A text on one line: no control characters, no lone surrogates, white space folded.

    Examples
    --------
    >>> plain(" satyr play\ts\n"), plain("a\ud800b")
    ('satyr play s', 'a?b')
    """
    return cleaned(text.encode("utf-8", "replace").decode("utf-8"))
