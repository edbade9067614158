"""Languages and classes of the records as they are read, before any is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from evaluate_shelf.bounded import one_line
from evaluate_shelf.records.record import CatalogueRecord, Unread

_LONGEST_LANGUAGE = 40
_MOST_LANGUAGES = 1000
OTHERS = "others"
"""What languages count as where a table has more than a catalogue can have."""


class Tally:
    """How many records there are of each language, and of each class in the wanted language.

    Attributes
    ----------
    languages : Counter of str
        Records read, by language; "" where it is unknown.
    classes : Counter of str
        Records read in the wanted language, by main class; those without one are not counted.
    """

    def __init__(self, language: str | None) -> None:
        self._language = language
        self.languages: Counter[str] = Counter()
        self.classes: Counter[str] = Counter()

    def counting(
        self, found: Iterable[CatalogueRecord | Unread]
    ) -> Iterator[CatalogueRecord | Unread]:
        """Pass what a reader gives through, and count the records of it."""
        for own in found:
            if isinstance(own, CatalogueRecord):
                self.languages[self._name(own.language)] += 1
                if own.lcc_code and self._language in (None, own.language):
                    self.classes[own.lcc_code] += 1
            yield own

    def _name(self, language: str) -> str:
        name = one_line(language, _LONGEST_LANGUAGE)
        is_known = name in self.languages or len(self.languages) < _MOST_LANGUAGES
        return name if is_known else OTHERS
