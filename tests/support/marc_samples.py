"""MARC records for tests, made with pymarc."""

from __future__ import annotations

from collections.abc import Sequence

from pymarc import Field, Indicators, RawField, Record, Subfield
from pymarc.marcxml import record_to_xml

Spec = tuple[str, str, Sequence[tuple[str, str]]]
FIXED = "830415s1984    nyu           000 0 {language} d"
NAMESPACE = "http://www.loc.gov/MARC21/slim"


def marc(number: str | None, *specs: Spec, language: str = "eng") -> Record:
    """A record with a control number, field 008 and data fields (tag, indicators, subfields)."""
    record = Record(leader=" " * 5 + "nam a22" + " " * 5 + " a 4500")
    if number is not None:
        record.add_field(Field("001", data=number))
    record.add_field(Field("008", data=FIXED.format(language=language)))
    for tag, indicators, subfields in specs:
        pairs = [Subfield(code, value) for code, value in subfields]
        record.add_field(Field(tag, Indicators(*indicators), pairs))
    return record


def book(number: str | None, title: str, lcc: str = "QA76.9", **more: str) -> Record:
    """A record with a title and a class number."""
    return marc(number, ("050", "00", [("a", lcc)]), ("245", "10", [("a", title)]), **more)


def utf8(record: Record) -> bytes:
    """A record in the binary form, in UTF-8."""
    return record.as_marc()


def marc8(number: str, title: bytes, tag: str = "245") -> bytes:
    """A record in the binary form, in MARC-8; the title's bytes as they are."""
    record = Record(to_unicode=False, leader=" " * 5 + "nam  22" + " " * 5 + " a 4500")
    record.add_field(RawField("001", data=number.encode()))
    record.add_field(RawField("008", data=FIXED.format(language="pol").encode()))
    record.add_field(RawField(tag, Indicators("1", "0"), [Subfield("a", title)]))
    return record.as_marc()


def xml(records: Sequence[Record], declaration: str = "") -> bytes:
    """A collection in MARCXML."""
    inside = b"\n".join(record_to_xml(record) for record in records)
    start = f'{declaration}<collection xmlns="{NAMESPACE}">\n'.encode()
    return start + inside + b"\n</collection>\n"
