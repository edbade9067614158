"""Concepts of MARC 21 authority records, binary or MARCXML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from builders.taxonomies.form import MOST_CONCEPTS, Case, Concept, Facet, Kind, Reading
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.marc_binary import BinaryRecord
from evaluate_shelf.records.marc_fields import MarcField
from evaluate_shelf.records.marc_files import marc_file
from evaluate_shelf.records.marc_xml import XmlRecord
from evaluate_shelf.records.record import Unread

_TAGS_OF_FACET: dict[str, frozenset[str]] = {
    "subject": frozenset({"150"}),
    "topics": frozenset({"150"}),
    "forms": frozenset({"155"}),
    "places": frozenset({"151"}),
    "audience": frozenset({"150"}),
    "register": frozenset({"150", "155"}),
}
_HEADINGS = frozenset(
    f"1{rest}" for rest in ("00", "10", "11", "30", "48", "50", "51", "55", "80", "81", "82", "85")
)
# Subfields that form a heading; relators, sources and links are left out.
_PARTS = "abcdfghklmnopqrst"
_SUBDIVISIONS = "vxyz"
_NOTES = ("677", "678", "680")
# Characters of references and notes that are held.
_MOST_TEXT = 256 * 2**20
_AUTHORITY = "z"
_DELETED = frozenset("dosx")
# Kinds of record that stand for no heading: references and node labels.
_REFERENCES = frozenset("bceg")
_END = re.compile(r"[\s,;:.]+$")


def read_marc_authorities(path: Path, facet: Facet) -> Reading:
    """Read the headings of a file of authority records.

    Parameters
    ----------
    path : pathlib.Path
        MARC 21 in its binary form or MARCXML, plain or compressed by gzip.
    facet : str
        Which decides the headings that are taken: 150 for subject, topics and audience, 155 for
        forms, 151 for places, 150 and 155 for register.

    Returns
    -------
    Reading
        In the order of the file. Fields 677 and 678 are the description, 680 the scope note, 4XX
        the other labels; 5XX with `g` first in $w is broader, with `h` narrower. The id is a URI
        in 024, else field 001.

    Raises
    ------
    ShelfError
        The file cannot be read, or has no heading of the facet.
    """
    cases: list[Case] = []
    headings: list[_Heading] = []
    read = size = 0
    for record in marc_file(path).records():
        read += 1
        if read > MOST_CONCEPTS:
            raise ShelfError(f"{path}: more than {MOST_CONCEPTS:,} records; take a part of it")
        if isinstance(record, Unread):
            number = record.control_number or f"record {record.position}"
            cases.append(Case(Kind.UNREAD, number, "", record.reason))
            continue
        heading = _Heading(record)
        case = heading.why_left_out(_TAGS_OF_FACET[facet])
        if case is not None:
            cases.append(case)
            continue
        headings.append(heading)
        size += heading.size
        if size > _MOST_TEXT:
            raise ShelfError(
                f"{path}: more than {_MOST_TEXT // 2**20} MiB of headings; take a part of it"
            )
    if not headings:
        wanted = " or ".join(sorted(_TAGS_OF_FACET[facet]))
        raise ShelfError(
            f"{path}: {read:,} records, and no authority record with a heading {wanted}, which "
            f"--facet {facet} takes"
        )
    return Reading(path.name, _concepts(headings, cases), cases)


class _Heading:
    """What SHELF looks at of an authority record."""

    def __init__(self, record: BinaryRecord | XmlRecord) -> None:
        fields = _fields_of(record)
        self.leader = record.leader if isinstance(record, XmlRecord) else _ascii(record.data[:24])
        self.field = next((field for field in fields if field.tag in _HEADINGS), None)
        self.fields = [field for field in fields if field.tag[0] in "45" or field.tag in _NOTES]
        number = next((field.value.strip() for field in fields if field.tag == "001"), "")
        uris = (uri for field in fields if field.tag == "024" for uri in field.values("a"))
        uri = next((uri for uri in uris if uri.startswith(("http://", "https://"))), "")
        self.id = uri or number or f"record {record.position}"
        fixed = next((field.value for field in fields if field.tag == "008"), "")
        self.kind = fixed[9:10]
        self.label = _heading(self.field) if self.field else ""
        parts = (value for field in self.fields for _, value in field.subfields)
        self.size = sum(map(len, parts))

    def why_left_out(self, tags: frozenset[str]) -> Case | None:
        """The case of a record that is not taken."""
        if self.leader[6:7] != _AUTHORITY or self.field is None:
            return Case(Kind.NO_AUTHORITY, self.id, self.label)
        if self.leader[5:6] in _DELETED:
            return Case(Kind.DEPRECATED, self.id, self.label, f"status {self.leader[5:6]!r}")
        if self.kind in _REFERENCES and self.kind:
            return Case(Kind.REFERENCE, self.id, self.label, f"kind {self.kind!r}")
        if self.field.tag not in tags:
            return Case(Kind.OTHER_HEADING, self.id, self.label, self.field.tag)
        return None

    @property
    def key(self) -> tuple[str, str]:
        """What references to it say: the kind of heading, and its text."""
        return (self.field.tag[1:] if self.field else "", _key(self.label))

    def related(self, relation: str) -> list[tuple[str, str]]:
        """Keys of the headings that 5XX fields with this relation lead to."""
        return [
            (field.tag[1:], _key(_heading(field)))
            for field in self.fields
            if field.tag.startswith("5")
            and any(value[:1] == relation for value in field.values("w"))
        ]

    def notes(self, tags: Iterable[str], codes: str) -> str:
        return " ".join(
            value
            for tag in tags
            for field in self.fields
            if field.tag == tag
            for value in field.values(codes)
        )


def _concepts(headings: list[_Heading], cases: list[Case]) -> list[Concept]:
    by_key = {heading.key: heading.id for heading in reversed(headings)}
    above: dict[str, list[str]] = {heading.id: [] for heading in headings}
    for heading in headings:
        for key in heading.related("g"):
            if key in by_key:
                above[heading.id].append(by_key[key])
            else:
                cases.append(Case(Kind.NO_BROADER, heading.id, heading.label, key[1]))
        for key in heading.related("h"):
            if key in by_key:
                above[by_key[key]].append(heading.id)
    return [
        Concept(
            id=heading.id,
            label=heading.label,
            broader=tuple(dict.fromkeys(above[heading.id])),
            description=heading.notes(("677", "678"), "ab"),
            scope_note=heading.notes(("680",), "ia"),
            other_labels=tuple(
                dict.fromkeys(
                    other
                    for field in heading.fields
                    if field.tag.startswith("4") and (other := _heading(field))
                )
            ),
        )
        for heading in headings
    ]


def _fields_of(record: BinaryRecord | XmlRecord) -> tuple[MarcField, ...]:
    if isinstance(record, XmlRecord):
        return record.fields
    import pymarc

    # The records' reader has checked structure and encoding, and decodes other tags than these.
    decoded = pymarc.Record(data=record.data, to_unicode=True, force_utf8=False)
    return tuple(
        MarcField(field.tag, "", (), field.data or "")
        if field.tag.startswith("00")
        else MarcField(
            field.tag,
            "".join(field.indicators or ("", "")),
            tuple((part.code, part.value) for part in field.subfields),
        )
        for field in decoded.fields
    )


def _ascii(data: bytes) -> str:
    return data.decode("ascii", "replace")


def _heading(field: MarcField) -> str:
    """The text of a heading, subdivisions after two hyphens, without what ends its field."""
    parts = [" ".join(field.values(_PARTS)), *field.values(_SUBDIVISIONS)]
    return "--".join(part for part in map(_without_end, parts) if part)


def _without_end(text: str) -> str:
    return _END.sub("", text) if not re.search(r"\b\w\.$", text) else text


def _key(label: str) -> str:
    return _END.sub("", label).casefold()
