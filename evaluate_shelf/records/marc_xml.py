"""MARCXML, parsed piece by piece, so that damage costs no more than one record.

Elements are told by their names without prefixes, so MARCXML inside an OAI-PMH or SRU answer is
read too: a `record` that holds another before any MARC field is only its wrapper. Where the XML is
broken, reading goes on at the next `record`. There is no entity to expand and nothing to fetch: a
document type declaration is refused.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.byte_source import BrokenOffError
from evaluate_shelf.records.marc_fields import MarcField, control_number
from evaluate_shelf.records.record import Unread

LONGEST = 1_000_000
"""Characters of the longest record; beyond the binary form's 99,999 bytes, which XML may exceed."""

_DEEPEST = 50
_RECORD_START = re.compile(rb"<(?:[\w.-]+:)?record(?=[\s>/])")
# A start tag that a block's end cuts in two is found again with this many bytes of the block.
_LONGEST_START = 200
_TAG = re.compile(r"[0-9A-Za-z]{3}")
_RECORD_ATTRIBUTES = ("id", "type")
# Counted for an element besides its text.
_ELEMENT_SIZE = 10
_LONGEST_TOKEN = 2**20
# Bytes that a parser is fed first; each next piece is twice as long. So what is parsed again after
# damage is little where the damage goes on.
_FIRST_PIECE = 2**12
_ENDS = {b"<![CDATA[": b"]]>", b"<!--": b"-->", b"<?": b"?>"}
_TOO_LONG = f"broken XML: a tag or comment of more than {_LONGEST_TOKEN:,} bytes"
_CUT_OFF = "cut off: the file ends inside an element"
_AT_THE_END = frozenset(
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
    )
)
_LEAVES = ("leader", "controlfield", "subfield")
_MARC = ("leader", "controlfield", "datafield")


@dataclass(frozen=True, slots=True)
class XmlRecord:
    """A record of a MARCXML file.

    Attributes
    ----------
    position : int
        Place in the file, from 1.
    attributes : tuple of (str, str)
        Those of its element, without namespaces.
    leader : str
        "" if there is none.
    fields : tuple of MarcField
        All of them, values as they stand.
    """

    position: int
    attributes: tuple[tuple[str, str], ...]
    leader: str
    fields: tuple[MarcField, ...]


@dataclass
class _Open:
    """A record element that has begun."""

    attributes: tuple[tuple[str, str], ...]
    is_wrapper: bool = False
    is_marc: bool = False
    leader: str = ""
    fields: list[MarcField] = field(default_factory=list)
    size: int = 0
    wrong: str = ""
    tag: str = ""
    indicators: str = ""
    subfields: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        """Whether more has come than a record may hold."""
        return self.size > LONGEST

    def spoil(self, why: str) -> None:
        """Take the record for damaged; the first reason stays."""
        self.wrong = self.wrong or why

    def grow(self, size: int) -> None:
        """Count what the record holds."""
        self.size += size
        if self.size > LONGEST:
            self.spoil(f"too long: more than {LONGEST:,} characters")

    def begin_field(self, element: str, attributes: Mapping[str, str]) -> None:
        """A controlfield or datafield begins."""
        self.tag = attributes.get("tag", "")
        self.indicators = (attributes.get("ind1") or " ") + (attributes.get("ind2") or " ")
        self.subfields = []
        is_control = self.tag.startswith("00")
        if not _TAG.fullmatch(self.tag) or is_control != (element == "controlfield"):
            self.spoil(f"bad field: a {element} with the tag {self.tag[:20]!r}")
        if len(self.indicators) != 2:
            self.spoil(f"bad field: {self.tag[:20]} has an indicator of more than one character")

    def add(self, element: str, code: str, text: str) -> None:
        """A leader, controlfield or subfield ends."""
        if self.is_full:
            return
        if element == "leader":
            self.leader = text
        elif element == "controlfield":
            self.fields.append(MarcField(self.tag, "", (), text))
        else:
            self.subfields.append((code, text))

    def end_field(self) -> None:
        """A datafield ends."""
        if not self.is_full:
            self.fields.append(MarcField(self.tag, self.indicators, tuple(self.subfields)))


def read_xml(blocks: Iterable[bytes], path: Path) -> Iterator[XmlRecord | Unread]:
    """Read the records of a file.

    Parameters
    ----------
    blocks : iterable of bytes
        The file's bytes.
    path : pathlib.Path
        The file, for messages.

    Yields
    ------
    XmlRecord or Unread
        In the order of the file, each with the next position.

    Raises
    ------
    ShelfError
        The file has a document type declaration.
    """
    for position, found in enumerate(_found(blocks, path), start=1):
        if isinstance(found, str):
            yield Unread(path.name, position, found)
        elif found.wrong:
            yield Unread(path.name, position, found.wrong, control_number(found.fields))
        else:
            yield XmlRecord(position, found.attributes, found.leader, tuple(found.fields))


class _BrokenError(Exception):
    """The XML cannot be parsed on.

    Parameters
    ----------
    why : str
        The message.
    at : int
        The place in the file from which the next record is looked for.
    met_at : int, default=None
        Where the parser stood, if it is another.
    """

    def __init__(self, why: str, at: int, met_at: int | None = None) -> None:
        super().__init__(why)
        self.at = at
        self.met_at = at if met_at is None else met_at


class _Parsing:
    """One expat parser, from one place of the file on.

    Parameters
    ----------
    path : pathlib.Path
        The file, for messages.
    begins_at : int
        The place in the file.
    encoding : str or None
        As declared at the file's start; None there.
    ancestors : sequence of str
        Elements that are open at that place.
    """

    def __init__(
        self, path: Path, begins_at: int, encoding: str | None, ancestors: Sequence[str]
    ) -> None:
        self.path = path
        self.begins_at = begins_at
        self.encoding = encoding
        self.finished: list[_Open] = []
        self._names: list[str] = []
        self._records: list[_Open] = []
        self._text: list[str] | None = None
        self._code = ""
        self._cdata_from: int | None = None
        self._declared_encoding: str | None = None
        self._parser = expat.ParserCreate(encoding)
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartCdataSectionHandler = self._start_cdata
        self._parser.EndCdataSectionHandler = self._end_cdata
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser.XmlDeclHandler = self._declared
        opening = "".join(f"<{name}>" for name in ancestors).encode(encoding or "utf-8", "replace")
        self._offset = begins_at - len(opening)
        self._parser.Parse(opening, False)

    def feed(self, data: bytes, *, is_last: bool) -> int:
        """Parse on; give the place in the file before which nothing is needed any more.

        Raises
        ------
        _BrokenError
            If this cannot be done.
        ShelfError
            If the file is refused.
        """
        try:
            self._parser.Parse(data, is_last)
        except expat.ExpatError as error:
            at = self._done_until(self._parser.ErrorByteIndex)
            met_at = self._offset + self._parser.ErrorByteIndex
            if is_last and error.code in _AT_THE_END:
                raise _BrokenError(_CUT_OFF, at, met_at) from error
            why = f"broken XML: {expat.ErrorString(error.code)} at byte {at:,}"
            raise _BrokenError(why, at, met_at) from error
        except (ValueError, LookupError) as error:
            raise ShelfError(
                f"{self.path}: cannot be decoded ({error}); save it as UTF-8"
            ) from error
        return self._done_until(max(0, self._parser.CurrentByteIndex))

    def take_finished(self) -> list[_Open]:
        """The records that have ended since the last call."""
        taken, self.finished = self.finished, []
        return taken

    def interrupted(self, why: str) -> _Open | str:
        """What is open now, as damaged for that reason; the reason alone between records."""
        record = self._records[-1] if self._records else None
        if record is None or record.is_wrapper:
            return why
        record.wrong = why
        return record

    def ancestors(self) -> list[str]:
        """The open elements that hold the records."""
        inside = (place for place, name in enumerate(self._names) if _local(name) == "record")
        return self._names[: next(inside, None)] or ["collection"]

    def _done_until(self, index: int) -> int:
        # A section that is never closed is to be searched for records from its start.
        return self._offset + index if self._cdata_from is None else self._cdata_from

    def _start_cdata(self) -> None:
        self._cdata_from = self._here()

    def _end_cdata(self) -> None:
        self._cdata_from = None

    def _refuse_doctype(self, *_: object) -> None:
        raise ShelfError(
            f"{self.path}: has a document type declaration (DOCTYPE), which is refused as it can "
            "name other files and expand without bound; remove it"
        )

    def _declared(self, _version: str, encoding: str | None, _standalone: int) -> None:
        self._declared_encoding = encoding

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._names:
            # Only now is it sure that the file is in it.
            self.encoding = self._declared_encoding or self.encoding
        local = _local(name)
        if local == "record":
            self._start_record(attributes)
        elif self._records and not self._records[-1].is_wrapper:
            self._start_part(self._records[-1], local, attributes)
        if len(self._names) == _DEEPEST:
            raise _BrokenError(f"broken XML: {_DEEPEST} elements inside each other", self._here())
        self._names.append(name)

    def _start_record(self, attributes: dict[str, str]) -> None:
        if self._records:
            outer = self._records[-1]
            if outer.is_marc:
                raise _BrokenError("broken XML: a record without its end", self._here())
            outer.is_wrapper = True
        kept = {name: value for name, value in attributes.items() if name in _RECORD_ATTRIBUTES}
        self._records.append(_Open(tuple(sorted(kept.items()))))

    def _start_part(self, record: _Open, local: str, attributes: dict[str, str]) -> None:
        parent = _local(self._names[-1])
        record.grow(_ELEMENT_SIZE + sum(map(len, attributes.values())))
        if parent == "record" and local in _MARC:
            record.is_marc = True
            if local != "leader":
                record.begin_field(local, attributes)
        elif parent == "datafield" and local == "subfield":
            self._code = attributes.get("code", "")
            if len(self._code) != 1:
                record.spoil(f"bad field: a subfield with the code {self._code[:20]!r}")
        else:
            record.spoil(f"unknown element: {local[:40]!r} inside a record")
        if local in _LEAVES:
            self._text = []

    def _characters(self, data: str) -> None:
        if self._text is not None:
            record = self._records[-1]
            record.grow(len(data))
            if not record.is_full:
                self._text.append(data)
        elif self._records and self._records[-1].is_marc and not data.isspace():
            self._records[-1].spoil("stray text: outside the fields of a record")

    def _end(self, name: str) -> None:
        self._names.pop()
        if not self._records:
            return
        local = _local(name)
        if local == "record":
            record = self._records.pop()
            if not record.is_wrapper:
                if not record.is_marc:
                    record.wrong = "no field: a record element without MARC fields"
                self.finished.append(record)
        elif self._text is not None and local in _LEAVES:
            self._records[-1].add(local, self._code, "".join(self._text))
            self._text = None
        elif local == "datafield" and not self._records[-1].is_wrapper:
            self._records[-1].end_field()

    def _here(self) -> int:
        return self._offset + self._parser.CurrentByteIndex


@functools.lru_cache(maxsize=256)
def _local(name: str) -> str:
    return name.rpartition(":")[2]


class _Window:
    """Bytes that may be needed again.

    Attributes
    ----------
    begins_at : int
        Place in the file of the first of them.
    bad_until : int
        Where a parser met what it could not read. A section that is still open there ends there
        for each parser that begins inside it, too.
    """

    def __init__(self) -> None:
        self.begins_at = 0
        self.bad_until = 0
        self._data = b""
        self._data_at = 0
        self._last: dict[bytes, int] = {}

    def __len__(self) -> int:
        return self.ends_at - self.begins_at

    @property
    def ends_at(self) -> int:
        """The place in the file after the last byte."""
        return self._data_at + len(self._data)

    def add(self, block: bytes) -> None:
        """Take the next bytes, and give back the memory of those that were let go."""
        self._data = self._data[self.begins_at - self._data_at :] + block
        self._data_at = self.begins_at
        self._last = {}

    def let_go(self, until: int) -> None:
        """Forget the bytes before that place in the file."""
        self.begins_at = min(max(until, self.begins_at), self.ends_at)

    def piece(self, begins_at: int, size: int) -> bytes:
        """Bytes from a place in the file on, as many as there are."""
        start = begins_at - self._data_at
        return self._data[start : start + size]

    def go_to_record(self) -> bool:
        """Forget the bytes before the next start of a record; whether there is one."""
        match = _RECORD_START.search(self._data, self.begins_at - self._data_at)
        self.let_go(self._data_at + match.start() if match else self.ends_at - _LONGEST_START)
        return match is not None

    def why_endless(self, *, is_last: bool) -> str:
        """Why a section, comment or instruction at the beginning has no end; "" if it may have."""
        begins = self.piece(self.begins_at, max(map(len, _ENDS)))
        end = next((end for start, end in _ENDS.items() if begins.startswith(start)), None)
        if end is None:
            return ""
        if end == _ENDS[b"<![CDATA["] and self.begins_at < self.bad_until:
            return "broken XML: a section that cannot be read to its end"
        if self._has_after(end):
            return ""
        if is_last:
            return _CUT_OFF
        return _TOO_LONG if len(self) > _LONGEST_TOKEN else ""

    def _has_after(self, mark: bytes) -> bool:
        # Looked for once a block: each of many beginnings would search all that follows again.
        if mark not in self._last:
            self._last[mark] = self._data_at + self._data.rfind(mark)
        return self._last[mark] >= max(self.begins_at, self._data_at + 1)


def _found(blocks: Iterable[bytes], path: Path) -> Iterator[_Open | str]:
    """Records that ended, whole or spoilt, and why what lies between them is damaged."""
    window = _Window()
    broken = None
    parsing = _Parsing(path, 0, None, ())
    for block, is_last, broken_off in _blocks_and_end(blocks):
        new_from = window.ends_at
        window.add(block)
        while not broken or window.go_to_record():
            if broken:
                parsing = _Parsing(path, window.begins_at, parsing.encoding, parsing.ancestors())
                new_from = window.begins_at
            broken = _fed(parsing, window, new_from, is_last, broken_off)
            yield from parsing.take_finished()
            if not broken:
                break
            yield parsing.interrupted(str(broken))
            window.let_go(max(broken.at, parsing.begins_at + 1))


def _fed(
    parsing: _Parsing, window: _Window, new_from: int, is_last: bool, broken_off: str
) -> _BrokenError | None:
    """Parse new bytes and let go of what is done with; the error if that cannot be done."""
    if broken_off:
        return _BrokenError(f"cut off: {broken_off}", window.ends_at)
    size = _FIRST_PIECE
    while True:
        piece = window.piece(new_from, size)
        new_from, size = new_from + len(piece), 2 * size
        is_all = new_from == window.ends_at
        try:
            window.let_go(parsing.feed(piece, is_last=is_last and is_all))
        except _BrokenError as error:
            window.bad_until = error.met_at
            return error
        why = window.why_endless(is_last=is_last)
        if is_all and len(window) > _LONGEST_TOKEN:
            why = why or _TOO_LONG
        if why:
            return _BrokenError(why, window.begins_at)
        if is_all:
            return None


def _blocks_and_end(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool, str]]:
    """Each block; then an empty one, marked as the last, with why the file broke off if it did."""
    try:
        for block in blocks:
            yield block, False, ""
    except BrokenOffError as error:
        yield b"", True, f"the file cannot be read on ({error})"
        return
    yield b"", True, ""
