"""Where labels stand in a text: as whole words, in any case, in the singular or the plural."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

SHORTEST = 4
"""Characters of the shortest label that is looked for; shorter ones are left alone."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# What may stand between the words of one label.
_BETWEEN = re.compile(r"[\s,'’&/–-]*")
_QUALIFIER = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_POSSESSIVE = re.compile(r"['’]s?$")
_IRREGULAR = {
    "children": "child",
    "men": "man",
    "women": "woman",
    "people": "person",
    "mice": "mouse",
    "geese": "goose",
    "feet": "foot",
    "teeth": "tooth",
    "oxen": "ox",
    "lives": "life",
    "wives": "wife",
    "knives": "knife",
    "leaves": "leaf",
    "wolves": "wolf",
    "halves": "half",
    "shelves": "shelf",
    "phenomena": "phenomenon",
    "criteria": "criterion",
    "media": "medium",
    "data": "datum",
    "indices": "index",
    "matrices": "matrix",
    "series": "series",
    "species": "species",
}


class Place(NamedTuple):
    """Where a label stands in a text: from `start` up to `end`, and whose label it is."""

    start: int
    end: int
    id: str


class LabelFinder:
    """Looks for many labels at once.

    Parameters
    ----------
    labels : iterable of (str, str)
        Id and label. A label is looked for as it stands, without a qualifier in brackets at its
        end, and turned round at its comma ("Art, Modern" as "modern art").

    Examples
    --------
    >>> finder = LabelFinder([("1", "Temple"), ("2", "Law"), ("3", "Art, Modern")])
    >>> text = "Temples, laws and modern art."
    >>> [text[place.start : place.end] for place in finder.places(text)]
    ['Temples', 'modern art']
    """

    def __init__(self, labels: Iterable[tuple[str, str]]) -> None:
        self._ids: dict[tuple[str, ...], list[str]] = {}
        for identity, label in labels:
            for variant in variants(label):
                own = self._ids.setdefault(_key(variant), [])
                if identity not in own:
                    own.append(identity)
        self._longest: dict[str, int] = {}
        for key in self._ids:
            self._longest[key[0]] = max(len(key), self._longest.get(key[0], 0))

    def places(self, text: str, is_wanted: Callable[[str], bool] = lambda _: True) -> list[Place]:
        """Places of the wanted ids' labels, in the order of the text, none inside another."""
        words = list(_WORD.finditer(text))
        keys = [singular(word[0]) for word in words]
        found: list[Place] = []
        number = 0
        while number < len(words):
            place, taken = self._longest_at(text, words, keys, number, is_wanted)
            if place:
                found.append(place)
            number += taken
        return found

    def _longest_at(
        self,
        text: str,
        words: list[re.Match[str]],
        keys: list[str],
        number: int,
        is_wanted: Callable[[str], bool],
    ) -> tuple[Place | None, int]:
        """The longest label that begins with a word, and how many words it has, at least 1."""
        for size in range(min(self._longest.get(keys[number], 0), len(words) - number), 0, -1):
            ids = self._ids.get(tuple(keys[number : number + size]), ())
            identity = next(filter(is_wanted, ids), None)
            last = number + size - 1
            if identity is not None and all(
                _BETWEEN.fullmatch(text, words[one].end(), words[one + 1].start())
                for one in range(number, last)
            ):
                return Place(words[number].start(), words[last].end(), identity), size
        return None, 1


def variants(label: str) -> list[str]:
    """The forms in which a label is looked for; none that is too short.

    Examples
    --------
    >>> variants("Art, Modern (Europe)"), variants("Law")
    (['Art, Modern (Europe)', 'Art, Modern', 'Modern Art'], [])
    """
    bare = _QUALIFIER.sub("", label)
    forms = [label, bare]
    if bare.count(",") == 1:
        first, second = (part.strip() for part in bare.split(","))
        forms.append(f"{second} {first}")
    kept = dict.fromkeys(form for form in forms if len(form) >= SHORTEST and _WORD.search(form))
    return list(kept)


@functools.lru_cache(maxsize=2**16)
def singular(word: str) -> str:
    """A word in lower case without its plural ending, the same for singular and plural.

    It need not be a word: it is for comparing alone.

    Examples
    --------
    >>> [singular(word) for word in ("Temples", "churches", "studies", "glass", "theses")]
    ['temple', 'church', 'study', 'glass', 'thesis']
    """
    own = _POSSESSIVE.sub("", word.casefold())
    if own in _IRREGULAR:
        return _IRREGULAR[own]
    if len(own) < 4 or own.endswith(("ss", "us", "is")):
        return own
    if own.endswith("ies"):
        return f"{own[:-3]}y" if len(own) > 4 else own[:-1]
    if own.endswith(("yses", "theses", "crises", "bases")):
        return f"{own[:-2]}is"
    if own.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return own[:-2]
    return own.removesuffix("s")


def _key(label: str) -> tuple[str, ...]:
    return tuple(singular(word) for word in _WORD.findall(label))
