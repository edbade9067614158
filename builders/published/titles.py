"""Titles without the marks that a writer put before them."""

from __future__ import annotations

import re

_MARK = re.compile(r"\s*(?:#{1,6}\s+|[*_]*title[*_]*\s*:[*_]*\s*)", re.IGNORECASE)
_PASSES = 3


def plain_title(title: str) -> str:
    """A title without a leading heading mark of Markdown or the label "Title:".

    Up to three of them are taken off, as in the published pool; a title without any stays as it
    is.

    Examples
    --------
    >>> plain_title("## Title: The Bee"), plain_title("Title page of a Psalter")
    ('The Bee', 'Title page of a Psalter')
    >>> plain_title("# 1 tip "), plain_title("#bees")
    ('1 tip', '#bees')
    """
    plain = title
    for _ in range(_PASSES):
        match = _MARK.match(plain)
        if match is None:
            break
        plain = plain[match.end() :].strip()
    return plain
