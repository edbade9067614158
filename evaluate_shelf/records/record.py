"""What SHELF reads of a catalogue record, and what it could not read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

# Strings of MARC begin and end what does not sort with these two; they stand inside words.
_DROPPED = "\x98\x9c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_YEAR = re.compile(r"(?<![0-9])(?:1[0-9]|20)[0-9]{2}(?![0-9])")
_UNSEEN = re.compile(f"[{_DROPPED}]")


@dataclass(frozen=True, slots=True)
class CatalogueRecord:
    """A record of a catalogue.

    Attributes
    ----------
    id : str
        Control number (MARC field 001, or the table's column); where there is none, file and
        position.
    title : str
    text : str
        Title, contents and summary, those that are there, with a blank line between.
    language : str
        MARC code such as "eng"; "" if unknown.
    author : str
        Main entry; "" if none.
    year : str
        Year of publication, four digits; "" if unknown.
    lcc_numbers : tuple of str
        What the record gives as Library of Congress class numbers, as it stands.
    lcc_code : str or None
        Main class of the first of them that is such a number.
    lcc_subclass : str or None
        Leading letters of that number.
    lcsh : tuple of str
        Library of Congress Subject Headings, subdivisions joined by "--".
    genres : tuple of str
        Genre and form terms, subdivisions joined by "--".
    file : str
        Name of the file, without its folder.
    position : int
        Place in the file, from 1. Damaged records and stray bytes have places too.
    library : str
        Within what the id is the only one: whose control number it is (MARC field 003), or the
        file where a MARC record does not say; "" for a table.
    """

    id: str
    title: str
    text: str
    language: str
    author: str
    year: str
    lcc_numbers: tuple[str, ...]
    lcc_code: str | None
    lcc_subclass: str | None
    lcsh: tuple[str, ...]
    genres: tuple[str, ...]
    file: str
    position: int
    library: str = ""


@dataclass(frozen=True, slots=True)
class Unread:
    """A place in a file that could not be read.

    Attributes
    ----------
    file : str
        Name of the file, without its folder.
    position : int
        Place in the file, from 1.
    reason : str
        The kind of damage, and after a colon what was found.
    control_number : str or None
        Field 001, or the column for ids, if it could be made out.
    """

    file: str
    position: int
    reason: str
    control_number: str | None = None

    @property
    def kind(self) -> str:
        """The kind of damage alone, to count by.

        Examples
        --------
        >>> Unread("a.mrc", 3, "wrong length: the leader says 90 bytes, there are 88").kind
        'wrong length'
        """
        return self.reason.partition(":")[0]


class DamageError(Exception):
    """A record cannot be read; the message is `Unread.reason`."""


def cleaned(value: str) -> str:
    r"""A value on one line: white space folded, control characters gone, composed (NFC).

    Examples
    --------
    >>> cleaned(" The\x1b  e\u0301tude\n")
    'The étude'
    """
    if value.isascii() and value.isprintable():
        return " ".join(value.split())
    composed = unicodedata.normalize("NFC", value)
    return " ".join(_CONTROL.sub(" ", _UNSEEN.sub("", composed)).split())


def cleaned_lines(value: str) -> str:
    r"""The same for a text of several lines, which stay lines.

    Examples
    --------
    >>> cleaned_lines("one  \r\n\ttwo\n")
    'one\ntwo'
    """
    lines = re.split(r"\r\n|[\n\r]", value)
    return "\n".join(cleaned(line) for line in lines).strip()


def paragraphs(parts: Iterable[str]) -> str:
    r"""Those parts that are not empty, with a blank line between.

    Examples
    --------
    >>> paragraphs(["Title", "", "Summary"])
    'Title\n\nSummary'
    """
    return "\n\n".join(part for part in parts if part)


def year_in(date: str) -> str:
    """The first year, 1000 to 2099, in a date as a catalogue has it; "" if there is none.

    Examples
    --------
    >>> year_in("[c1984]"), year_in("19uu")
    ('1984', '')
    """
    match = _YEAR.search(date)
    return match[0] if match else ""
