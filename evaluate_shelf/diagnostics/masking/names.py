"""Whether a document contains the name of its own label.

The definition is that of the published figures, the class name verbatim in its own document, for
every facet: the name stands in the text with no letter, digit or underscore on either side. Case
is ignored, and a name may run over a line end.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from evaluate_shelf.diagnostics.masking.tokens import is_in_word

NAMED_FACETS = (
    "lcc_name",
    "lcgft_category",
    "lcgft_form",
    "topics",
    "audience",
    "register",
    "geographic",
)
"""Facets whose labels have names."""

HEAD_WORDS = 200
"""Words of a text's beginning."""


class Named(NamedTuple):
    """Whether a text, and its first 200 words, have the name of a label."""

    in_text: bool
    in_head: bool


def folded_text(text: str) -> str:
    r"""A text in lower case, with one blank for each stretch of white space and none at the ends.

    Examples
    --------
    >>> folded_text(" The  END\nis near. ")
    'the end is near.'
    """
    return " ".join(text.lower().split())


def named_in(labels: Iterable[str], text: str) -> Named:
    """Whether any of a document's labels is named in its text.

    Parameters
    ----------
    labels : iterable of str
        Its labels in one facet.
    text : str
        As `folded_text` gives it.

    Returns
    -------
    Named

    Examples
    --------
    >>> named_in(["Law", "Maps"], "no " * 200 + "maps")
    Named(in_text=True, in_head=False)
    """
    ends = [end for label in labels if (end := end_of_name(label, text))]
    return Named(bool(ends), bool(ends) and min(ends) <= _end_of_head(text))


def end_of_name(label: str, text: str) -> int:
    """Where the first occurrence of a label's name ends in a text.

    Parameters
    ----------
    label : str
        The name.
    text : str
        As `folded_text` gives it.

    Returns
    -------
    int
        Number of characters up to there, 0 if the text does not have the name.

    Examples
    --------
    >>> end_of_name("Law", "outlaws know the law."), end_of_name("Law", "lawful")
    (20, 0)
    """
    name = _folded_name(label)
    start = text.find(name)
    # A plain search, and a look at both sides, takes a tenth of what an expression takes.
    while start >= 0:
        end = start + len(name)
        if not (is_in_word(text[start - 1 : start]) or is_in_word(text[end : end + 1])):
            return end
        start = text.find(name, start + 1)
    return 0


def _end_of_head(text: str) -> int:
    return len(" ".join(text.split(" ", HEAD_WORDS)[:HEAD_WORDS]))


# Labels repeat; those of a catalogue are many, and only the last ones are kept.
_folded_name = lru_cache(maxsize=1 << 14)(folded_text)
