"""From the fields of a MARC 21 bibliographic record to a catalogue record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from evaluate_shelf.records.class_numbers import first_class
from evaluate_shelf.records.record import CatalogueRecord, cleaned, paragraphs, year_in

# Subfields of each subject field that form its heading; relators, sources and links are left out.
_HEADING = {
    "600": "abcdfghjklmnopqrst",
    "610": "abcdfghklmnoprst",
    "611": "acdefghklnpqst",
    "630": "adfghklmnoprst",
    "650": "abcdg",
    "651": "ag",
}
_LCSH = "0"
_GENRE = "655"
_SUBDIVISIONS = "vxyz"
_CLASSES = ("050", "090", "055")
# In 055 these say that the number is of another scheme.
_OTHER_SCHEME = {"055": "6789"}
_AUTHORS = ("100", "110", "111")
_PUBLISHED = ("260", "264")
TAGS_READ = frozenset(
    ["001", "003", "008", "245", "505", "520", _GENRE, *_HEADING, *_CLASSES, *_AUTHORS, *_PUBLISHED]
)
"""Tags of the fields that `catalogue_record` looks at."""

_ISBD_END = re.compile(r"[\s/:;,=]+$")
_HEADING_END = re.compile(r"[\s,;:]+$")
# A full stop after an initial or one of these belongs to the word; otherwise it ends the field.
_ABBREVIATION = re.compile(
    r"(?:\b\w|\b(?:etc|co|inc|ltd|jr|sr|dept|bros|st|mrs|ca|cent|no|vol|op))\.$", re.IGNORECASE
)
_LANGUAGE = re.compile(r"[a-z]{3}")


class MarcField(NamedTuple):
    """A field of a MARC record.

    Attributes
    ----------
    tag : str
        Three characters.
    indicators : str
        Two characters; "" for a control field.
    subfields : tuple of (str, str)
        Code and value; empty for a control field.
    value : str
        Value of a control field.
    """

    tag: str
    indicators: str
    subfields: tuple[tuple[str, str], ...]
    value: str = ""

    def values(self, codes: str) -> list[str]:
        """Cleaned values of the subfields with one of these codes, in their order."""
        found = (cleaned(value) for code, value in self.subfields if code in codes)
        return [value for value in found if value]


def catalogue_record(fields: Iterable[MarcField], file: str, position: int) -> CatalogueRecord:
    """Read the fields of one record.

    Parameters
    ----------
    fields : iterable of MarcField
        In their order; those with other tags than `TAGS_READ` are not looked at.
    file : str
        Name of the file.
    position : int
        Place of the record in it.

    Returns
    -------
    CatalogueRecord

    Examples
    --------
    >>> record = catalogue_record(
    ...     [
    ...         MarcField("050", " 4", (("a", "ML410.S95"), ("b", "L3 1900"))),
    ...         MarcField("245", "10", (("a", "Arthur Sullivan :"), ("b", "life story /"))),
    ...         MarcField("600", "10", (("a", "Sullivan, Arthur,"), ("d", "1842-1900."))),
    ...     ],
    ...     "books.mrc",
    ...     1,
    ... )
    >>> record.title, record.lcc_subclass, record.lcsh
    ('Arthur Sullivan : life story', 'ML', ('Sullivan, Arthur, 1842-1900',))
    """
    by_tag: dict[str, list[MarcField]] = {}
    for field in fields:
        by_tag.setdefault(field.tag, []).append(field)
    title = _title(by_tag)
    numbers = _class_numbers(by_tag)
    class_number = first_class(numbers)
    fixed = by_tag["008"][0].value if "008" in by_tag else ""
    return CatalogueRecord(
        id=control_number(by_tag.get("001", ())) or f"{file}:{position}",
        title=title,
        text=paragraphs((title, _note(by_tag, "505", "agrt"), _note(by_tag, "520", "ab"))),
        language=_language(fixed),
        author=_author(by_tag),
        year=_year(fixed, by_tag),
        lcc_numbers=numbers,
        lcc_code=class_number.code if class_number else None,
        lcc_subclass=class_number.subclass if class_number else None,
        lcsh=_subjects(by_tag),
        genres=_headings(by_tag.get(_GENRE, ()), "a"),
        file=file,
        position=position,
        library=_control(by_tag.get("003", ()), "003") or file.removesuffix(".gz"),
    )


def control_number(fields: Iterable[MarcField]) -> str | None:
    """Field 001, cut at 100 characters, or None where there is none."""
    return _control(fields, "001") or None


def _control(fields: Iterable[MarcField], tag: str) -> str:
    found = next((field.value for field in fields if field.tag == tag), "")
    return cleaned(found)[:100]


def _title(by_tag: Mapping[str, list[MarcField]]) -> str:
    if "245" not in by_tag:
        return ""
    return _ISBD_END.sub("", " ".join(by_tag["245"][0].values("abnp")))


def _note(by_tag: Mapping[str, list[MarcField]], tag: str, codes: str) -> str:
    return " ".join(value for field in by_tag.get(tag, ()) for value in field.values(codes))


def _class_numbers(by_tag: Mapping[str, list[MarcField]]) -> tuple[str, ...]:
    numbers = (
        value
        for tag in _CLASSES
        for field in by_tag.get(tag, ())
        if field.indicators[1:] not in _OTHER_SCHEME.get(tag, ())
        for value in field.values("a")
    )
    return tuple(dict.fromkeys(numbers))


def _subjects(by_tag: Mapping[str, list[MarcField]]) -> tuple[str, ...]:
    headings = (
        heading
        for tag, codes in _HEADING.items()
        for heading in _headings(
            (field for field in by_tag.get(tag, ()) if field.indicators[1:] == _LCSH), codes
        )
    )
    return tuple(dict.fromkeys(headings))


def _headings(fields: Iterable[MarcField], codes: str) -> tuple[str, ...]:
    headings = (
        "--".join(
            part
            for part in map(
                _without_end, [" ".join(field.values(codes)), *field.values(_SUBDIVISIONS)]
            )
            if part
        )
        for field in fields
    )
    return tuple(dict.fromkeys(heading for heading in headings if heading))


def _without_end(heading: str) -> str:
    """A heading without the punctuation that ends its field."""
    kept = _HEADING_END.sub("", heading)
    while kept.endswith(".") and not _ABBREVIATION.search(kept):
        kept = _HEADING_END.sub("", kept[:-1])
    return kept


def _author(by_tag: Mapping[str, list[MarcField]]) -> str:
    names = (
        name for tag in _AUTHORS for field in by_tag.get(tag, ()) for name in field.values("a")
    )
    return _without_end(next(names, ""))


def _language(fixed: str) -> str:
    code = fixed[35:38]
    return code if _LANGUAGE.fullmatch(code) else ""


def _year(fixed: str, by_tag: Mapping[str, list[MarcField]]) -> str:
    dates = [fixed[7:11]]
    dates += [
        value for tag in _PUBLISHED for field in by_tag.get(tag, ()) for value in field.values("c")
    ]
    return next(filter(None, map(year_in, dates)), "")
