"""MARC-8 to Unicode, without guesses: a byte that means nothing is an error.

The tables are those of pymarc. Its own conversion puts a space for what it does not know and says
so on standard error only, so a record in another encoding would pass for a good one.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.installation import install_command

Charset = Mapping[int, tuple[int, int]]

_ESCAPE = 0x1B
_BASIC_LATIN, _EXTENDED_LATIN, _EAST_ASIAN = 0x42, 0x45, 0x31
# ESC, then: the working set (g0, or g1 after ")" or "-") and the final character of a set's name;
# or one letter for Greek symbols, subscripts, superscripts and back to Latin.
_DESIGNATION = re.compile(
    rb"\x1b(?:\$?(?P<into>[(,)-])|\$)!?(?P<set>[B-E1-4NQS])|\x1b(?P<one>[gbps])"
)
_LATIN_AGAIN = ord("s")
_NON_SORTING = (0x88, 0x89)


def require_pymarc() -> None:
    """Make sure that the tables are installed.

    Raises
    ------
    ShelfError
        They are not; the message says how to install them.
    """
    try:
        import pymarc.marc8_mapping  # noqa: F401
    except ImportError as error:
        raise ShelfError(
            f"reading MARC needs pymarc, which is not installed: {install_command('build')}"
        ) from error


def has_escape(data: bytes) -> bool:
    """Whether a value changes its character set."""
    return _ESCAPE in data


def check_plain(data: bytes) -> None:
    """Check bytes without escape sequences.

    Raises
    ------
    ValueError
        A byte is neither ASCII nor extended Latin.
    """
    unknown = _undefined().search(data)
    if unknown:
        raise ValueError(f"byte {unknown.start():,}: 0x{unknown[0][0]:02x} is not MARC-8")


def decoded(data: bytes) -> str:
    r"""Decode one subfield.

    Parameters
    ----------
    data : bytes
        MARC-8. Each subfield begins in basic and extended Latin.

    Returns
    -------
    str
        Composed characters (NFC).

    Raises
    ------
    ValueError
        A byte or a sequence that the character set has not.

    Examples
    --------
    >>> decoded(b"\xe2etude, \xa1\xe2od\xe2z")
    'étude, Łódź'
    """
    if data.isascii() and not has_escape(data):
        return data.decode("ascii")
    if has_escape(data):
        return unicodedata.normalize("NFC", "".join(_in_any_set(data)))
    check_plain(data)
    text = data.decode("latin-1").translate(_latin())
    return unicodedata.normalize("NFC", _marks_first().sub(r"\2\1", text))


def _in_any_set(data: bytes) -> Iterator[str]:
    """The characters of a value that changes its working sets; marks come after their letters."""
    working = [_BASIC_LATIN, _EXTENDED_LATIN]
    marks = ""
    at = 0
    while at < len(data):
        if data[at] == _ESCAPE:
            at = _designate(data, at, working)
            continue
        character, is_mark, width = _character(data, at, working[data[at] > 0x7F])
        at += width
        if is_mark:
            marks += character
        elif character:
            yield character + marks
            marks = ""
    yield marks


def _designate(data: bytes, at: int, working: list[int]) -> int:
    match = _DESIGNATION.match(data, at)
    if not match:
        raise ValueError(f"byte {at:,}: an escape sequence of no known character set")
    if match["one"]:
        one = match["one"][0]
        working[0] = _BASIC_LATIN if one == _LATIN_AGAIN else one
    else:
        working[match["into"] in (b")", b"-")] = match["set"][0]
    return match.end()


def _character(data: bytes, at: int, charset: int) -> tuple[str, bool, int]:
    byte = data[at]
    if byte <= 0x20 or byte == 0x7F:
        return chr(byte), False, 1
    if byte in _NON_SORTING:
        return "", False, 1
    width = 3 if charset == _EAST_ASIAN else 1
    code = int.from_bytes(data[at : at + width], "big")
    found = _lookup(charset, code) if at + width <= len(data) else None
    if found is None:
        raise ValueError(f"byte {at:,}: 0x{code:0{2 * width}x} is not in the character set")
    return chr(found[0]), bool(found[1]), width


def _lookup(charset: int, code: int) -> tuple[int, int] | None:
    table = _charsets()[charset]
    if charset == _EAST_ASIAN:
        code &= 0x7F7F7F
        return table.get(code) or _odd(code)
    # A set may be designated to either half of the code table.
    return table.get(code) or table.get(code ^ 0x80)


def _odd(code: int) -> tuple[int, int] | None:
    from pymarc.marc8_mapping import ODD_MAP

    point = ODD_MAP.get(code)
    return None if point is None else (point, 0)


@functools.cache
def _charsets() -> Mapping[int, Charset]:
    require_pymarc()
    from pymarc.marc8_mapping import CODESETS

    return CODESETS


def _extended_latin() -> Charset:
    return _charsets()[_EXTENDED_LATIN]


@functools.cache
def _undefined() -> re.Pattern[bytes]:
    """Bytes that a value without escape sequences cannot hold."""
    unknown = [code for code in range(0x80, 0x100) if code not in _extended_latin()]
    return re.compile(b"[" + b"".join(re.escape(bytes([code])) for code in unknown) + b"]")


@functools.cache
def _latin() -> dict[int, str]:
    characters = {code: chr(point) for code, (point, _) in _extended_latin().items()}
    return characters | dict.fromkeys(_NON_SORTING, "")


@functools.cache
def _marks_first() -> re.Pattern[str]:
    """Marks and the letter after them; in MARC-8 marks come first."""
    marks = "".join(chr(point) for point, is_mark in _extended_latin().values() if is_mark)
    return re.compile(f"([{marks}]+)([^{marks}])", re.DOTALL)
