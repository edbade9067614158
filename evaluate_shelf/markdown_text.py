"""Text of strangers inside Markdown."""

from __future__ import annotations

import re

from evaluate_shelf.printable import one_line

_LONGEST = 100_000
# What CommonMark, GitHub or pandoc takes for markup within a line, where it does: an underscore
# inside a word and the brackets of an interval are none.
_MARKUP = re.compile(
    r"[\\`*~$^{|]"
    r"|(?<![^\W_])_|_(?![^\W_])"
    r"|\[(?![-−\d., ]*\](?![\[({:]))"
    r"|(?<!\d)\]|\](?=[\[({:])"
    r"|&(?=#?\w+;)"
    r"|(?<![^\W_])@(?=[\w{-])"
    r"|:(?=//|[\w+-]+:)|(?<=www)\."
    r"|(?<=-)-"
    r"|(?<=\.)\.(?=\.)"
)
# What could begin a tag; behind a backslash a link that ends there would let it through.
_TAG = re.compile(r"<(?=[\w/!?])")
# And where a block begins, a list, a quotation, a heading, a definition or a caption: the
# backslash goes behind what matches.
_START = re.compile(
    r"\(?(?:\d+|[^\W\d_]|[ivxlcdm]+|[#@])(?=[.)](?:\s|$))"
    r"|table(?=:)"
    r"|(?=[-+](?:\s|$)|[>#:%])",
    re.IGNORECASE,
)


def escaped(text: str) -> str:
    r"""A text as a block on one line, what Markdown would give a meaning to taken as it is.

    Straight quotes stay as they are, and pandoc sets them as curly ones.

    Examples
    --------
    >>> escaped("1. a_b <img> 1*2 [0.1, 0.2] #1 (x) -0.5")
    '1\\. a_b &lt;img> 1\\*2 [0.1, 0.2] #1 (x) -0.5'
    """
    return as_a_block(escaped_inline(one_line(text, _LONGEST).strip()))


def escaped_inline(line: str) -> str:
    r"""The same for a part of a line, or for a cell; blanks at its ends stay.

    Examples
    --------
    >>> escaped_inline("# a | b")
    '# a \\| b'
    """
    return _TAG.sub("&lt;", _MARKUP.sub(r"\\\g<0>", line))


def as_a_block(line: str) -> str:
    r"""A line that is escaped already, begun so that it begins neither a list nor anything else.

    Examples
    --------
    >>> as_a_block("1. x"), as_a_block("a")
    ('1\\. x', 'a')
    """
    found = _START.match(line)
    return f"{line[: found.end()]}\\{line[found.end() :]}" if found else line


def code(text: str) -> str:
    """A text as a code span, whatever backticks it holds.

    Examples
    --------
    >>> code("shelf report runs")
    '`shelf report runs`'
    """
    line = one_line(text, _LONGEST)
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{fence}{space}{line}{space}{fence}"
