"""Catalogue records from MARC 21 files, binary or MARCXML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluate_shelf.records.marc_fields import catalogue_record
from evaluate_shelf.records.marc_files import MarcFile, marc_file
from evaluate_shelf.records.record import CatalogueRecord, Unread


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
        File by file, in the order of the records; memory does not grow with a file's size.

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
        else:
            yield catalogue_record(record.fields, file.path.name, record.position)
