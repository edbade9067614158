"""G4: a document does not present its own labels as labels.

The words of a label may stand anywhere: a sermon may speak of literature. What fails is a place
where a label is given as one: a header, a code, a title or a line that is nothing else, or a
sentence in which the document says what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from builders.gates.labels import Key, OwnLabels, key_of, keys_of_all

_SHOWN = 60
_TOP_LINES = 4
_OPENING = 400

# Headers that no text needs: at its top or its end, whatever they say labels the document.
_OF_DOCUMENTS = (
    "document type|type of document|text type|subject area|subject headings?|genres?|genre/form"
    "|form/genre|literary form|lcgft(?: (?:form|term|category))?|register|(?:target|intended)"
    " audience|target length"
)
# Headers that texts have for reasons of their own: they label it where they name its labels.
_OF_ANYTHING = (
    "category|categories|type|form|format|class|classification|subjects?|topics?|field|discipline"
    "|keywords?|tags?|audience|readership|filed under|listed under|shelf ?mark|call number|lc class"
)
_LEAD = r"^[#>*_\-|\[(\u2022 \t]*"
_HEADER = re.compile(
    rf"{_LEAD}(?P<key>{_OF_DOCUMENTS}|{_OF_ANYTHING})[*_ \t]*[:=\u2013\u2014|][*_ \t]*"
    r"(?P<value>[^\n]{0,300})",
    re.IGNORECASE | re.MULTILINE,
)
_IN_BRACKETS = re.compile(
    rf"[\[(][ \t]*(?P<key>{_OF_DOCUMENTS}|{_OF_ANYTHING})[ \t]*[:=][ \t]*"
    r"(?P<value>[^\])\n]{0,300})[\])]",
    re.IGNORECASE,
)
_STRONG = re.compile(_OF_DOCUMENTS, re.IGNORECASE)
_OF_TOPICS = re.compile(r"topics|subjects|subject headings?|audience|readership|register", re.I)
# A comma inside brackets parts no items.
_ITEM = re.compile(r"[,;|/\u00b7](?![^(\n]*\))|\s+[\u2013\u2014-]+\s+|--")

# A vocabulary's acronym as a code: "LCSH: bees", "(LCC) SF", "[FAST: Bees]".
_ACRONYMS = ("LCC", "LCSH", "LCGFT", "FAST")
_ACRONYM = re.compile(
    rf"(?:(?P<line>^[ \t#>*_-]*)|(?P<bracket>[\[(][ \t]*)|)\b(?P<name>{'|'.join(_ACRONYMS)})\b"
    r"(?P<sign>[ \t]*[\])]?[ \t]*[:=]|[ \t]*[\])])[ \t]*(?P<value>[^\n\])]{0,300})",
    re.MULTILINE,
)
_BRACKET = r"[\[(]((?:[^\[\]()\n]|\([^()\n]*\)){2,80})[\])]"
_LONE_BRACKET = re.compile(rf"^[ \t#>*_-]*{_BRACKET}[*_ \t.]*$", re.MULTILINE)

_TITLE_PART = re.compile(r"[:\u2013\u2014|]|\s-+\s")
_TITLE_BRACKET = re.compile(rf"{_BRACKET}\s*$")

# A sentence in which the document says what it is; never behind a quotation mark.
_SAYS = re.compile(
    r"(?<![\"\u201c\u2018'\w])(?:this is|what follows is|the following is|below is|here is|here's"
    r"|you are reading|presented here is)\s+(?:an?|the|my|our|one)\s+"
    r"(?P<rest>[^.!?;:,\n\u2014(]{1,200})",
    re.IGNORECASE,
)
_THIS = re.compile(
    r"(?<![\"\u201c\u2018'\w])(?:this|the present)\s+(?P<rest>[^.!?;:,\n\u2014(]{3,80})",
    re.IGNORECASE,
)
_DOES = frozenset(
    (
        "describes", "discusses", "explores", "presents", "examines", "argues", "considers",
        "recounts", "outlines", "reviews", "analyzes", "analyses", "investigates", "addresses",
        "introduces", "summarizes", "summarises", "surveys",
    )
)  # fmt: skip
_AFTER_KIND = frozenset(
    (
        "of", "about", "on", "for", "in", "to", "from", "that", "which", "who", "whose", "by",
        "with", "and", "set", "written", "concerning", "at", "as", "meant", "intended", "based",
    )
)  # fmt: skip
_FIELD_WORDS = ("field of", "discipline of", "area of", "genre of", "subject of")
_FIELD = re.compile(
    r"\b(?:in|within|to|of) the (?:academic )?(?:field|discipline|subject area|genre|subject)"
    r"(?: area)? of (?P<rest>[^.!?;:\n\u2014(]{1,80})",
    re.IGNORECASE,
)
_ADJECTIVES = 3


def self_labels(title: str, body: str, labels: OwnLabels) -> list[str]:
    """Find the places where a document presents its own labels.

    Parameters
    ----------
    title, body : str
        The document.
    labels : OwnLabels
        Its own.

    Returns
    -------
    list of str
        The places, each cut to 60 characters.

    Examples
    --------
    >>> ballad = OwnLabels(("Music", "Ballads"), ("Language and Literature",))
    >>> self_labels("The Ford", "Genre: ballad", ballad)
    ['Genre: ballad']
    >>> self_labels("The Ford", "This is a short ballad of the war.", ballad)
    ['This is a short ballad of the war']
    >>> self_labels("The Ford", "She sang ballads and read literature.", ballad)
    []
    """
    own = _Keys(labels)
    text = f"{title}\n\n{body}"
    found = [
        *_headers(text, own),
        *_acronyms(text, own),
        *_title(title, own),
        *_lines(body, own),
        *_sentences(text, own),
    ]
    return list(dict.fromkeys(" ".join(own.split())[:_SHOWN] for own in found))


class _Keys:
    """The keys of a document's labels."""

    def __init__(self, labels: OwnLabels) -> None:
        self.kinds = keys_of_all(labels.kinds)
        self.main = self.kinds | keys_of_all(labels.subjects)
        self.all = self.main | keys_of_all(labels.others)
        self.code = labels.code

    def are_in(self, value: str, keys: frozenset[Key]) -> bool:
        """Whether one of the items of a header's value is a label, or begins with the code."""
        items = [value, *_ITEM.split(value)]
        return any(key_of(_unmarked(item)) in keys for item in items) or self.is_code(value)

    def is_code(self, value: str) -> bool:
        """Whether a value begins with the class's code, as call numbers do."""
        first = re.match(r"[\w.]+", value)
        if not self.code or first is None:
            return False
        rest = first[0].removeprefix(self.code)
        return first[0].startswith(self.code) and (not rest or not rest[:1].islower())


def _headers(text: str, own: _Keys) -> Iterator[str]:
    zones = _zones(text)
    for match in _HEADER.finditer(text):
        key, value = match["key"], match["value"].strip()
        if not value.strip("*_ |-"):
            continue
        keys = own.all if _OF_TOPICS.fullmatch(key) else own.main
        is_metadata = _STRONG.fullmatch(key) and any(a <= match.start() < b for a, b in zones)
        if is_metadata or own.are_in(value, keys):
            yield match[0]
    for match in _IN_BRACKETS.finditer(text):
        keys = own.all if _OF_TOPICS.fullmatch(match["key"]) else own.main
        if _STRONG.fullmatch(match["key"]) or own.are_in(match["value"], keys):
            yield match[0]


def _zones(text: str) -> list[tuple[int, int]]:
    """Where a document's metadata stands: its first lines and its last two."""
    lines: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        if line.strip():
            lines.append((start, start + len(line) + 1))
        start += len(line) + 1
    return [*lines[: _TOP_LINES + 1], *lines[-2:]]


def _acronyms(text: str, own: _Keys) -> Iterator[str]:
    if not any(name in text for name in _ACRONYMS):
        return
    for match in _ACRONYM.finditer(text):
        is_in_place = match["line"] is not None or match["bracket"] is not None
        is_word = match["name"] == "FAST"  # which is one, and an acronym of others
        has_value = match["sign"].rstrip()[-1:] in ":=" and match["value"].strip()
        if own.are_in(match["value"], own.all) or (is_in_place and has_value and not is_word):
            yield match[0]


def _title(title: str, own: _Keys) -> Iterator[str]:
    """A title that is a label, or has one before or behind a colon, a dash or in brackets."""
    if _is_presented(title, own):
        yield title


def _is_presented(line: str, own: _Keys) -> bool:
    bracket = _TITLE_BRACKET.search(line)
    parts = [part for part in _TITLE_PART.split(line) if part.strip()]
    ends = [line, *parts[:1], *parts[-1:], *([bracket[1]] if bracket else [])]
    return any(key_of(_unmarked(part)) in own.main for part in ends)


def _lines(body: str, own: _Keys) -> Iterator[str]:
    """A first line that presents a label, and a line that is a label in brackets."""
    first = body.lstrip().partition("\n")[0].strip()
    if first:
        head = _TITLE_PART.split(first, maxsplit=1)[0]
        is_alone = len(first.split()) <= 2 * _ADJECTIVES + 4
        if (is_alone and _is_presented(first, own)) or (
            head != first and key_of(_unmarked(head)) in own.main
        ):
            yield first
    for match in _LONE_BRACKET.finditer(body):
        if key_of(match[1]) in own.main:
            yield match[0].strip()


def _sentences(text: str, own: _Keys) -> Iterator[str]:
    for match in _SAYS.finditer(text, 0, 2 * _OPENING):
        words = match["rest"].split()
        if match.start() < _OPENING and _names_kind(words, own.kinds, _AFTER_KIND):
            yield match[0]
    for match in _THIS.finditer(text):
        words = match["rest"].split()
        if _names_kind(words, own.kinds, _DOES, may_end=False):
            yield match[0]
    # Most texts have none of these words, and looking for them takes a fraction of the time.
    folded = text.casefold()
    if not any(word in folded for word in _FIELD_WORDS):
        return
    for match in _FIELD.finditer(text):
        words = match["rest"].split()
        if any(key_of(" ".join(words[:size])) in own.main for size in range(1, len(words) + 1)):
            yield match[0]


def _names_kind(
    words: list[str], kinds: frozenset[Key], after: frozenset[str], *, may_end: bool = True
) -> bool:
    """Whether words are a kind of document, perhaps behind adjectives, and then one of others."""
    for start in range(min(_ADJECTIVES + 1, len(words))):
        for end in range(start + 1, min(start + 6, len(words)) + 1):
            if key_of(" ".join(words[start:end])) not in kinds:
                continue
            # An adverb may stand between a subject and its verb.
            rest = [word.lower() for word in words[end : end + 2]]
            if (not rest and may_end) or (rest and rest[0] in after):
                return True
            if not may_end and len(rest) == 2 and rest[0].endswith("ly") and rest[1] in after:
                return True
    return False


def _unmarked(text: str) -> str:
    return text.strip(" \t*_#>.[]()\"'\u201c\u201d\u2018\u2019|-")
