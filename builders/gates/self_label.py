"""G4: a document does not announce its own labels."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

_NOUNS = ("document", "article", "report", "essay", "paper", "text", "guide", "work")
_DISCIPLINES = ("law", "medicine", "science", "technology", "education", "agriculture")
# A vocabulary's acronym used as a code: "LCSH: ..." or "(LCC): ...".
_ACRONYM = re.compile(r"\b(?:LCC|LCSH|LCGFT|FAST)\b\s*[)\]]?\s*:")
_HEADER = re.compile(r"(?im)^[\s#*>-]*(?:document type|subject area|category|genre)\s*\**\s*:")
_FIELD = re.compile(r"(?i)\bin the field of\b")
_SELF_DESCRIPTION = re.compile(
    rf"(?i)\bthis (?:{'|'.join(_NOUNS)})\b[^.!?\n]{{0,40}}?"
    r"\b(?:describes|discusses|explores|presents)\b"
)
_DISCIPLINE = re.compile(rf"(?im)^\s*(?:in|within) (?:{'|'.join(_DISCIPLINES)}),")
# A pattern is looked for only where a text has one of its words: most texts have none, and
# looking for plain words takes a fraction of the time.
_PATTERNS = (
    (_ACRONYM, ("lcc", "lcsh", "lcgft", "fast")),
    (_HEADER, ("document type", "subject area", "category", "genre")),
    (_FIELD, ("in the field of",)),
    (_SELF_DESCRIPTION, tuple(f"this {noun}" for noun in _NOUNS)),
    (_DISCIPLINE, tuple(f"in {discipline}," for discipline in _DISCIPLINES)),
)


def self_labels(text: str, labels: Sequence[str]) -> list[str]:
    """Find the places where a text states what it is.

    Parameters
    ----------
    text : str
        Title and body.
    labels : sequence of str
        Labels that must not stand in label position: at the start of a line or after a bracket
        and before a colon or dash, after a key word with a colon or equals sign, or after a
        bracketed acronym. Their use as ordinary words is no hit.

    Returns
    -------
    list of str
        The hits, each cut to 60 characters.

    Examples
    --------
    >>> self_labels("Genre: a ballad", [])
    ['Genre:']
    >>> self_labels("Music: a note", ["Music"]), self_labels("She wrote music.", ["Music"])
    (['Music:'], [])
    """
    folded = text.casefold()
    patterns = [pattern for pattern, words in _PATTERNS if any(word in folded for word in words)]
    if any(label.casefold() in folded for label in labels):
        patterns.append(_label_position(tuple(labels)))
    return [match.group(0).strip()[:60] for p in patterns for match in p.finditer(text)]


@functools.lru_cache(maxsize=4096)
def _label_position(labels: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    # A label may end with a bracket, where a word boundary would ask for a letter to follow.
    return re.compile(
        rf"(?im)(?:(?:^[\s#*>-]*|[(\[])(?:{names})\**\s*[:\u2013\u2014]"
        rf"|\b(?:type|form|class|subject|topic)\s*[:=]\s*(?:{names})(?!\w)"
        rf"|[(\[](?:LCC|LCSH|LCGFT|FAST)[)\]]\s*(?:{names})(?!\w))"
    )
