"""Cut off what Project Gutenberg wrote before and after a book."""

from __future__ import annotations

import re

_FLAGS = re.IGNORECASE | re.MULTILINE
# The mark may run on over a second line, up to its closing stars.
_START = re.compile(
    r"^[ \t]*\*{2,3}[ \t]*START[ \t]+OF[ \t]+(?:(?:THE|THIS)[ \t]+)?PROJECT[ \t]+GUTENBERG"
    r"(?:[^*\n]*\n){0,3}?[^*\n]*\*{2,3}[^\n]*$"
    r"|^[ \t]*\*{2,3}[ \t]*START[ \t]+OF[ \t]+(?:(?:THE|THIS)[ \t]+)?PROJECT[ \t]+GUTENBERG[^\n]*$",
    _FLAGS,
)
_END = re.compile(
    r"^[ \t*]*END[ \t]+OF[ \t]+(?:THE[ \t]+|THIS[ \t]+)?PROJECT[ \t]+GUTENBERG"
    r"|^[ \t*]*START:?[ \t]*(?:OF[ \t]+)?(?:THE[ \t]+)?FULL[ \t]+LICENSE"
    r"|^[ \t]*THE[ \t]+FULL[ \t]+PROJECT[ \t]+GUTENBERG[ \t]+LICENSE",
    _FLAGS,
)
_SMALL_PRINT = re.compile(r"^[^\n]*(?<!END\*)(?<!END )THE[ \t]+SMALL[ \t]+PRINT[^\n]*$", _FLAGS)
_SMALL_PRINT_END = re.compile(r"^[ \t*]*END[ \t]*\*?[ \t]*THE[ \t]+SMALL[ \t]+PRINT[^\n]*$", _FLAGS)
_HEAD_WORDS = re.compile(r"project[ \t]+gutenberg|\be-?texts?\b|small[ \t]+print", re.IGNORECASE)
_SMALL_PRINT_ROOM = 40_000
_HEAD_LINES = 400
_HEAD_SHARE = 0.25
_HEAD_LEAST = 12


def inside_frame(text: str) -> str:
    r"""Give the text between Project Gutenberg's header and footer.

    Parameters
    ----------
    text : str
        A whole file, with `\n` as line end.

    Returns
    -------
    str
        The book with all its own front and back matter. Several books in one file, each with its
        own header and footer, are joined.

    Examples
    --------
    >>> inside_frame(
    ...     "The Project Gutenberg EBook of Bees\n"
    ...     "*** START OF THIS PROJECT GUTENBERG EBOOK BEES ***\n"
    ...     "They hum.\n"
    ...     "End of the Project Gutenberg EBook of Bees\n"
    ... ).strip()
    'They hum.'
    """
    starts = [match.span() for match in _START.finditer(text)]
    if not starts:
        return _inside_old_frame(text)
    limits = [start for start, _ in starts[1:]] + [len(text)]
    parts = []
    for (_, begin), limit in zip(starts, limits, strict=True):
        part = _before_end(text[begin:limit])
        # Files that were marked anew kept their old header behind the new mark.
        if old := _SMALL_PRINT_END.search(part[:_SMALL_PRINT_ROOM]):
            part = part[old.end() :]
        parts.append(part)
    return "\n\n\n".join(parts)


def _before_end(text: str) -> str:
    mark = _END.search(text)
    return text[: mark.start()] if mark else text


def _inside_old_frame(text: str) -> str:
    small_print = _SMALL_PRINT.search(text)
    before = small_print.start() if small_print else 0
    end = _SMALL_PRINT_END.search(text)
    # At first the small print stood before the book, later behind it.
    if end and len(text) - end.end() >= before:
        text = text[end.end() :]
        small_print = _SMALL_PRINT.search(text, len(text) // 2)
    else:
        text = _without_head_lines(text)
        small_print = _SMALL_PRINT.search(text)
    if small_print and small_print.start() > len(text) // 2:
        text = text[: small_print.start()]
    return _before_end(text)


def _without_head_lines(text: str) -> str:
    lines = text.split("\n")
    room = max(_HEAD_LEAST, min(_HEAD_LINES, int(_HEAD_SHARE * len(lines))))
    told = [index for index, line in enumerate(lines[:room]) if _HEAD_WORDS.search(line)]
    if not told:
        return text
    end = told[-1] + 1
    while end < len(lines) and lines[end].strip():
        end += 1
    return "\n".join(lines[end:])
