"""The people that a catalogue row names, each with the role written behind the name."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_ROLE = re.compile(r"^(?P<name>.*?)\s*\[(?P<role>[^\[\]]*)\]$", re.DOTALL)
_CENTURY = r"\d{1,2}(?:st|nd|rd|th) cent(?:ury|\.)?"
_YEAR = rf"(?:(?:{_CENTURY}|\d{{1,4}})\??(?: ?(?:BCE?|B\.C\.|CE|A\.D\.))?)"
_DATES = re.compile(
    rf",\s*(?:(?:active|fl\.|approximately|about|ca?\.|born|b\.|died|d\.)\s*)*"
    rf"(?:{_YEAR}?\s*-\s*(?:(?:approximately|about|ca?\.)\s*)?{_YEAR}?|{_YEAR})\s*$",
    re.IGNORECASE,
)
_NOBODY = frozenset({"", "various", "anonymous", "unknown", "anon", "various authors"})


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody named in a catalogue row.

    Parameters
    ----------
    name : str
        The name for display, without dates of life.
    role : str
        What stood in brackets behind the name; empty for an author.
    """

    name: str
    role: str = ""

    @property
    def identity(self) -> str:
        """The name in a form that is equal for equal people; empty for nobody in particular.

        Examples
        --------
        >>> Person("Jókai, Mór").identity
        'jokai, mor'
        >>> Person("Various").identity
        ''
        """
        plain = unicodedata.normalize("NFKD", self.name.casefold())
        plain = "".join(mark for mark in plain if not unicodedata.combining(mark))
        plain = " ".join(plain.split()).strip(" .,;:")
        return "" if plain in _NOBODY else plain


def without_dates(name: str) -> str:
    """Take the dates of life off a name.

    Examples
    --------
    >>> without_dates("Trevisa, John, -1402")
    'Trevisa, John'
    >>> without_dates("Bartholomaeus, Anglicus, active 13th century")
    'Bartholomaeus, Anglicus'
    >>> without_dates("Cromer, Evelyn Baring, Earl of, 1841-1917")
    'Cromer, Evelyn Baring, Earl of'
    """
    return _DATES.sub("", name).strip()


def read_people(field: str) -> tuple[Person, ...]:
    """Read the field `Authors` of the catalogue.

    Parameters
    ----------
    field : str
        Names joined by `; `, each with an optional role in brackets.

    Returns
    -------
    tuple of Person
        In the order of the field.

    Examples
    --------
    >>> read_people("Liszt, Franz, 1811-1886; Cook, Martha Walker, 1806-1874 [Translator]")
    (Person(name='Liszt, Franz', role=''), Person(name='Cook, Martha Walker', role='Translator'))
    """
    people = []
    for part in field.split(";"):
        name = " ".join(part.split())
        roles: list[str] = []
        while found := _ROLE.match(name):
            name = found["name"]
            roles.append(found["role"].strip())
        if name := without_dates(name):
            people.append(Person(name, ", ".join(reversed(roles))))
    return tuple(people)
