"""What lines look like: an index, a table, the points of a chapter."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PAGES = r"(?:\d{1,4}|[ivxlc]{1,7})(?:\s*[-–—]+\s*\d{1,4})?(?:\s*(?:n|ff?|sqq?)\.)?"
_CONTENTS_LINE = re.compile(
    rf"(?:\.[ ]?){{3,}}[ ]*{_PAGES}\.?$"
    rf"|\S[ \t]{{2,}}(?:page |p\. ?)?{_PAGES}\.?$"
    r"|^(?:chap(?:ter|\.)?[ ])?[ivxlcdm]{1,8}\.?[ ].{1,90}[ ]\d{1,4}\.?$",
    re.IGNORECASE,
)
_INDEX_LINE = re.compile(
    rf"[^\d\s][^\n]*?[,;:.][ ]*{_PAGES}(?:[,;][ ]*{_PAGES})*[.,;]?$|\b(?:See|see also)[ ][A-Z_]"
)
_LEADERS = re.compile(rf"(?:\.[ ]?){{4,99}}[ ]*{_PAGES}", re.IGNORECASE)
_POINTER = re.compile(r"[^\W\d_][.\"'”’)]?,? \d{1,3}(?:[-–—]+\d{1,3})?[;.]")
_NUMBER = re.compile(r"^[\[(]?\d{1,4}(?:[-–—]+\d{1,4})?[\])]?[,;.:]*n?\.?$")
_DIGIT = re.compile(r"\d")
_GAP = re.compile(r"\S(?:[ ]{3,}|\t)\S")
_DRAWN = re.compile(r"[|│┃║╔╗╚╝+]|-{4,}|={4,}|_{4,}")
_SIGNS = ("   ", "\t", *"|│┃║╔╗╚╝+", "----", "====", "____")
_DASH = re.compile(r"\s*(?:--+|—|–)\s*")
_POINT = re.compile(r"\s*(?:--+|—|–|;|(?<=\w\w)\.(?=\s|$))\s*")
# Long lines are whole paragraphs: only their ends are looked at, which keeps matching quick.
_LINE_TAIL = 120
_NUMBER_SHARE = 0.15
_POINTER_SHARE = 0.1
_LEAST_POINTS = 5
_POINT_WORDS = 8
_CAPITAL_SHARE = 0.7


def is_reference(lines: Sequence[str], tokens: Sequence[str]) -> bool:
    """Whether lines list pages: contents, an index, a list of plates.

    Parameters
    ----------
    lines : sequence of str
        The lines of a block.
    tokens : sequence of str
        Their parts between white space.

    Examples
    --------
    >>> lines = ["Ants, 3, 17-19", "Bees, habits of, 4; see also Hives, 12"]
    >>> is_reference(lines, " ".join(lines).split())
    True
    """
    text = " ".join(tokens)
    if not _DIGIT.search(text):
        return False
    if ("...." in text or ". . ." in text) and len(_LEADERS.findall(text)) >= len(lines) / 2:
        return True
    if len(_POINTER.findall(text)) >= _POINTER_SHARE * len(tokens):
        return True
    numbers = sum(bool(_NUMBER.match(token)) for token in tokens)
    if numbers < _NUMBER_SHARE * len(tokens):
        return False
    ends = [line.strip()[-_LINE_TAIL:] for line in lines]
    hits = sum(bool(_CONTENTS_LINE.search(end) or _INDEX_LINE.search(end)) for end in ends)
    return hits >= len(lines) / 2


def is_table(lines: Sequence[str]) -> bool:
    """Whether half of the lines have columns, or frames drawn with characters.

    Examples
    --------
    >>> is_table(["Year      Hives", "1861        12"])
    True
    """
    stripped = [line.strip() for line in lines]
    drawing = "\n".join(stripped)
    # Plain searches first: most blocks have none of these.
    if not any(sign in drawing for sign in _SIGNS):
        return False
    hits = sum(bool(_GAP.search(line) or _DRAWN.search(line)) for line in stripped)
    return hits >= len(lines) / 2


def are_points(text: str, *, dashes_only: bool) -> bool:
    """Whether a text strings short titles together, as contents in full do.

    Parameters
    ----------
    text : str
        The text on one line.
    dashes_only : bool
        Whether only dashes part the titles, as in the summary under a chapter's title; else
        semicolons and full stops part them too.

    Examples
    --------
    >>> text = "The Hive--A new Queen--Swarms--Of Honey--The Drones--Winter"
    >>> are_points(text, dashes_only=True)
    True
    """
    words = len(text.split())
    marks = ("--", "—", "–") if dashes_only else ("--", "—", "–", ";", ".")
    if _POINT_WORDS * (1 + sum(text.count(mark) for mark in marks)) <= words:
        return False
    points = (_DASH if dashes_only else _POINT).split(text)
    points = [point for part in points if (point := part.strip("\"'“”‘’ "))]
    capitals = sum(not point[0].islower() for point in points)
    return (
        len(points) >= _LEAST_POINTS
        and words < _POINT_WORDS * len(points)
        and capitals >= _CAPITAL_SHARE * len(points)
    )
