"""From texts to counts of words."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile(r"\w+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_LOWER_WORDS = "".join(chr(c).lower() if re.match(r"\w", chr(c)) else " " for c in range(128))

_UNKNOWN = -1
_TEXTS_AT_ONCE = 256

Numbers = NDArray[np.int32]


class Counted(NamedTuple):
    """How often each word stands in each text.

    Attributes
    ----------
    vocabulary : dict of str to int
        Number of each word, in the order of the words.
    counts : scipy.sparse.csr_matrix of float64, shape (n_texts, n_words)
        With sorted columns, so that sums run in one order everywhere.
    """

    vocabulary: dict[str, int]
    counts: Any


def tokens(text: str) -> list[str]:
    """Lower-case words without accents.

    Text is lower-cased, decomposed (NFD) and stripped of combining marks; a word is a run of
    letters, digits and underscores of any script.

    Examples
    --------
    >>> tokens("São Paulo's 2 ports")
    ['sao', 'paulo', 's', '2', 'ports']
    """
    if not text.isascii():
        text = _plain(text)
        if not text.isascii():
            return _WORD.findall(text)
    # What remains is ASCII: one table lower-cases it and makes all else spaces.
    return text.translate(_LOWER_WORDS).split()


def counted(texts: Sequence[str]) -> Counted:
    """Count all words of texts.

    Examples
    --------
    >>> words = counted(["sea and sea", "land"])
    >>> words.vocabulary, words.counts.toarray().tolist()
    ({'and': 0, 'land': 1, 'sea': 2}, [[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]])
    """
    seen: defaultdict[str, int] = defaultdict()
    seen.default_factory = seen.__len__
    number = seen.__getitem__

    def numbers(words: list[str]) -> Numbers:
        return np.fromiter(map(number, words), np.int32, len(words))

    counts = _counts(texts, numbers, lambda: len(seen))
    vocabulary = {word: place for place, word in enumerate(sorted(seen))}
    place_of = np.fromiter(map(vocabulary.__getitem__, seen), np.int32, len(seen))
    counts.indices = place_of[counts.indices]
    counts.has_sorted_indices = False
    counts.sort_indices()
    return Counted(vocabulary, counts)


def counts_of_known(texts: Sequence[str], vocabulary: Mapping[str, int]) -> Any:
    """Count the words of a vocabulary in texts; other words are left out.

    Returns
    -------
    scipy.sparse.csr_matrix of float64, shape (n_texts, n_words)

    Examples
    --------
    >>> counts_of_known(["sea, sky"], {"land": 0, "sea": 1}).toarray()
    array([[0., 1.]])
    """
    number = vocabulary.get

    def numbers(words: list[str]) -> Numbers:
        found = np.fromiter(map(number, words, repeat(_UNKNOWN)), np.int32, len(words))
        known: Numbers = found[found != _UNKNOWN]
        return known

    return _counts(texts, numbers, lambda: len(vocabulary))


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFD", text.lower())
    # A text has few characters beyond ASCII that differ, so each is dropped by itself.
    for character in sorted(set(_NOT_ASCII.findall(text))):
        if unicodedata.combining(character):
            text = text.replace(character, "")
        elif not character.isalnum():
            text = text.replace(character, " ")
    return text


def _counts(
    texts: Sequence[str],
    numbers: Callable[[list[str]], Numbers],
    n_words: Callable[[], int],
) -> Any:
    from scipy.sparse import csr_matrix

    columns, counts, sizes = [], [], []
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        each = [numbers(tokens(text)) for text in texts[start : start + _TEXTS_AT_ONCE]]
        row = np.repeat(np.arange(len(each)), [len(one) for one in each])
        cell = (row << 32) | np.concatenate(each)
        cell.sort()
        first = np.flatnonzero(np.diff(cell, prepend=-1))
        columns.append((cell[first] & 0xFFFFFFFF).astype(np.int32))
        counts.append(np.diff(first, append=len(cell)).astype(np.float64))
        sizes.append(np.bincount(cell[first] >> 32, minlength=len(each)))
    indptr = np.concatenate([[0], *sizes]).cumsum()
    data = np.concatenate([np.empty(0), *counts])
    indices = np.concatenate([np.empty(0, np.int32), *columns])
    return csr_matrix((data, indices, indptr), shape=(len(texts), n_words()))
