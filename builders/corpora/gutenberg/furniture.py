"""Take out what transcribers and printers put between the words of a book."""

from __future__ import annotations

import re

_NUMBER = r"(?:\d{1,4}|[ivxlcdm]{1,8})"
_BRACKET = re.compile(
    r"\[[ *_]*(?:illustrations?|illus|ill|picture|image|photo(?:graph)?|portrait|frontispiece"
    r"|figures?|fig|plate|map|music|sheet music|decoration|headpiece|tailpiece|colophon"
    r"|transcriber|transcription|tn|t/n|footnotes?|side-?notes?|blank|redactor|e-?text"
    r"|note:|advertisements?|hand-?written|drawing|diagram)(?![a-z])",
    re.IGNORECASE,
)
_EDGE = re.compile(r"[\[\]]")
_BRACKET_ROOM = 10_000
_NOTES_OPEN = re.compile(r"^\[transcriber\W{0,2}s?\W{0,2}notes?[:.]?\]$", re.IGNORECASE)
_NOTES_CLOSE = re.compile(r"\[end (?:of )?transcriber\W{0,2}s?\W{0,2}notes?[:.]?\]", re.IGNORECASE)
_NOTES_ROOM = 20_000
_PAGE_LINE = re.compile(
    rf"^[ \t]*(?:\{{[ ]?(?:p\.?|pg\.?|page)?[ ]?{_NUMBER}[ ]?\}}"
    rf"|\[[ ]?(?:(?:p|pg|page)[ .]*)?{_NUMBER}[ ]?\]"
    rf"|\(?(?:pg|page)[-. ]{{0,2}}{_NUMBER}\)?)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_PAGE_INLINE = re.compile(
    rf"\{{(?:p\.?|pg\.?|page)?[ ]?{_NUMBER}\}}|\[[ ]?(?:p|pg|page)[ .]*{_NUMBER}[ ]?\]",
    re.IGNORECASE,
)
_RULE = re.compile(r"^[ \t]*(?:[*\-_=~+#.·•—–][ \t]*){3,}$", re.MULTILINE)
# Each begins with a plain character and looks behind it afterwards: that is quick to search.
_MARK = r"(\d{1,4}|\d{1,3}-[A-Z]|[A-Za-z]|[A-Z]{2}|\*{1,3})"
_INDENTS = "|".join(rf"(?<=\n\n{' ' * width}\[)" for width in range(9))
_NOTE_BLOCK = re.compile(rf"\[(?:{_INDENTS}){_MARK}\][ \t]*\S[^\n]*(?:\n[^\n]+)*")
_NOTE_LABEL = re.compile(
    r"\n[Ff](?<=\n\n.)(?:ootnote|OOTNOTE) \[?(?:\d{1,4}|[A-Za-z])\]?[.:]?[ \t]*\n*"
    r"(?:[^\n]+\n)*[^\n]*"
)
_ANCHOR = re.compile(
    r"\[(?:(?<=\S\[)|(?<=\S \[))(\d{1,3}|\d{1,3}-[A-Z]|[A-Z]{1,2}|\*{1,3})\](?!\w)"
)
_EMPHASIS = re.compile(r"_(?<![^\W_]_)(?=[^\s_])([^_]{1,2000}?)(?<=[^\s_])_(?![^\W_])")
_BOLD = re.compile(r"=(?<![\w=]=)(?=[^\s=])([^=]{1,300}?)(?<=[^\s=])=(?![\w=])")
# Emphasis over several paragraphs opens in each of them and closes in the last.
_MONEY = re.compile(r"_(?<=\d_)([a-z]{1,4}\.?)_")
_STRAY = re.compile(r"_(?<![\w]_)(?=\w)|_(?<=[a-z.,;:!?)]_)(?!\w)")


def without_furniture(text: str) -> str:
    r"""Take out bracketed notes and captions, page numbers, note anchors, rules and emphasis.

    Parameters
    ----------
    text : str
        A book without Project Gutenberg's header and footer.

    Returns
    -------
    str
        The book's own words; blank lines still part its blocks.

    Examples
    --------
    >>> without_furniture("The _queen_[3] flies\n[Pg 12]\nalone.\n\n[Illustration: A\nqueen]\n")
    'The queen flies\nalone.\n\n\n'
    """
    text = _without_brackets(text)
    anchors = {match[1] for match in _ANCHOR.finditer(text)}
    text = _NOTE_BLOCK.sub(lambda match: "" if match[1] in anchors else match[0], text)
    text = _NOTE_LABEL.sub("", text)
    text = _without_page_lines(text)
    text = _PAGE_INLINE.sub("", text)
    # A control character cannot be in the text: it takes the space before an anchor with it.
    text = _ANCHOR.sub("\0", text).replace(" [\0]", "").replace(" \0", "").replace("\0", "")
    text = _RULE.sub("", text)
    text = _MONEY.sub(r"\1", text)
    return _STRAY.sub("", _BOLD.sub(r"\1", _EMPHASIS.sub(r"\1", text)))


def _without_page_lines(text: str) -> str:
    kept = [line for line in text.split("\n") if not _PAGE_LINE.fullmatch(line)]
    return "\n".join(kept)


def _without_brackets(text: str) -> str:
    parts, position = [], 0
    while found := _BRACKET.search(text, position):
        parts.append(text[position : found.start()])
        position = _bracket_end(text, found.start())
        if _NOTES_OPEN.match(text[found.start() : position]) and (
            close := _NOTES_CLOSE.search(text, position, position + _NOTES_ROOM)
        ):
            position = close.end()
    parts.append(text[position:])
    return "".join(parts)


def _bracket_end(text: str, start: int) -> int:
    depth = 0
    for edge in _EDGE.finditer(text, start, start + _BRACKET_ROOM):
        depth += 1 if edge[0] == "[" else -1
        if depth == 0:
            return edge.end()
    # The bracket is never closed: take it to the end of its block.
    blank = text.find("\n\n", start)
    return len(text) if blank < 0 else blank
