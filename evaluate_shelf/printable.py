"""Text that cannot move a terminal's cursor."""

from __future__ import annotations

import re

# Escapes, not the characters: a message may show a pattern that they are part of.
_BESIDES_LINES = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters, which move a terminal's cursor
    r"\u200e\u200f\u202a-\u202e\u2066-\u2069"  # what turns the direction of writing around
)

# What has no width, or ends a line in some programs: two texts that look alike are not the same.
_UNSEEN = r"\u00ad\u061c\u180e\u200b-\u200d\u2028\u2029\u2060-\u2065\ufeff\U000e0000-\U000e007f"

UNPRINTABLE = rf"\t\n\r{_BESIDES_LINES}{_UNSEEN}"
"""What a line of text may not hold, as the inside of a regular expression's brackets."""

UNPRINTABLE_BESIDES_LINES = _BESIDES_LINES + r"\r"
"""The same for a text of several lines, in which line feeds and tabs may be."""

_IN_LINES = re.compile(f"[{_BESIDES_LINES}]|\r(?!\n)")


def one_line(text: str, longest: int = 2000) -> str:
    r"""A text as `Reason` takes it: white space folded, unprintable characters gone, cut.

    Examples
    --------
    >>> one_line("out of\n  memory\x1b[2J")
    'out of memory[2J'
    """
    known = text.encode("utf-8", "replace").decode("utf-8")
    return re.sub(f"[{UNPRINTABLE}]", "", " ".join(known.split()))[:longest]


def brief(value: object, longest: int = 60) -> str:
    r"""A value that is wrong, for a message: on one line, nothing of it unprintable, and cut.

    Examples
    --------
    >>> print(brief("red\x1b[2J"), brief(list(range(1000)), 12))
    'red\x1b[2J' [0, 1, 2, 3…
    """
    text = repr(value)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def printable(text: str) -> str:
    r"""A text of any number of lines, without what moves a cursor but line ends and tabs.

    Examples
    --------
    >>> printable("one\x1b[2J\n\ttwo\r\nthree\rfour")
    'one[2J\n\ttwo\r\nthreefour'
    """
    return _IN_LINES.sub("", text)


def escaped_in_json(text: str) -> str:
    r"""JSON whose strings mean the same and move no cursor.

    Examples
    --------
    >>> print(escaped_in_json('"right\u202e to left\x7f"'))
    "right\u202e to left\u007f"
    """
    return _IN_LINES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def shortened(name: str, longest: int) -> str:
    """A name on one line of at most so many columns, with an ellipsis in the middle if it is cut.

    Names that begin alike, such as those of two runs of a model, stay different at their ends.

    Examples
    --------
    >>> shortened("all-MiniLM-L6-v2", 9), shortened("tf", 9)
    ('all-…6-v2', 'tf')
    """
    shown = one_line(name)
    if columns(shown) <= longest:
        return shown
    head = _begin(shown, longest // 2)
    tail = _begin(shown[::-1], longest - 1 - longest // 2)[::-1]
    # An accent whose letter is cut goes with it.
    while tail and not _columns_of(tail[0]):
        tail = tail[1:]
    return f"{head}…{tail}"


def columns(text: str) -> int:
    """Columns of a terminal that a line of text fills.

    Examples
    --------
    >>> columns("abc"), columns("図書館"), columns("e\u0301")
    (3, 6, 1)
    """
    return sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    import unicodedata

    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _begin(text: str, longest: int) -> str:
    """As much of the text's beginning as fits."""
    filled = 0
    for number, character in enumerate(text):
        filled += _columns_of(character)
        if filled > longest:
            return text[:number]
    return text
