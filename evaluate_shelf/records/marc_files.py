"""What kind of MARC file a file is, and its records as they lie in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.byte_source import blocks, head
from evaluate_shelf.records.marc8 import require_pymarc
from evaluate_shelf.records.marc_binary import BinaryRecord, has_record, read_binary
from evaluate_shelf.records.marc_xml import XmlRecord, read_xml
from evaluate_shelf.records.record import Unread

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_FIELD_END = b"\x1e"
# Bytes that are looked at to tell what a file is.
_LOOKED_AT = 2**20


@dataclass(frozen=True)
class MarcFile:
    """A MARC file.

    Attributes
    ----------
    path : pathlib.Path
    is_xml : bool
        MARCXML, or else the binary form.
    """

    path: Path
    is_xml: bool

    def records(self) -> Iterator[BinaryRecord | XmlRecord | Unread]:
        """Read the records in their order, each with its position."""
        if self.is_xml:
            return read_xml(blocks(self.path), self.path)
        return read_binary(blocks(self.path), self.path.name)


def marc_file(path: Path) -> MarcFile:
    """Tell a MARC file by its content.

    Parameters
    ----------
    path : pathlib.Path
        A file, plain or compressed by gzip.

    Returns
    -------
    MarcFile

    Raises
    ------
    ShelfError
        The file is missing, empty or neither, or pymarc, which the binary form needs, is not
        installed.
    """
    start = head(path, _LOOKED_AT)
    # First, as any bytes may have got in before a record; no XML can hold one.
    if has_record(start):
        require_pymarc()
        return MarcFile(path, is_xml=False)
    if start.startswith(_UTF16):
        raise ShelfError(f"{path}: is in UTF-16; save it as UTF-8")
    if start.removeprefix(_BYTE_ORDER_MARK).lstrip().startswith(b"<"):
        return MarcFile(path, is_xml=True)
    if _FIELD_END not in start and not start[:5].isdigit():
        raise ShelfError(
            f"{path}: neither MARC 21 nor MARCXML; a table is read by shelf import-table"
        )
    require_pymarc()
    return MarcFile(path, is_xml=False)
