"""Main class and subclass of a Library of Congress class number.

A string is such a number if it has, after any spaces and opening brackets,

- one to three capital letters, of which the first is one of the 21 main classes,
- then, with or without a space between, a whole number of one to four digits, with or without
  decimals,
- then the end, a space, a mark such as `.`, `-`, `]`, or the capital of an item number.

Three letters before a space must be DAW, DJK or of K, the only subclasses of three letters:
"ROM 12" is a shelf mark. So are some words before any number ("DVD123", "REF 12"), and "CD 12"
where nothing follows.

QS to QZ have none: the schedules of the National Library of Medicine use them, as they use W, and
the Library of Congress leaves them out. A string of letters without a number ("LAW", "ISSN"), more
letters ("MICROFILM 12"), Dewey ("823.91"), an item number (".D3") and a whole number of more than
four digits (the running numbers of films and discs) have none either.

The rule looks at the shape alone. A local number of the same shape ("C 624" for a sound recording,
"CAS0661") cannot be told from a class number.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from evaluate_shelf.registry.taxonomy import load_taxonomy

_NUMBER = re.compile(
    r"[\s\[(]*(?P<letters>[A-Z]{1,3})\s?[0-9]{1,4}(?:\.[0-9]+)?(?=[\s.,;:/()\[\]+–-]|[A-Z]|$)"
)
_MEDICINE = re.compile(r"Q[S-Z]")
# Of the subclasses, CD is one of these words, too.
_SHELF_WORD = re.compile(
    r"[\s\[(]*(?:(?:BIO|DDC|DVD|FIC|JUV|LP|MAP|PER|REF|VHS)\s?[0-9]|(?!DAW|DJK|K)[A-Z]{3}\s"
    r"|CD [0-9]+\s*$)"
)


class ClassNumber(NamedTuple):
    """Where a number lies in the classification.

    Attributes
    ----------
    code : str
        Main class, one letter.
    subclass : str
        Leading letters.
    """

    code: str
    subclass: str


def class_of(number: str) -> ClassNumber | None:
    """Main class and subclass of a number, or None if it is none of this classification.

    Parameters
    ----------
    number : str
        A class number or call number, such as MARC field 050, subfield a.

    Returns
    -------
    ClassNumber or None

    Examples
    --------
    >>> class_of("QA76.9 .D3")
    ClassNumber(code='Q', subclass='QA')
    >>> class_of("QB1-991").subclass, class_of("[PZ7]").subclass
    ('QB', 'PZ')
    >>> [class_of(number) for number in ("LAW", "823.91", "WG 300", "QV 4", "MICROFILM 12")]
    [None, None, None, None, None]
    """
    letters = _letters(number)
    if letters is None or letters[0] not in _main_classes() or _MEDICINE.match(letters):
        return None
    return ClassNumber(letters[0], letters)


def first_class(numbers: Iterable[str]) -> ClassNumber | None:
    """Main class and subclass of the first number that has them.

    Examples
    --------
    >>> first_class(["LAW", "KF505.Z9"])
    ClassNumber(code='K', subclass='KF')
    """
    return next((found for number in numbers if (found := class_of(number))), None)


def why_unclassed(numbers: Iterable[str]) -> str | None:
    """Why none of a record's numbers gives a class; None if one does.

    Examples
    --------
    >>> why_unclassed([]), why_unclassed(["LAW"]), why_unclassed(["WG 300"])
    ('no LCC number', 'not an LCC number', 'class outside the 21')
    """
    given = list(numbers)
    if first_class(given):
        return None
    if not given:
        return "no LCC number"
    return "class outside the 21" if any(map(_letters, given)) else "not an LCC number"


def _letters(number: str) -> str | None:
    match = None if _SHELF_WORD.match(number) else _NUMBER.match(number)
    return match["letters"] if match else None


@functools.cache
def _main_classes() -> frozenset[str]:
    return frozenset(row.code for row in load_taxonomy().classes)
