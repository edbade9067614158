"""Titles and authors as they tell works apart."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"\w+")
_SUBTITLE = " : "
_EDITION = re.compile(
    r"(?i)[\s,;:(\[-]*\b(?:\d{1,3}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|new|revised)"
    r"(?:,? (?:rev\.?|revised|enlarged))?\s+ed(?:ition|n)?\b[.)\]\s]*\Z"
)


def plain(text: str) -> str:
    """The words of a text without case, accents and punctuation.

    Examples
    --------
    >>> plain("Cien años de soledad /")
    'cien anos de soledad'
    """
    marks = unicodedata.normalize("NFKD", text).casefold()
    return " ".join(_WORD.findall("".join(m for m in marks if not unicodedata.combining(m))))


def plain_title(title: str) -> str:
    """A title's words without a statement of edition.

    Examples
    --------
    >>> plain_title("Calculus : a course, 3rd ed."), plain_title("Second edition")
    ('calculus a course', 'second edition')
    """
    return plain(_EDITION.sub("", title)) or plain(title)


def work_key(title: str, author: str) -> str:
    """What tells a work by a named author: the title proper, without its subtitle, and the author.

    Examples
    --------
    >>> work_key("Bees : their life (2nd ed.)", "Fabre, J.") == work_key("Bees", "Fabre, J")
    True
    """
    proper = plain_title(title.split(_SUBTITLE)[0]) or plain_title(title)
    return f"{proper}\x1f{plain(author)}"
