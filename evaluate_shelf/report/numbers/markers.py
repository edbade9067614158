"""Numbers with a marker in Markdown: `0.870<!--= agreement classification ... -->`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from evaluate_shelf.errors import ShelfError

_LONGEST_SHOWN = 60


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
        >>> [number] = marked_numbers("0.87<!--= x -->")
        >>> number.follows_from(0.8712), number.follows_from(0.8763), number.follows_from(0.875)
        (True, False, True)
        """
        exact = Decimal(repr(value)) * (100 if self.percent else 1)
        return abs(exact - self.value) <= Decimal(5).scaleb(-self.decimals - 1)

    def as_written(self, value: float) -> str:
        """A value in the form of the number that is written.

        Examples
        --------
        >>> [number] = marked_numbers("62,899<!--= x -->")
        >>> number.as_written(12504.0)
        '12,504'
        """
        exact = Decimal(repr(value)) * (100 if self.percent else 1)
        grouping = "," if "," in self.written else ""
        return f"{exact:{grouping}.{self.decimals}f}{' %' if self.percent else ''}"


def marked_numbers(text: str) -> list[MarkedNumber]:
    """All numbers of a Markdown text that carry a marker, in order.

    A marker inside code is an example and no marker.

    Parameters
    ----------
    text : str
        Markdown.

    Returns
    -------
    list of MarkedNumber

    Raises
    ------
    ShelfError
        If a marker has no end, no words, or no number before it; the message begins with the line.

    Examples
    --------
    >>> [number] = marked_numbers("Spearman **−0.30**<!--= agreement a b -->")
    >>> number.value, number.decimals, number.derivation
    (Decimal('-0.30'), 2, ('agreement', 'a', 'b'))
    >>> marked_numbers("`0.5<!--= x -->`")
    []
    """
    code = _code(text)
    starts = [
        found.start()
        for found in re.finditer("<!--=", text)
        if not any(begin <= found.start() < end for begin, end in code)
    ]
    return [_number(text, start) for start in starts]


_NUMBER = re.compile(
    r"(?<![\w.,])"  # no end of a longer number or of a word
    r"(?P<number>(?P<sign>[-+−])?(?P<whole>\d{1,3}(?:,\d{3})+|\d+)(?:\.(?P<fraction>\d+))?"
    r"(?P<percent>[ \u00a0\u202f]?%)?)"
    r"[*_`]*$"
)


def _number(text: str, start: int) -> MarkedNumber:
    line = text.count("\n", 0, start) + 1
    end = text.find("-->", start)
    if end < 0:
        raise ShelfError(f"line {line}: a marker has no end; it is closed with -->")
    words = tuple(text[start + len("<!--=") : end].split())
    if not words:
        raise ShelfError(f"line {line}: a marker names no derivation")
    before = text[text.rfind("\n", 0, start) + 1 : start]
    found = _NUMBER.search(before)
    if not found:
        raise ShelfError(
            f"line {line}: no number stands right before the marker "
            f"{' '.join(words)[:_LONGEST_SHOWN]!r}"
        )
    fraction = found["fraction"] or ""
    sign = "-" if found["sign"] in ("-", "−") else ""
    return MarkedNumber(
        line=line,
        written=found["number"],
        value=Decimal(f"{sign}{found['whole'].replace(',', '')}.{fraction or '0'}"),
        decimals=len(fraction),
        percent=found["percent"] is not None,
        derivation=words,
    )


_FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n", re.MULTILINE)
_TICKS = re.compile(r"`+")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


def _code(text: str) -> list[tuple[int, int]]:
    """Where code stands: fenced blocks, and spans between equally many backticks."""
    places: list[tuple[int, int]] = []
    position = 0
    while fence := _FENCE.search(text, position):
        places.extend(_spans(text, position, fence.start()))
        mark = fence["fence"]
        closing = re.compile(
            rf"^ {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE
        ).search(text, fence.end())
        position = closing.end() if closing else len(text)
        places.append((fence.start(), position))
    places.extend(_spans(text, position, len(text)))
    return places


def _spans(text: str, begin: int, end: int) -> list[tuple[int, int]]:
    """Code spans of a stretch of prose; a span does not reach over a blank line."""
    places: list[tuple[int, int]] = []
    ticks = list(_TICKS.finditer(text, begin, end))
    while ticks:
        opening, *ticks = ticks
        close = next((i for i, mark in enumerate(ticks) if len(mark[0]) == len(opening[0])), None)
        if close is None or _BLANK_LINE.search(text, opening.end(), ticks[close].start()):
            continue
        places.append((opening.start(), ticks[close].end()))
        ticks = ticks[close + 1 :]
    return places
