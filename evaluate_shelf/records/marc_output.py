r"""MARC records written again with the class that a model assigned.

The class goes into field 084 (other classification number), the probability into field 883
(metadata provenance), and subfield 8 links the two with the link type p:

    084 __ $8 1\p $a Q $2 lcc
    883 0_ $8 1\p $a PROCESS $c 0.9312 $d 20260131

084 has no place for a probability: its subfield q is for the code of an agency, and a note would be
text that no system reads. 883 says of a field that a machine made it (first indicator 0: fully),
by which process (a), with which confidence from 0 to 1 (c), and when (d). The class does not go
into 050, the field of the Library of Congress's own numbers: there it would pass for a cataloguer's
work, and would be read as the truth the next time the records are imported.
"""

from __future__ import annotations

import contextlib
import gzip
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast
from xml.sax.saxutils import escape, quoteattr

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing
from evaluate_shelf.records.marc_binary import ENTRY, LEADER, LONGEST, BinaryRecord
from evaluate_shelf.records.marc_fields import MarcField, control_number
from evaluate_shelf.records.marc_files import marc_file
from evaluate_shelf.records.marc_xml import XmlRecord
from evaluate_shelf.records.record import Unread
from evaluate_shelf.records.report import RecordReport
from evaluate_shelf.registry.taxonomy import load_taxonomy

_LEFT_OUT = f"class left out: with it the record would have more than {LONGEST:,} bytes"
_SOURCE = "lcc"  # Library of Congress Classification, in MARC's list of classification schemes
_PROCESS = re.compile(r"[ -~]{1,200}")
_DATE = re.compile(r"[0-9]{8}")
_BINARY_LINK = re.compile(rb"\x1f8([0-9]{1,9})")
_LINK = re.compile(r"[0-9]{1,9}")
_FIELD_END, _RECORD_END = b"\x1e", b"\x1d"
_XML_START = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<collection xmlns="http://www.loc.gov/MARC21/slim">\n'
)
_XML_END = b"</collection>\n"


@dataclass(frozen=True, slots=True)
class Written:
    """What was written.

    Attributes
    ----------
    records : int
        Records in the new file.
    classed : int
        Those of them with a class from a model.
    report : RecordReport
        What is not in it, as `unread`: damaged records, and under "class left out" the classes of
        records that two fields more would make too long; these are written as they were.
    """

    records: int
    classed: int
    report: RecordReport


def with_classes(
    path_in: Path,
    assignments: Mapping[int, tuple[str, float]],
    path_out: Path,
    *,
    process: str,
    date: str | None = None,
) -> Written:
    """Write the records of a MARC file again, with the classes that were assigned to them.

    Parameters
    ----------
    path_in : pathlib.Path
        MARC 21 or MARCXML, plain or compressed by gzip.
    assignments : mapping of int to (str, float)
        Class code and probability by `CatalogueRecord.position`. Records without one are written
        as they are.
    path_out : pathlib.Path
        The new file, of the same form and encoding (MARCXML: UTF-8); compressed if its name ends
        in ".gz". It is whole or absent.
    process : str
        What assigned the classes, such as the tool and the run's name; printable ASCII.
    date : str, default=None
        When, as YYYYMMDD.

    Returns
    -------
    Written

    Raises
    ------
    ShelfError
        A class is none of the 21, a probability is none, a position has no record that can be
        read, both paths are one file, or `path_in` is no MARC file.
    """
    _check(assignments, process, date)
    source = marc_file(path_in)
    if path_out.exists() and path_out.samefile(path_in):
        raise ShelfError(f"{path_out}: is the file that is read; name another")
    waiting = dict(assignments)
    report = RecordReport()
    records = classed = 0
    with replacing(path_out) as temporary, _writing(temporary, path_out.suffix == ".gz") as stream:
        stream.write(_XML_START if source.is_xml else b"")
        for record in source.records():
            assigned = None if isinstance(record, Unread) else waiting.pop(record.position, None)
            if isinstance(record, Unread):
                report.add_unread(record)
                continue
            written = _written(record, assigned, process, date)
            if written is None:
                known = control_number(record.fields)
                report.add_unread(Unread(path_in.name, record.position, _LEFT_OUT, known))
            stream.write(_as_it_was(record) if written is None else written)
            records += 1
            classed += assigned is not None and written is not None
        stream.write(_XML_END if source.is_xml else b"")
        if waiting:
            raise ShelfError(
                f"{path_in}: a class was assigned to record {min(waiting)}, which is not there or "
                "cannot be read; are these the records that were classed?"
            )
    return Written(records, classed, report)


def _check(assignments: Mapping[int, tuple[str, float]], process: str, date: str | None) -> None:
    codes = {row.code for row in load_taxonomy().classes}
    for position, (code, probability) in assignments.items():
        if code not in codes:
            raise ShelfError(f"record {position}: {code!r} is none of the {len(codes)} classes")
        if not 0 <= probability <= 1:
            raise ShelfError(f"record {position}: {probability} is not a probability, 0 to 1")
    if not _PROCESS.fullmatch(process):
        raise ShelfError(f"process {process!r}: must be 1 to 200 characters of printable ASCII")
    if date is not None and not _DATE.fullmatch(date):
        raise ShelfError(f"date {date!r}: must be YYYYMMDD")


@contextlib.contextmanager
def _writing(path: Path, compressed: bool) -> Iterator[BinaryIO]:
    """Open a file; compressed, it names no time, so that the same records give the same bytes."""
    with path.open("wb") as raw:
        if not compressed:
            yield raw
            return
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
            yield cast("BinaryIO", stream)


def _written(
    record: BinaryRecord | XmlRecord,
    assigned: tuple[str, float] | None,
    process: str,
    date: str | None,
) -> bytes | None:
    """A record's bytes with its class; None if they would be too many."""
    if assigned is None:
        return _as_it_was(record)
    fields = _new_fields(*assigned, process, date, _unused_link(record))
    if isinstance(record, XmlRecord):
        return _xml(record, _in_order(record.fields, fields)).encode("utf-8")
    data = _binary(record, fields)
    return data if len(data) <= LONGEST else None


def _as_it_was(record: BinaryRecord | XmlRecord) -> bytes:
    return record.data if isinstance(record, BinaryRecord) else _xml(record, record.fields).encode()


def _new_fields(
    code: str, probability: float, process: str, date: str | None, link: int
) -> list[MarcField]:
    linked = ("8", f"{link}\\p")
    provenance = [linked, ("a", process), ("c", f"{probability:.4f}")]
    if date:
        provenance.append(("d", date))
    return [
        MarcField("084", "  ", (linked, ("a", code), ("2", _SOURCE))),
        MarcField("883", "0 ", tuple(provenance)),
    ]


def _unused_link(record: BinaryRecord | XmlRecord) -> int:
    """The smallest linking number that no subfield 8 of the record has."""
    if isinstance(record, BinaryRecord):
        used = {int(number) for number in _BINARY_LINK.findall(record.data)}
    else:
        values = (value for each in record.fields for code, value in each.subfields if code == "8")
        used = {int(match[0]) for value in values if (match := _LINK.match(value))}
    return next(number for number in itertools.count(1) if number not in used)


def _in_order(fields: Iterable[MarcField], new: Iterable[MarcField]) -> list[MarcField]:
    """Fields with new ones among them, each before the first with a higher tag."""
    ordered = list(fields)
    for field in new:
        higher = (place for place, other in enumerate(ordered) if other.tag > field.tag)
        ordered.insert(next(higher, len(ordered)), field)
    return ordered


def _binary(record: BinaryRecord, new: Iterable[MarcField]) -> bytes:
    """The record with fields more: their data go to the end, so that no other byte moves there."""
    old = record.data
    directory = [old[at : at + ENTRY] for at in range(LEADER, record.base - 1, ENTRY)]
    body = old[record.base : -1]
    for field in new:
        value = field.indicators + "".join(f"\x1f{code}{text}" for code, text in field.subfields)
        data = value.encode("ascii") + _FIELD_END
        entry = f"{field.tag}{len(data):04}{len(body):05}".encode("ascii")
        higher = (place for place, other in enumerate(directory) if other[:3] > entry[:3])
        directory.insert(next(higher, len(directory)), entry)
        body += data
    base = LEADER + ENTRY * len(directory) + 1
    length = base + len(body) + 1
    leader = b"%05d%b%05d%b" % (length, old[5:12], base, old[17:LEADER])
    return leader + b"".join(directory) + _FIELD_END + body + _RECORD_END


def _xml(record: XmlRecord, fields: Iterable[MarcField]) -> str:
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in record.attributes)
    leader = f"<leader>{_escaped(record.leader)}</leader>" if record.leader else ""
    return f"<record{attributes}>{leader}{''.join(map(_xml_field, fields))}</record>\n"


def _xml_field(field: MarcField) -> str:
    tag = quoteattr(field.tag)
    if not field.indicators:
        return f"<controlfield tag={tag}>{_escaped(field.value)}</controlfield>"
    first, second = map(quoteattr, field.indicators)
    subfields = "".join(
        f"<subfield code={quoteattr(code)}>{_escaped(value)}</subfield>"
        for code, value in field.subfields
    )
    return f"<datafield tag={tag} ind1={first} ind2={second}>{subfields}</datafield>"


def _escaped(text: str) -> str:
    # A parser would read a bare carriage return as a line feed.
    return escape(text, {"\r": "&#13;"})
