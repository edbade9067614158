"""G1: an answer is a title and a body."""

from __future__ import annotations

import re

from builders.gates.readable import readable
from builders.published.titles import plain_title

LONGEST_TITLE = 40
"""Words of the longest first line that is a title; a longer one is the body's first paragraph."""

_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*)\n```", re.DOTALL)
_RULES = re.compile(r"(?:[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t]*(?:\n|\Z)|[ \t]*\n)+")
_BODY_MARK = re.compile(
    r"(?:#{1,6}[ \t]+)?[*_]{0,2}body[*_]{0,2}[ \t]*:[*_]{0,2}\s*", re.IGNORECASE
)
_TITLE_MARK = re.compile(r"\W*title\b", re.IGNORECASE)
_WRAPS = (("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ('"', '"'), ("\u201c", "\u201d"))


def document_of(text: str) -> tuple[str, str]:
    r"""Take an answer apart into title and body.

    The title is the first line; what marks it as one (a heading mark, "Title:", emphasis,
    quotation marks around it) is taken off, and so is "Body:" after a "Title:". A code fence
    around the whole answer is no part of it, nor are rules between title and body. What nobody
    sees of the answer is taken out before (see `readable`): neither title nor body has control
    characters, marks of direction or characters without width.

    Parameters
    ----------
    text : str
        As it was written.

    Returns
    -------
    title : str
        One line; empty where the answer begins with a paragraph of more than 40 words.
    body : str
        Everything else, without blank lines at its ends.

    Examples
    --------
    >>> document_of("# The Bee\n\nShe came home.\n\nAt noon.")
    ('The Bee', 'She came home.\n\nAt noon.')
    >>> document_of("**Title: The Bee**\nShe came home.")
    ('The Bee', 'She came home.')
    >>> document_of("She came home.")
    ('She came home.', '')
    """
    whole = readable(text).text.strip()
    fenced = _FENCE.fullmatch(whole)
    if fenced and "```" not in fenced[1]:
        whole = fenced[1].strip()
    whole = whole[_length_of(_RULES, whole) :]
    line, _, rest = whole.partition("\n")
    if len(line.split()) > LONGEST_TITLE:
        return "", whole
    body = rest[_length_of(_RULES, rest) :]
    if _TITLE_MARK.match(line):
        body = body[_length_of(_BODY_MARK, body) :]
    return _bare(line), body.strip("\n").rstrip()


def is_parsed(title: str, body: str) -> bool:
    """Whether title and body both have a letter or a digit.

    Examples
    --------
    >>> is_parsed("A title", " "), is_parsed("A title", "---"), is_parsed("1984", "It is cold.")
    (False, False, True)
    """
    return any(map(str.isalnum, title)) and any(map(str.isalnum, body))


def _bare(line: str) -> str:
    title = plain_title(line.strip())
    if title.count("**") % 2:  # the other one went with "Title:"
        title = title.removesuffix("**").removeprefix("**")
    for opening, closing in _WRAPS:
        inner = title[len(opening) : -len(closing)]
        is_wrapped = title.startswith(opening) and title.endswith(closing) and inner.strip()
        if is_wrapped and opening not in inner and closing not in inner:
            title = plain_title(inner.strip())
    return title.strip()


def _length_of(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0
