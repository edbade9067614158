"""Blocks of lines between blank lines, and what kind of text each of them is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from builders.corpora.gutenberg.layout import are_points, is_reference, is_table

_ROMAN = r"[ivxlcdm]{1,8}"
_COUNT = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thir\w+|four\w+|fif\w+"
    r"|six\w+|seven\w+|eight\w+|nine\w+|twen\w+|first|second|third|fifth|ninth|tenth|twelfth|last)"
)
_DIVISION = re.compile(
    r"^(?:(?:the )?(?:chapter|chap|book|part|section|sect|letter|act|scene|canto|volume|vol"
    r"|appendix|lecture|essay|lesson|article|stave|epistle)\.?"
    rf"(?: (?:the )?(?:{_ROMAN}|\d+|{_COUNT})\b|[.:]?$)"
    rf"|(?:no\.|number) \d|(?:{_ROMAN}|\d{{1,3}})[.:)]?$|§ ?\d+)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?:;,][\"'”’)\]]*$")
_LINE_SHORT = 50
_HEADING_LINES = 4
_HEADING_WORDS = 15
_TITLE_WORDS = 10
_PROSE_WORDS = 30


@dataclass(frozen=True)
class Block:
    r"""Lines between blank lines.

    Parameters
    ----------
    lines : tuple of str
        At least one line, none of them blank.
    gap : int
        How many blank lines stand before the block.

    Examples
    --------
    >>> block = blocks_of("CHAPTER IV\n\nOf bees and\nmen.")[0]
    >>> block.is_heading, block.text
    (True, 'CHAPTER IV')
    """

    lines: tuple[str, ...]
    gap: int = field(default=1, compare=False)

    @cached_property
    def text(self) -> str:
        """The lines folded into one."""
        return " ".join(self.tokens)

    @cached_property
    def tokens(self) -> list[str]:
        """The parts between white space."""
        return " ".join(self.lines).split()

    @cached_property
    def is_heading(self) -> bool:
        """Whether it is a title over what follows: short, in capitals, or `CHAPTER IV`."""
        if len(self.lines) > _HEADING_LINES or len(self.tokens) > _HEADING_WORDS:
            return False
        if all(letter.isupper() for letter in self.text if letter.isalpha()):
            return True
        if _DIVISION.match(self.text):
            return True
        if len(self.tokens) > _TITLE_WORDS or _SENTENCE_END.search(self.text):
            return False
        return all(token[0].isupper() for token in self.tokens if len(token) > len("with"))

    @cached_property
    def is_reference(self) -> bool:
        """Whether it lists pages: contents, an index, a list of plates."""
        return is_reference(self.lines, self.tokens)

    @cached_property
    def is_table(self) -> bool:
        """Whether half of its lines have columns, or frames drawn with characters."""
        return is_table(self.lines)

    @cached_property
    def is_summary(self) -> bool:
        """Whether it strings the points of a chapter together with dashes."""
        return are_points(self.text, dashes_only=True)

    @cached_property
    def keeps_lines(self) -> bool:
        """Whether it is verse, a list or a table, whose line ends carry meaning."""
        if len(self.lines) == 1:
            return False
        if self.is_table:
            return True
        short = sum(len(line.strip()) < _LINE_SHORT for line in self.lines[:-1])
        return short > (len(self.lines) - 1) / 2

    @cached_property
    def is_prose(self) -> bool:
        """Whether it is a paragraph of running text, and not contents in full."""
        return (
            len(self.tokens) >= _PROSE_WORDS
            and bool(_SENTENCE_END.search(self.text))
            and not self.keeps_lines
            and not self.is_table
            and not self.is_reference
            and not are_points(self.text, dashes_only=False)
        )


def blocks_of(text: str) -> list[Block]:
    r"""Part a text at its blank lines.

    Parameters
    ----------
    text : str
        With `\n` as line end.

    Returns
    -------
    list of Block
        In the order of the text.

    Examples
    --------
    >>> [block.text for block in blocks_of("One\ntwo.\n\n\n  Three.")]
    ['One two.', 'Three.']
    """
    blocks: list[Block] = []
    lines: list[str] = []
    gap = blank = 0
    for line in [*text.split("\n"), ""]:
        if line.strip():
            if not lines:
                gap, blank = blank, 0
            lines.append(line.rstrip())
            continue
        if lines:
            blocks.append(Block(tuple(lines), gap))
            lines = []
        blank += 1
    return blocks


def text_of(blocks: Sequence[Block]) -> str:
    r"""Write blocks as a text again, with the blank lines that parted them.

    Examples
    --------
    >>> text_of(blocks_of("One.\n\n\nTwo."))
    'One.\n\n\nTwo.'
    """
    parts = []
    for index, block in enumerate(blocks):
        parts.append(("\n" * (max(block.gap, 1) + 1) if index else "") + "\n".join(block.lines))
    return "".join(parts)


def word_starts(blocks: Sequence[Block]) -> list[int]:
    r"""How many words stand before each block, and at last how many there are.

    Examples
    --------
    >>> word_starts(blocks_of("One two.\n\nThree."))
    [0, 2, 3]
    """
    return [0, *accumulate(len(block.tokens) for block in blocks)]
