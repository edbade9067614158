"""G1: a document has a title and a body."""

from __future__ import annotations


def is_parsed(title: str, body: str) -> bool:
    """Whether neither title nor body is blank.

    Examples
    --------
    >>> is_parsed("A title", " ")
    False
    """
    return bool(title.strip()) and bool(body.strip())
