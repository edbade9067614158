"""A cataloguer's scope note as a description: what it covers, without the directions."""

from __future__ import annotations

import re

from builders.taxonomies.cleaning import sentences

_ENTERED = re.compile(
    r"^here (?:are|is) entered\s+(?:\w+\s+){0,2}?(?:works|materials?|publications)\s+"
    r"(?:(?:that\s+)?(?:on|about|discuss(?:ing)?|deal(?:ing)?\s+with|treating(?:\s+of)?|concerning)"
    r"\s+)?",
    re.IGNORECASE,
)
_USED_FOR = re.compile(
    r"^(?:(?:this|the) (?:heading|term|concept) (?:is|may be) )?used? (?:here )?for\s+"
    r"(?:works on\s+)?",
    re.IGNORECASE,
)
_DIRECTION = re.compile(
    r"\b(?:(?:is|are) entered|entered under|subdivided|subdivision|heading|see (?:also|under)|"
    r"use (?:also|instead|only|with)|do not use|not to be used|prefer)\b"
    r"|^(?:for|see|do not|when|if|works (?:on|about|dealing))\b",
    re.IGNORECASE,
)


def covered(note: str) -> str:
    """What a scope note says that a label covers.

    Parameters
    ----------
    note : str
        One line.

    Returns
    -------
    str
        Its sentences without those that tell a cataloguer what to do, and without the words that
        lead in; "" if none is left.

    Examples
    --------
    >>> covered("Here are entered works on the keeping of bees. For honey see Foods.")
    'The keeping of bees.'
    >>> covered("Use for songs of work. See also Ballads.")
    'Songs of work.'
    """
    kept = []
    for sentence in sentences(note):
        own = sentence
        for lead_in in (_ENTERED, _USED_FOR):
            own = lead_in.sub("", own, count=1)
        if own and not _DIRECTION.search(own):
            kept.append(own[0].upper() + own[1:])
    return " ".join(kept)
