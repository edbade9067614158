"""Numbers with a marker in Markdown: `0.870<!--= agreement classification ... -->`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from evaluate_shelf.printable import brief


@dataclass(frozen=True)
class MarkedNumber:
    """A number as it is written, and how it has to follow.

    Attributes
    ----------
    line : int
        Where it stands, counted from one.
    written : str
        As it is written, with its sign, thousands and per cent.
    value : decimal.Decimal
        What is written.
    decimals : int
        Digits after the point.
    percent : bool
        Whether it counts hundredths.
    derivation : tuple of str
        The words of the marker.
    """

    line: int
    written: str
    value: Decimal
    decimals: int
    percent: bool
    derivation: tuple[str, ...]

    def follows_from(self, value: float) -> bool:
        """Whether a value, rounded to the digits that are written, is the number.

        A value halfway between two numbers may be rounded to either.

        Examples
        --------
        >>> [number] = read_markers("0.87<!--= x -->").numbers
        >>> number.follows_from(0.8712), number.follows_from(0.8763), number.follows_from(0.875)
        (True, False, True)
        """
        exact = Decimal(repr(value)) * (100 if self.percent else 1)
        return abs(exact - self.value) <= Decimal(5).scaleb(-self.decimals - 1)

    def as_written(self, value: float) -> str:
        """A value in the form of the number that is written.

        Examples
        --------
        >>> [number] = read_markers("62,899<!--= x -->").numbers
        >>> number.as_written(12504.0)
        '12,504'
        """
        exact = Decimal(repr(value)) * (100 if self.percent else 1)
        grouping = "," if "," in self.written else ""
        return f"{exact:{grouping}.{self.decimals}f}{' %' if self.percent else ''}"


class Refused(NamedTuple):
    """Something that is no marker and may have been meant as one.

    Attributes
    ----------
    line : int
        Where it begins, counted from one.
    problem : str
        What is wrong with it, and what to do.
    """

    line: int
    problem: str


class Markers(NamedTuple):
    """What a text has of markers.

    Attributes
    ----------
    numbers : list of MarkedNumber
        All that carry a marker, in order.
    refused : list of Refused
        All that may have been meant as one, in order.
    """

    numbers: list[MarkedNumber]
    refused: list[Refused]


def read_markers(text: str, names: Collection[str] = ()) -> Markers:
    """Read the markers of a Markdown text.

    A marker inside code is an example and no marker. Whatever else looks like one is refused, so
    that no number goes unchecked by a slip of the pen: a marker without an end, a derivation or a
    number right before it, any other comment right after a number, and what is no comment for
    want of a sign.

    Parameters
    ----------
    text : str
        Markdown.
    names : collection of str, default=()
        The derivations: a comment that begins with one is refused even a blank behind a number.

    Returns
    -------
    Markers

    Examples
    --------
    >>> [number] = read_markers("Spearman **−0.30**<!--= agreement a b -->").numbers
    >>> number.value, number.decimals, number.derivation
    (Decimal('-0.30'), 2, ('agreement', 'a', 'b'))
    >>> read_markers("`0.5<!--= x -->`")
    Markers(numbers=[], refused=[])
    >>> [wrong] = read_markers("1<!--= x -->, 2<!-- x -->").refused
    >>> print(wrong.problem)
    a comment right after '2' is no marker; a marker is <!--= DERIVATION --> right after a number
    """
    found = [*_found(text, names)]
    return Markers(
        [one for one in found if isinstance(one, MarkedNumber)],
        [one for one in found if isinstance(one, Refused)],
    )


def _found(text: str, names: Collection[str]) -> Iterator[MarkedNumber | Refused]:
    from markdown_it import MarkdownIt

    for block in MarkdownIt("commonmark").enable("table").parse(text):
        pieces = _PIECES.get(block.type)
        if pieces is None or block.map is None:
            continue  # a block of code, or one that holds others
        for piece in pieces.finditer(block.content):
            line = 1 + block.map[0] + block.content.count("\n", 0, piece.start())
            before = block.content[: piece.start()].rpartition("\n")[2]
            one = _marker(line, before, piece, names)
            if one is not None:
                yield one


_DASH, _EQUALS = "[-–—−]", "[=＝]"
_OPENING = "(?:[<＜‹]|&lt;)"
# An escaped sign begins nothing. Of code and comments the one that begins first counts.
_ESCAPED = r"\\[\\`]"
_CODE = r"(?P<ticks>`++)(?:.*?(?<!`)(?P=ticks)(?!`))?"
_COMMENT = r"<!--(?P<inside>.*?)(?P<end>-->|\Z)"
# What would have begun a marker but for a sign: wherever it stands, or right after a number.
_SLIP = rf"(?P<slip>{_OPENING}\s*(?:!\s*{_DASH}*|{_DASH}+)\s*{_EQUALS}|!{_DASH}{{2}}\s*{_EQUALS})"
_NEAR = rf"(?P<near>{_OPENING}(?:\s*!|{_DASH}{{2}}))"
_PIECES = {
    "inline": re.compile("|".join((_ESCAPED, _CODE, _COMMENT, _SLIP, _NEAR)), re.DOTALL),
    "html_block": re.compile("|".join((_COMMENT, _SLIP, _NEAR)), re.DOTALL),
}
_BEGINS_AS_A_MARKER = re.compile(rf"\s*{_DASH}*\s*{_EQUALS}")
_WORD = re.compile(r"[\w/+.-]+", re.ASCII)
_NUMBER = re.compile(
    r"(?<![\w.,])"  # no end of a longer number or of a word
    r"(?P<number>(?P<sign>[-+−])?(?P<whole>\d{1,3}(?:,\d{3})+|\d+)(?:\.(?P<fraction>\d+))?"
    r"(?P<percent>[ \u00a0\u202f]?%)?)"
    r"[*_`]*$"
)

_FORM = "a marker is <!--= DERIVATION --> right after a number"


def _marker(
    line: int, before: str, piece: re.Match[str], names: Collection[str]
) -> MarkedNumber | Refused | None:
    """The marker that begins at a piece of a text, or what is wrong there; None if nothing is."""
    inside, number = piece["inside"], _NUMBER.search(before)
    if piece["slip"] or (piece["near"] and number):
        return Refused(line, f"{brief(piece[0])} begins no marker; {_FORM}")
    if inside is None:
        return None
    if inside.startswith("="):
        return _number(line, number, inside[1:].split(), ended=bool(piece["end"]))
    if _BEGINS_AS_A_MARKER.match(inside):
        return Refused(line, f"{brief(piece[0])} is no marker; {_FORM}")
    if number:
        written = number["number"]
        return Refused(line, f"a comment right after {written!r} is no marker; {_FORM}")
    first = next(iter(inside.split()), "").strip("=:")
    if first in names and _NUMBER.search(before.rstrip()):
        return Refused(line, f"a comment names {first!r} and is no marker; {_FORM}")
    if "<!--" in inside:
        return Refused(line, "a comment begins before another has ended with -->")
    return None


def _number(
    line: int, found: re.Match[str] | None, words: list[str], *, ended: bool
) -> MarkedNumber | Refused:
    if not ended:
        return Refused(line, "a marker has no end; it is closed with -->")
    if not words:
        return Refused(line, "a marker names no derivation; --derivations lists them")
    strange = next((word for word in words if not _WORD.fullmatch(word)), None)
    if strange is not None:
        return Refused(line, f"{brief(strange)} is no word of a marker; it is closed with -->")
    if found is None:
        marker = brief(" ".join(words))
        return Refused(line, f"no number stands right before the marker {marker}")
    fraction = found["fraction"] or ""
    sign = "-" if found["sign"] in ("-", "−") else ""
    return MarkedNumber(
        line=line,
        written=found["number"],
        value=Decimal(f"{sign}{found['whole'].replace(',', '')}.{fraction or '0'}"),
        decimals=len(fraction),
        percent=found["percent"] is not None,
        derivation=tuple(words),
    )
