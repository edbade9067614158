"""Tokens of a text, and when two of them are the same word."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

_ASCII = re.compile(r"\w+", re.ASCII)
_WITHOUT_MARKS = re.compile(r"\w+")


Span = tuple[int, int]
"""Where a stretch of a text begins and ends, in characters."""


def token_spans(text: str) -> list[Span]:
    """Where the tokens of a text stand.

    A token is a stretch of letters, digits and underscores with the marks on them. Everything
    else, hyphens and apostrophes too, is a word boundary.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    list of Span
        In the order of the text.

    Examples
    --------
    >>> text = "The law's maps, 2nd ed."
    >>> [text[start:end] for start, end in token_spans(text)]
    ['The', 'law', 's', 'maps', '2nd', 'ed']
    """
    return [found.span() for found in _tokens_in(text).finditer(text)]


def words_of(text: str) -> list[str]:
    """The tokens of a text as they are compared, in the order of `token_spans`.

    Examples
    --------
    >>> words_of("The law's Maps")
    ['the', 'law', 's', 'maps']
    """
    if text.isascii():
        return _ASCII.findall(text.lower())
    return [folded(token) for token in _tokens_in(text).findall(text)]


def n_tokens(text: str) -> int:
    """Number of tokens of a text, without their places.

    Examples
    --------
    >>> n_tokens("The law's maps")
    4
    """
    return len(_tokens_in(text).findall(text))


@lru_cache(maxsize=1 << 16)
def folded(token: str) -> str:
    r"""A token as it is compared: without case, and an accent the same however it is encoded.

    Parameters
    ----------
    token : str
        A token, or what stands between two tokens.

    Returns
    -------
    str
        Equal for two strings that match canonically and without case (Unicode, section 3.13).

    Examples
    --------
    >>> folded("CAFÉ") == folded("cafe\u0301"), folded("Straße") == folded("STRASSE")
    (True, True)
    >>> folded("Café") == folded("Cafe")
    False
    """
    if token.isascii():
        return token.lower()
    decomposed = unicodedata.normalize("NFD", token)
    return unicodedata.normalize("NFD", decomposed.casefold())


def n_letters(token: str) -> int:
    """Number of letters of a token; digits, underscores and marks are none.

    Examples
    --------
    >>> n_letters("20th"), n_letters("café")
    (2, 4)
    """
    return sum(character.isalpha() for character in unicodedata.normalize("NFC", token))


def is_in_word(character: str) -> bool:
    """Whether a character continues a token; an empty string does not.

    Examples
    --------
    >>> is_in_word("a"), is_in_word("-"), is_in_word("")
    (True, False, False)
    """
    return character.isalnum() or character == "_"


def _tokens_in(text: str) -> re.Pattern[str]:
    """The pattern of a text's tokens; the one that knows marks takes ten times as long."""
    if text.isascii():
        return _ASCII
    return _WITHOUT_MARKS if _marks().isdisjoint(set(text)) else _with_marks()


@lru_cache(maxsize=1)
def _marks() -> frozenset[str]:
    """Characters that stand on a letter: accents that are encoded apart, vowel signs."""
    every = map(chr, range(sys.maxunicode + 1))
    return frozenset(one for one in every if unicodedata.category(one).startswith("M"))


@lru_cache(maxsize=1)
def _with_marks() -> re.Pattern[str]:
    """Tokens of any script: a word does not end before a mark that stands on one of its letters."""
    return re.compile(rf"\w[\w{''.join(sorted(_marks()))}]*")
