"""Paragraphs as words, and where a paragraph may be cut in two."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise

from builders.corpora.gutenberg.blocks import Block, blocks_of

_SENTENCE = re.compile(r"[.!?][\"'”’)\]]*$")
_CLAUSE = re.compile(r"(?:[;:,]|--|—)[\"'”’)\]]*$")
_ABBREVIATION = re.compile(
    r"^[\"'“‘(\[]*(?:[A-Z]|mr|mrs|ms|dr|st|rev|prof|gen|col|capt|lieut|sir|hon|messrs|esq|jr|sen"
    r"|vol|no|nos|p|pp|ch|chap|cf|fig|viz|i\.e|e\.g|etc|vs|v|op|ib|ibid|art|sec|sect)\.$",
    re.IGNORECASE,
)
_OPENS = re.compile(r"^[\"'“‘(\[_]*[A-Z0-9]")
_LIST_LINES = 500
_CLOSED = re.compile(r"[.!?:;\"'”’)\]*]$")


@dataclass(frozen=True, slots=True)
class Paragraph:
    r"""The words of a block.

    Parameters
    ----------
    words : tuple of str
        The parts between white space.
    line_ends : frozenset of int
        After how many words a line ends that is kept; empty for running text.
    is_table : bool
        Whether the block was a table.

    Examples
    --------
    >>> Paragraph(("Of", "bees", "and", "men"), line_ends=frozenset({2})).text
    'Of bees\nand men'
    """

    words: tuple[str, ...]
    line_ends: frozenset[int] = frozenset()
    is_table: bool = False

    @property
    def text(self) -> str:
        """The words with spaces or kept line ends between them."""
        if not self.line_ends:
            return " ".join(self.words)
        parts = []
        for index, word in enumerate(self.words):
            if index:
                parts.append("\n" if index in self.line_ends else " ")
            parts.append(word)
        return "".join(parts)

    def split(self, at: int) -> tuple[Paragraph, Paragraph]:
        """Cut after `at` words."""
        head = frozenset(end for end in self.line_ends if end < at)
        tail = frozenset(end - at for end in self.line_ends if end > at)
        return (
            Paragraph(self.words[:at], head, self.is_table),
            Paragraph(self.words[at:], tail, self.is_table),
        )

    def cut(self, *, least: int, wanted: int, most: int) -> int:
        """Choose where to cut: at a line or sentence end, else at a clause end, else anywhere.

        Parameters
        ----------
        least, wanted, most : int
            Bounds of the number of words before the cut, and the number to come near from above.

        Returns
        -------
        int
            The number of words before the cut.

        Examples
        --------
        >>> Paragraph(tuple("They hum. They sleep. They fly.".split())).cut(
        ...     least=1, wanted=3, most=5
        ... )
        4
        """
        last = min(most, len(self.words) - 1)
        # One word more than can be taken, since a sentence ends before a capital.
        window = self.words[: last + 1]
        sentences = self.line_ends or _sentence_ends(window)
        clauses = (index for index, word in enumerate(window, start=1) if _CLAUSE.search(word))
        for ends in (sentences, clauses):
            inside = sorted(end for end in ends if least <= end <= last)
            if inside:
                return next((end for end in inside if end >= wanted), inside[-1])
        return max(least, min(wanted, last))


def _sentence_ends(words: Sequence[str]) -> list[int]:
    return [
        index
        for index, (word, following) in enumerate(pairwise(words), start=1)
        if _SENTENCE.search(word) and not _ABBREVIATION.match(word) and _OPENS.match(following)
    ]


def paragraphs_of(body: str) -> list[Paragraph]:
    r"""Read the paragraphs of a body, without headings and lists of pages.

    Parameters
    ----------
    body : str
        Blocks with blank lines between them.

    Returns
    -------
    list of Paragraph
        In the order of the body. A paragraph that was parted in mid-sentence, as by a picture,
        is one again.

    Examples
    --------
    >>> [p.text for p in paragraphs_of("CHAPTER I\n\nThe queen flies and\n\ndrones follow.")]
    ['The queen flies and drones follow.']
    """
    paragraphs: list[Paragraph] = []
    joinable = False
    for block in blocks_of(body):
        if block.is_heading or block.is_reference or block.is_summary:
            joinable = False
            continue
        for paragraph in _paragraphs(block):
            if joinable and _goes_on(paragraphs[-1], paragraph):
                paragraphs[-1] = Paragraph(paragraphs[-1].words + paragraph.words)
            else:
                paragraphs.append(paragraph)
        joinable = True
    return paragraphs


def _paragraphs(block: Block) -> Iterator[Paragraph]:
    if not block.keeps_lines:
        yield Paragraph(tuple(block.tokens), is_table=block.is_table)
        return
    # A long list is cut into several: each cut in a paragraph copies all its line ends.
    for begin in range(0, len(block.lines), _LIST_LINES):
        lines = [line.split() for line in block.lines[begin : begin + _LIST_LINES]]
        ends = accumulate(len(line) for line in lines)
        words = tuple(chain.from_iterable(lines))
        yield Paragraph(words, frozenset(ends) - {len(words)}, block.is_table)


def _goes_on(before: Paragraph, after: Paragraph) -> bool:
    if before.line_ends or after.line_ends or before.is_table or after.is_table:
        return False
    return after.words[0][0].islower() and not _CLOSED.search(before.words[-1])
