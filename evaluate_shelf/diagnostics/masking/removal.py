"""A document's text without its own terms, or without as many tokens chosen at random."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from evaluate_shelf.diagnostics.masking.tokens import (
    Span,
    is_in_word,
    n_tokens,
    token_spans,
    words_of,
)
from evaluate_shelf.diagnostics.masking.variants import variants_of
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.statistics.streams import stream

Arm = Literal["masked", "sham"]
"""What is removed: a document's own terms, or as many of its tokens at random."""

SEED = 42
"""Of the sham arm's draws, with the document's id."""

NOTHING_LEFT = "."
"""The text of a document of which nothing is left: few models take an empty one."""

_BLANKS = re.compile(r"\s+")


class Removal(NamedTuple):
    """What is left of a text, and how many tokens it has lost."""

    text: str
    tokens: int


def removed(arm: Arm, identity: str, text: str, terms: Sequence[str]) -> Removal:
    """A document's text in one of the two arms.

    Parameters
    ----------
    arm : {'masked', 'sham'}
        What is removed.
    identity : str
        The document's id, which seeds the sham arm.
    text : str
        The document's text.
    terms : sequence of str
        Its class name, topics, form and category.

    Returns
    -------
    Removal
        Both arms lose the same number of tokens. A text that loses none is as it was.

    Raises
    ------
    ShelfError
        If the text has not lost as many tokens as the document's own terms take up in it.

    Examples
    --------
    >>> removed("masked", "a", "Of maps and the law.", ["Law", "Maps"])
    Removal(text='Of and the .', tokens=2)
    >>> removed("sham", "a", "Of maps and the law.", ["Law", "Maps"]).tokens
    2
    """
    own = masked(text, terms)
    result = own if arm == "masked" else sham(identity, text, own.tokens)
    lost = n_tokens(text) - n_tokens(result.text)
    if lost != own.tokens:
        raise ShelfError(
            f"document {identity!r}: its own terms take up {own.tokens} tokens, the {arm} text "
            f"has lost {lost}; leave the document out, and report it with its text"
        )
    emptied = result.tokens and not result.text.strip()
    return result._replace(text=NOTHING_LEFT) if emptied else result


def masked(text: str, terms: Sequence[str]) -> Removal:
    """A text without any occurrence of the terms' variants.

    What comes together only because a word between is gone is removed too, so that none is left.

    Parameters
    ----------
    text : str
        Any text.
    terms : sequence of str
        Each is removed as `variants_of` says.

    Returns
    -------
    Removal

    Examples
    --------
    >>> masked("Laws, by-laws and outlaws", ["Law"])
    Removal(text=', by- and outlaws', tokens=2)
    """
    patterns = _patterns_of(tuple(terms))
    tokens = 0
    while found := _occurrences(text, patterns):
        tokens += sum(n_tokens(text[start:end]) for start, end in found)
        text = _without(text, found)
    return Removal(text, tokens)


def sham(identity: str, text: str, tokens: int) -> Removal:
    """A text without so many of its tokens, chosen at random.

    Parameters
    ----------
    identity : str
        The document's id: the same id, text and number give the same tokens.
    text : str
        Any text.
    tokens : int
        How many; at most as many as the text has.

    Returns
    -------
    Removal

    Examples
    --------
    >>> sham("a", "one two three", 1) == sham("a", "one two three", 1)
    True
    """
    if not tokens:
        return Removal(text, 0)
    spans = token_spans(text)
    drawn = stream(SEED, "sham", identity).random(len(spans))
    chosen = np.sort(np.argsort(drawn, kind="stable")[:tokens])
    return Removal(_without(text, [spans[number] for number in chosen]), len(chosen))


class _Pattern(NamedTuple):
    """A variant as tokens, what stands between them, and what encloses them."""

    tokens: tuple[str, ...]
    between: tuple[str, ...]
    before: str
    after: str


_Patterns = dict[str, list[_Pattern]]


@lru_cache(maxsize=1 << 14)
def _patterns_of_term(term: str) -> tuple[_Pattern, ...]:
    return tuple(_pattern(variant) for variant in variants_of(term))


@lru_cache(maxsize=1 << 10)
def _patterns_of(terms: tuple[str, ...]) -> _Patterns:
    """Patterns by their first token."""
    found: _Patterns = {}
    for pattern in dict.fromkeys(p for term in terms for p in _patterns_of_term(term)):
        found.setdefault(pattern.tokens[0], []).append(pattern)
    return found


def _pattern(variant: str) -> _Pattern:
    spans = token_spans(variant)
    return _Pattern(
        tokens=tuple(variant[start:end] for start, end in spans),
        between=tuple(_between(variant, spans, number) for number in range(len(spans) - 1)),
        before=variant[: spans[0][0]],
        after=variant[spans[-1][1] :],
    )


def _between(text: str, spans: Sequence[Span], number: int) -> str:
    """What stands behind a token, up to the next one; a line end is a blank."""
    (_, end), (start, _) = spans[number], spans[number + 1]
    return _BLANKS.sub(" ", text[end:start])


def _occurrences(text: str, patterns: _Patterns) -> list[Span]:
    """Where the patterns occur; overlapping occurrences are one."""
    words = words_of(text)
    if patterns.keys().isdisjoint(words):
        return []
    spans = token_spans(text)
    found = [
        occurrence
        for number, word in enumerate(words)
        if word in patterns
        for pattern in patterns[word]
        if (occurrence := _occurrence(text, spans, words, number, pattern))
    ]
    return _united(found)


def _occurrence(
    text: str, spans: Sequence[Span], words: Sequence[str], number: int, pattern: _Pattern
) -> Span | None:
    last = number + len(pattern.tokens) - 1
    if tuple(words[number : last + 1]) != pattern.tokens or any(
        _between(text, spans, number + step) != wanted
        for step, wanted in enumerate(pattern.between)
    ):
        return None
    first_start, last_end = spans[number][0], spans[last][1]
    start, end = first_start - len(pattern.before), last_end + len(pattern.after)
    encloses = (
        start >= 0
        and text[start:first_start] == pattern.before
        and text[last_end:end] == pattern.after
    )
    at_boundaries = not (is_in_word(text[start - 1 : start]) or is_in_word(text[end : end + 1]))
    return (start, end) if encloses and at_boundaries else None


def _united(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _without(text: str, spans: Sequence[Span]) -> str:
    """The text without these stretches, and without one of the two blanks around each."""
    parts, position = [], 0
    for start, end in spans:
        parts.append(text[position:start])
        begins = start == 0 or text[start - 1].isspace()
        position = end + 1 if begins and text[end : end + 1] == " " else end
    return "".join([*parts, text[position:]])
