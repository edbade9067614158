"""Texts that show nothing."""

from __future__ import annotations

import unicodedata

_UNSEEN = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})
# Fillers that Unicode counts among letters, marks and symbols.
_FILLERS = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")


def is_blank(text: str) -> bool:
    r"""Whether a text has white space, control and zero-width characters alone, or nothing.

    Examples
    --------
    >>> is_blank(" \u00a0\u200b\ufeff\n"), is_blank(""), is_blank("\u200ba")
    (True, True, False)
    """
    return all(char in _FILLERS or unicodedata.category(char) in _UNSEEN for char in text)
