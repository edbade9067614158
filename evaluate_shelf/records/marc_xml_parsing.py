"""The elements of MARCXML, as the parser expat meets them, made into records."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.marc_fields import MarcField

LONGEST = 1_000_000
"""Characters of the longest record; beyond the binary form's 99,999 bytes, which XML may exceed."""

CUT_OFF = "cut off: the file ends inside an element"
"""What is said of a record that the end of the file leaves open."""

_DEEPEST = 50
_TAG = re.compile(r"[0-9A-Za-z]{3}")
_RECORD_ATTRIBUTES = ("id", "type")
# Counted for an element besides its text.
_ELEMENT_SIZE = 10
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


@dataclass
class OpenRecord:
    """A record element that has begun.

    Attributes
    ----------
    attributes : tuple of (str, str)
        Those of a record that are kept.
    is_wrapper : bool
        Whether it holds another record, and is itself none.
    is_marc : bool
        Whether a part of a MARC record has begun in it.
    leader : str
        "" until it ends.
    fields : list of MarcField
        Those that have ended.
    size : int
        Characters so far, with `_ELEMENT_SIZE` for each element.
    wrong : str
        Why it is damaged; "" if it is not.
    tag, indicators : str
        Of the field that began last.
    subfields : list of (str, str)
        Codes and values of that field.
    """

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


class BrokenError(Exception):
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


class Parsing:
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

    Attributes
    ----------
    finished : list of OpenRecord
        Those that ended since `take_finished` was called last.
    """

    def __init__(
        self, path: Path, begins_at: int, encoding: str | None, ancestors: Sequence[str]
    ) -> None:
        self.path = path
        self.begins_at = begins_at
        self.encoding = encoding
        self.finished: list[OpenRecord] = []
        self._names: list[str] = []
        self._records: list[OpenRecord] = []
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
        """Parse on.

        Parameters
        ----------
        data : bytes
            What follows in the file.
        is_last : bool
            Whether the file ends with it.

        Returns
        -------
        int
            The place in the file before which nothing is needed any more.

        Raises
        ------
        BrokenError
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
                raise BrokenError(CUT_OFF, at, met_at) from error
            why = f"broken XML: {expat.ErrorString(error.code)} at byte {at:,}"
            raise BrokenError(why, at, met_at) from error
        except (ValueError, LookupError) as error:
            raise ShelfError(
                f"{self.path}: cannot be decoded ({error}); save it as UTF-8"
            ) from error
        return self._done_until(max(0, self._parser.CurrentByteIndex))

    def take_finished(self) -> list[OpenRecord]:
        """The records that have ended since the last call."""
        taken, self.finished = self.finished, []
        return taken

    def interrupted(self, why: str) -> OpenRecord | str:
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
            raise BrokenError(f"broken XML: {_DEEPEST} elements inside each other", self._here())
        self._names.append(name)

    def _start_record(self, attributes: dict[str, str]) -> None:
        if self._records:
            outer = self._records[-1]
            if outer.is_marc:
                raise BrokenError("broken XML: a record without its end", self._here())
            outer.is_wrapper = True
        kept = {name: value for name, value in attributes.items() if name in _RECORD_ATTRIBUTES}
        self._records.append(OpenRecord(tuple(sorted(kept.items()))))

    def _start_part(self, record: OpenRecord, local: str, attributes: dict[str, str]) -> None:
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
