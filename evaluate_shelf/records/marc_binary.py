"""MARC 21 in its binary form (ISO 2709), read so that damage costs no more than one record.

A record ends at the terminator 0x1D, which no value can hold. Its leader must say where that is;
where it does not, the bytes up to the terminator are searched for a record that does, so that what
lies before a good record (stray bytes, a record that lost its terminator) does not take it along.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from evaluate_shelf.records import marc8
from evaluate_shelf.records.byte_source import BrokenOffError
from evaluate_shelf.records.marc_fields import TAGS_READ, MarcField, control_number
from evaluate_shelf.records.record import DamageError, Unread

LONGEST = 99_999
"""Bytes of the longest record; its leader has five digits to say so."""
LEADER, ENTRY = 24, 12

_RECORD_END, _FIELD_END, _SUBFIELD = b"\x1d", b"\x1e", b"\x1f"
# Tools put line ends, blanks, or the padding of a disk block between records.
_BETWEEN = b"\r\n \t\x00\x1a"
_FILE_ENDS = "the file ends"
_DIRECTORY = re.compile(rb"(?:[0-9A-Za-z]{3}[0-9]{9})+")
_LEADER = re.compile(rb"[0-9]{5}[ -~]{7}[0-9]{5}[ -~]{7}")
_POSSIBLE_LEADER = re.compile(rb"(?=([0-9]{5})[ -~]{7}([0-9]{5})[ -~]{7})")


class Entry(NamedTuple):
    """An entry of the directory: a tag, and where its field lies in the record's bytes."""

    tag: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class BinaryRecord:
    """A record whose structure and encoding hold.

    Attributes
    ----------
    position : int
        Place in the file, from 1.
    data : bytes
        The record, terminator included.
    base : int
        Where the data begin, after leader and directory.
    entries : tuple of Entry
        The directory.
    fields : tuple of MarcField
        The fields of `TAGS_READ`, decoded.
    """

    position: int
    data: bytes
    base: int
    entries: tuple[Entry, ...]
    fields: tuple[MarcField, ...]


class _Chunk(NamedTuple):
    """Bytes up to a terminator or the end of what can be read.

    Of more than the longest record, the last bytes are kept and the number of the others.
    """

    data: bytes
    let_go: int
    why_ended: str | None


class _Piece(NamedTuple):
    """A record's bytes, or other bytes and what is wrong with them."""

    data: bytes
    wrong: str | None


def read_binary(blocks: Iterable[bytes], file: str) -> Iterator[BinaryRecord | Unread]:
    """Read the records of a file.

    Parameters
    ----------
    blocks : iterable of bytes
        The file's bytes. Not more than a block and a record are held.
    file : str
        Its name.

    Yields
    ------
    BinaryRecord or Unread
        In the order of the file, each with the next position. White space and NULs between
        records are passed over.
    """
    position = 0
    for chunk in _chunks(blocks):
        for piece in _pieces(chunk):
            position += 1
            try:
                if piece.wrong:
                    raise DamageError(piece.wrong)
                yield parsed(piece.data, position)
            except DamageError as damage:
                yield Unread(file, position, str(damage), _likely_control_number(piece.data))


def has_record(data: bytes) -> bool:
    r"""Whether a leader with its directory stands somewhere in the bytes.

    Examples
    --------
    >>> leader, directory = b"00041nam a2200037   4500", b"001000300000"
    >>> record = leader + directory + b"\x1ea1\x1e\x1d"
    >>> has_record(b"<!-- export -->" + record), has_record(b"<collection/>")
    (True, False)
    """
    for match in _POSSIBLE_LEADER.finditer(data):
        directory, base = match.start() + LEADER, match.start() + int(match[2])
        if data[base - 1 : base] == _FIELD_END and _DIRECTORY.fullmatch(data, directory, base - 1):
            return True
    return False


def parsed(data: bytes, position: int) -> BinaryRecord:
    """Check and decode the bytes of one record.

    Parameters
    ----------
    data : bytes
        From its leader to the terminator.
    position : int
        Its place in the file.

    Returns
    -------
    BinaryRecord

    Raises
    ------
    DamageError
        With the reason.
    """
    base = _checked_base(data)
    entries = _entries(data, base)
    is_utf8 = data[9:10] == b"a"
    if is_utf8:
        _check_utf8(data)
    else:
        _check_marc8(data, entries)
    fields = tuple(_field(data, entry, is_utf8) for entry in entries if entry.tag in TAGS_READ)
    return BinaryRecord(position, data, base, entries, fields)


def _chunks(blocks: Iterable[bytes]) -> Iterator[_Chunk]:
    held, let_go = b"", 0
    why_ended = _FILE_ENDS
    try:
        for block in blocks:
            *whole, held = (held + block).split(_RECORD_END)
            for data in whole:
                yield _Chunk(data + _RECORD_END, let_go, None)
                let_go = 0
            let_go += max(0, len(held) - LONGEST)
            held = held[-LONGEST:]
    except BrokenOffError as error:
        why_ended = f"the file cannot be read on ({error})"
    yield _Chunk(held, let_go, why_ended)


def _pieces(chunk: _Chunk) -> Iterator[_Piece]:
    let_go = chunk.let_go + max(0, len(chunk.data) - LONGEST)
    data = chunk.data[-LONGEST:]
    if not let_go:
        data = data.lstrip(_BETWEEN)
    if chunk.why_ended:
        if data or let_go or chunk.why_ended != _FILE_ENDS:
            yield _Piece(data, _why_cut_off(data, let_go, chunk.why_ended))
        return
    start = _start_of_record(data)
    if start is None:
        yield _Piece(data, _why_no_record(data, let_go))
        return
    if start or let_go:
        yield _Piece(data[:start], _why_no_record(data[:start], let_go))
    yield _Piece(data[start:], None)


def _start_of_record(data: bytes) -> int | None:
    """Where a leader stands that says that its record ends where the bytes end."""
    if data[:5].isdigit() and int(data[:5]) == len(data):
        return 0
    for match in _POSSIBLE_LEADER.finditer(data, 1):
        start = match.start()
        if int(match[1]) == len(data) - start:
            base = start + int(match[2])
            if base > start + LEADER and data[base - 1 : base] == _FIELD_END:
                return start
    return None


def _why_no_record(data: bytes, let_go: int) -> str:
    size = let_go + len(data)
    if let_go:
        return f"wrong length: {size:,} bytes without a record terminator"
    if data == _RECORD_END:
        return "stray bytes: a record terminator alone"
    if _FIELD_END not in data:
        return f"stray bytes: {size:,} bytes that are no record"
    if not data[:5].isdigit():
        return f"bad leader: begins with {data[:5]!r}, which is no length"
    return f"wrong length: the leader says {int(data[:5]):,} bytes, there are {size:,}"


def _why_cut_off(data: bytes, let_go: int, why_ended: str) -> str:
    size = let_go + len(data)
    if data[:5].isdigit() or _FIELD_END in data or not size:
        return f"cut off: {why_ended} {size:,} bytes into a record"
    return f"stray bytes: {size:,} bytes that are no record, then {why_ended}"


def _likely_control_number(data: bytes) -> str | None:
    """Field 001 of a damaged record, if its directory begins with it as it should."""
    directory, _, rest = data.partition(_FIELD_END)
    value, end, _ = rest.partition(_FIELD_END)
    if directory[LEADER : LEADER + 3] != b"001" or not end or not value.isascii():
        return None
    return control_number([MarcField("001", "", (), value.decode("ascii"))])


def _checked_base(data: bytes) -> int:
    """Where the data begin, as the leader says."""
    if not _LEADER.match(data):
        raise DamageError("bad leader: its 24 bytes are not those of a leader")
    if data[9] not in b" a":
        raise DamageError(
            f"bad leader: position 9 is {chr(data[9])!r}, not a blank (MARC-8) or a (UTF-8)"
        )
    base = int(data[12:17])
    if not LEADER < base < len(data) or data[base - 1 : base] != _FIELD_END:
        raise DamageError(f"bad leader: no directory ends at byte {base:,}")
    return base


def _entries(data: bytes, base: int) -> tuple[Entry, ...]:
    directory = data[LEADER : base - 1]
    if not _DIRECTORY.fullmatch(directory):
        raise DamageError("bad directory: not made of a tag and nine digits each")
    text = directory.decode("ascii")
    last = len(data) - 1
    entries = []
    for at in range(0, len(text), ENTRY):
        start = base + int(text[at + 7 : at + ENTRY])
        end = start + int(text[at + 3 : at + 7]) - 1
        if not start <= end < last or data[end] != _FIELD_END[0]:
            tag = text[at : at + 3]
            raise DamageError(f"bad directory: no field {tag} ends at byte {end:,} of the record")
        entries.append(Entry(text[at : at + 3], start, end))
    return tuple(entries)


def _check_utf8(data: bytes) -> None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamageError(f"wrong encoding: byte {error.start:,} is not UTF-8") from error


def _check_marc8(data: bytes, entries: Iterable[Entry]) -> None:
    if data.isascii() and not marc8.has_escape(data):
        return
    if not data.isascii() and _is_utf8(data):
        raise DamageError(
            "wrong encoding: the leader says MARC-8 (position 9 is blank), the bytes are UTF-8"
        )
    if not marc8.has_escape(data):
        try:
            marc8.check_plain(data)
        except ValueError as error:
            raise DamageError(f"wrong encoding: {error}") from error
        return
    for entry in entries:
        for subfield in data[entry.start : entry.end].split(_SUBFIELD):
            _decoded(subfield, entry.tag, is_utf8=False)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _decoded(value: bytes, tag: str, *, is_utf8: bool) -> str:
    try:
        return value.decode("utf-8") if is_utf8 else marc8.decoded(value)
    except ValueError as error:
        raise DamageError(f"wrong encoding: field {tag}: {error}") from error


def _field(data: bytes, entry: Entry, is_utf8: bool) -> MarcField:
    tag, start, end = entry
    value = data[start:end]
    if tag.startswith("00"):
        return MarcField(tag, "", (), _decoded(value, tag, is_utf8=is_utf8))
    indicators, *subfields = value.split(_SUBFIELD)
    if len(indicators) != 2 or not indicators.isascii():
        raise DamageError(f"bad field: {tag} does not begin with two indicators")
    values = tuple(
        (chr(subfield[0]), _decoded(subfield[1:], tag, is_utf8=is_utf8))
        for subfield in subfields
        if subfield
    )
    return MarcField(tag, indicators.decode("ascii"), values)
