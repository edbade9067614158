"""MARCXML read piece by piece, so that damage costs no more than one record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from evaluate_shelf.records.byte_source import BrokenOffError
from evaluate_shelf.records.marc_xml_parsing import CUT_OFF, BrokenError, OpenRecord, Parsing

_RECORD_START = re.compile(rb"<(?:[\w.-]+:)?record(?=[\s>/])")
# A start tag that a block's end cuts in two is found again with this many bytes of the block.
_LONGEST_START = 200
_LONGEST_TOKEN = 2**20
# Bytes that a parser is fed first; each next piece is twice as long. So what is parsed again after
# damage is little where the damage goes on.
_FIRST_PIECE = 2**12
_ENDS = {b"<![CDATA[": b"]]>", b"<!--": b"-->", b"<?": b"?>"}
_TOO_LONG = f"broken XML: a tag or comment of more than {_LONGEST_TOKEN:,} bytes"


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
            return CUT_OFF
        return _TOO_LONG if len(self) > _LONGEST_TOKEN else ""

    def _has_after(self, mark: bytes) -> bool:
        # Looked for once a block: each of many beginnings would search all that follows again.
        if mark not in self._last:
            self._last[mark] = self._data_at + self._data.rfind(mark)
        return self._last[mark] >= max(self.begins_at, self._data_at + 1)


def records_and_damage(blocks: Iterable[bytes], path: Path) -> Iterator[OpenRecord | str]:
    """Read on after damage, from the next start of a record.

    Parameters
    ----------
    blocks : iterable of bytes
        The file's bytes.
    path : pathlib.Path
        The file, for messages.

    Yields
    ------
    OpenRecord or str
        Records that ended, whole or spoilt, and why what lies between them is damaged.

    Raises
    ------
    ShelfError
        The file is refused.
    """
    window = _Window()
    broken = None
    parsing = Parsing(path, 0, None, ())
    for block, is_last, broken_off in _blocks_and_end(blocks):
        new_from = window.ends_at
        window.add(block)
        while not broken or window.go_to_record():
            if broken:
                parsing = Parsing(path, window.begins_at, parsing.encoding, parsing.ancestors())
                new_from = window.begins_at
            broken = _fed(parsing, window, new_from, is_last, broken_off)
            yield from parsing.take_finished()
            if not broken:
                break
            yield parsing.interrupted(str(broken))
            window.let_go(max(broken.at, parsing.begins_at + 1))


def _fed(
    parsing: Parsing, window: _Window, new_from: int, is_last: bool, broken_off: str
) -> BrokenError | None:
    """Parse new bytes and let go of what is done with; the error if that cannot be done."""
    if broken_off:
        return BrokenError(f"cut off: {broken_off}", window.ends_at)
    size = _FIRST_PIECE
    while True:
        piece = window.piece(new_from, size)
        new_from, size = new_from + len(piece), 2 * size
        is_all = new_from == window.ends_at
        try:
            window.let_go(parsing.feed(piece, is_last=is_last and is_all))
        except BrokenError as error:
            window.bad_until = error.met_at
            return error
        why = window.why_endless(is_last=is_last)
        if is_all and len(window) > _LONGEST_TOKEN:
            why = why or _TOO_LONG
        if why:
            return BrokenError(why, window.begins_at)
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
