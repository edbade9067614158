"""Catalogue records from MARC 21 files, binary or MARCXML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluate_shelf.records.marc_binary import BinaryRecord
from evaluate_shelf.records.marc_fields import catalogue_record, control_number
from evaluate_shelf.records.marc_files import MarcFile, marc_file
from evaluate_shelf.records.marc_xml import XmlRecord
from evaluate_shelf.records.record import CatalogueRecord, Unread

_DELETED = "deleted: position 5 of the leader is d"


def read_marc(paths: Sequence[Path]) -> Iterator[CatalogueRecord | Unread]:
    """Read the records of MARC files.

    Parameters
    ----------
    paths : sequence of pathlib.Path
        MARC 21 in its binary form (MARC-8 or UTF-8, as leader position 9 says) or MARCXML, each
        plain or compressed by gzip. What a file is, its content says, not its name.

    Returns
    -------
    iterator of CatalogueRecord or Unread
        File by file, in the order of the records; memory does not grow with a file's size. A
        record that its library has deleted (leader position 5 is d) is unread as "deleted".

    Raises
    ------
    ShelfError
        At once: a file is missing, empty or no MARC file, or pymarc is not installed. While
        reading: a MARCXML file has a document type declaration, which is refused.
    """
    files = [marc_file(path) for path in paths]
    return (record for file in files for record in _records_of(file))


def _records_of(file: MarcFile) -> Iterator[CatalogueRecord | Unread]:
    for record in file.records():
        if isinstance(record, Unread):
            yield record
        elif _status(record) == "d":
            known = control_number(record.fields)
            yield Unread(file.path.name, record.position, _DELETED, known)
        else:
            yield catalogue_record(record.fields, file.path.name, record.position)


def _status(record: BinaryRecord | XmlRecord) -> str:
    return record.leader[5:6] if isinstance(record, XmlRecord) else chr(record.data[5])
