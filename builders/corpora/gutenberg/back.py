"""Cut the index, the notes, the bibliography and the catalogue behind a book."""

from __future__ import annotations

import re

from builders.corpora.gutenberg.advert import is_offer
from builders.corpora.gutenberg.blocks import Block, word_starts
from builders.corpora.gutenberg.words import function_word_share

_BACK_TITLE = re.compile(
    r"^\W*(?:(?:general |alphabetical |analytical |subject )?index(?: (?:of|to)\b.*)?"
    r"|(?:selected? |a )?bibliography|list of (?:works|books|authorities)\b.*"
    r"|(?:foot|end)?notes|advertisements?|(?:books |works )?by the same (?:author|writer)\b.*"
    r"|(?:works|books|publications) (?:by|of|published by|from)\b.*|errata|corrigenda|glossary"
    r"|list of subscribers|(?:a )?(?:catalogue|list) of\b.*|opinions of the press.*)[\W_]*$",
    re.IGNORECASE,
)
_THE_END = re.compile(r"^\W*(?:the end|finis|end)[\W_]*$", re.IGNORECASE)
_AGAIN = re.compile(
    r"^\W*(?:appendi(?:x|ces)|supplement|chapter|epilogue|conclusion)\b", re.IGNORECASE
)
_BACK_SHARE = 0.5
_THE_END_SHARE = 0.8
_RAGGED_SHARE = 0.75
_RUNNING = 0.3
_TOKENS = 5


def without_back(blocks: list[Block]) -> list[Block]:
    r"""Cut what stands behind the last chapter.

    Parameters
    ----------
    blocks : list of Block
        A book.

    Returns
    -------
    list of Block
        Without what follows a late `THE END`, without the parts that begin under a title like
        `INDEX` in the second half of the book and have little running text in them, and without
        lists and tables at the very end.

    Examples
    --------
    >>> from builders.corpora.gutenberg.blocks import blocks_of
    >>> prose = "They hum all day long in the garden, and at night they sleep. " * 20
    >>> text = f"{prose}\n\nINDEX\n\nAnts, 3\nBees, 1, 4-6"
    >>> len(without_back(blocks_of(text)))
    1
    """
    return _without_ragged_end(_without_titled_parts(_before_the_end(blocks)))


def _before_the_end(blocks: list[Block]) -> list[Block]:
    starts = word_starts(blocks)
    for index, block in enumerate(blocks):
        if starts[index] >= _THE_END_SHARE * starts[-1] and _THE_END.match(block.text):
            return blocks[:index]
    return blocks


def _without_titled_parts(blocks: list[Block]) -> list[Block]:
    starts = word_starts(blocks)
    titles = [
        index
        for index, block in enumerate(blocks)
        if starts[index] >= _BACK_SHARE * starts[-1]
        and not block.is_prose
        and (_BACK_TITLE.match(block.lines[0]) or _AGAIN.match(block.text))
    ]
    kept = blocks[: titles[0]] if titles else blocks
    cutting = False
    for begin, end in zip(titles, [*titles, len(blocks)][1:], strict=False):
        # An appendix without running text goes only with what stands before it.
        cutting = _is_back(blocks[begin:end]) and (cutting or not _AGAIN.match(blocks[begin].text))
        if not cutting:
            kept = kept + blocks[begin:end]
    return kept


def _is_back(blocks: list[Block]) -> bool:
    words = sum(len(block.tokens) for block in blocks)
    prose = sum(len(block.tokens) for block in blocks if block.is_prose)
    return prose <= words / 2


def _without_ragged_end(blocks: list[Block]) -> list[Block]:
    """Cut the end in which words of lists and tables outnumber those of running text most."""
    starts = word_starts(blocks)
    end, excess, most = len(blocks), 0, 0
    for index in range(len(blocks) - 1, -1, -1):
        if starts[index] < _RAGGED_SHARE * starts[-1]:
            break
        size = len(blocks[index].tokens)
        if size >= _TOKENS:
            excess += -size if _is_running(blocks[index]) else size
        if excess > most:
            end, most = index, excess
    return blocks[:end]


def _is_running(block: Block) -> bool:
    return (
        function_word_share(block.tokens) >= _RUNNING
        and not block.is_table
        and not block.is_reference
        and not is_offer(block)
    )
