"""How much of a text is words, and how much of it is running English."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"[\W_]*[^\W\d_]\D*")
_EDGES = "\"'“”‘’.,;:!?()[]—–-*_="
_FUNCTION_WORDS = frozenset(
    {
        "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be",
        "been", "before", "but", "by", "can", "could", "did", "do", "for", "from", "had", "has",
        "have", "he", "her", "him", "his", "i", "if", "in", "into", "is", "it", "its", "may",
        "me", "more", "my", "no", "not", "of", "on", "one", "or", "other", "our", "out",
        "shall", "she", "should", "so", "some", "such", "than", "that", "the", "their", "them",
        "then", "there", "these", "they", "this", "those", "to", "under", "up", "upon", "us",
        "was", "we", "were", "what", "when", "which", "who", "whom", "will", "with", "would",
        "you", "your",
    }
)  # fmt: skip


def alphabetic_share(tokens: Sequence[str]) -> float:
    """Share of tokens that are words: letters and no digit, with or without punctuation.

    Examples
    --------
    >>> alphabetic_share("The well-known queen, 1861, flies".split())
    0.8
    """
    if not tokens:
        return 0.0
    # `isalpha` is quick and settles most of them.
    return sum(token.isalpha() or bool(_WORD.fullmatch(token)) for token in tokens) / len(tokens)


def function_word_share(tokens: Sequence[str]) -> float:
    """Share of tokens that are the commonest English words, such as `the` and `of`.

    Running English has two in five; lists, tables, catalogues and other languages have few.

    Examples
    --------
    >>> function_word_share("It is the oldest queen in the hive".split())
    0.625
    """
    if not tokens:
        return 0.0
    return sum(token.strip(_EDGES).casefold() in _FUNCTION_WORDS for token in tokens) / len(tokens)
