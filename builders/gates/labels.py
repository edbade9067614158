"""A document's own labels, in the forms in which a text may present them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from builders.taxonomies.finding import singular

Key = tuple[str, ...]
"""Words in lower case and the singular; two phrases with one key are one label."""

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_QUALIFIER = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_PART = re.compile(r",|;|&|/|\band\b|\bor\b", re.IGNORECASE)
_ARTICLES = frozenset({"a", "an", "the"})


class OwnLabels(NamedTuple):
    """The labels that a document must not present as such.

    Attributes
    ----------
    kinds : tuple of str
        Category and form: what the document is.
    subjects : tuple of str
        Class name: what it is about.
    code : str
        Of the class.
    others : tuple of str
        Topics, audience, register, length: labels only where a header says so.
    """

    kinds: tuple[str, ...]
    subjects: tuple[str, ...]
    code: str = ""
    others: tuple[str, ...] = ()


def key_of(phrase: str) -> Key:
    """The key of a phrase, without an article before it.

    Examples
    --------
    >>> key_of("A Short  Story"), key_of("Short stories")
    (('short', 'story'), ('short', 'story'))
    """
    words = tuple(singular(word) for word in _WORD.findall(phrase))
    return words[1:] if len(words) > 1 and words[0] in _ARTICLES else words


@functools.lru_cache(maxsize=1 << 14)
def keys_of(label: str) -> frozenset[Key]:
    """The keys under which a label may stand: whole, without its qualifier, turned, in its parts.

    Examples
    --------
    >>> sorted(keys_of("Statutes and codes (Law)"))
    [('code',), ('statute',), ('statute', 'and', 'code'), ('statute', 'and', 'code', 'law')]
    >>> sorted(keys_of("Art, Modern"))
    [('art',), ('art', 'modern'), ('modern',), ('modern', 'art')]
    """
    bare = _QUALIFIER.sub("", label)
    parts = [part for part in _PART.split(bare) if part.strip()]
    turned = [" ".join(reversed(parts))] if len(parts) == 2 and "," in bare else []
    keys = (key_of(form) for form in (label, bare, *turned, *parts))
    return frozenset(key for key in keys if key)


def keys_of_all(labels: Iterable[str]) -> frozenset[Key]:
    """The keys of several labels."""
    return frozenset().union(*(keys_of(label) for label in labels))
