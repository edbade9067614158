"""Counts in words."""

from __future__ import annotations


def counted(count: int, one: str, many: str = "") -> str:
    """A count with its noun.

    Parameters
    ----------
    count : int
    one, many : str
        The noun in the singular, and in the plural where that is not the singular with an s.

    Examples
    --------
    >>> counted(1, "model"), counted(3000, "model"), counted(0, "query", "queries")
    ('1 model', '3,000 models', '0 queries')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
