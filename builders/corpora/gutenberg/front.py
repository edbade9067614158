"""Cut the title page, the contents and the lists of plates in front of a book."""

from __future__ import annotations

import re
from dataclasses import replace

from builders.corpora.gutenberg.blocks import Block, word_starts

_LIST_TITLE = re.compile(
    r"^\W*(?:the )?(?:(?:table of |general |analytical )?contents?(?: of (?:the )?\w+.*)?"
    r"|(?:list|table|index) of (?:the )?(?:\w+ )?(?:illustrations?|plates|maps|figures|engravings"
    r"|portraits|photographs|diagrams|plans|tables|cuts|wood-?cuts|charts|subscribers|abbreviations"
    r"|authorities|cases|works)\b.*|(?:full-page )?illustrations|plates|maps|errata|corrigenda"
    r"|(?:books |works )?by the same (?:author|writer)\b.*|works by\b.*|books by\b.*)[\W_]*$",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^\W*(?:the )?(?:author's |translator's |editor's |general |publisher's |prefatory )?"
    r"(?:preface|introduction|introductory|foreword|prologue|prelude|note|advertisement)\b",
    re.IGNORECASE,
)
# From the first letter or digit to the last letter: without leaders and page numbers.
_LABEL = re.compile(r"[^\W_].*[^\W\d_]")
_FRONT_SHARE = 0.25
_TITLE_PAGE_SHARE = 0.1
_PROSE_RUN = 2
# Each list is read to its end, which takes long where every line seems to begin one.
_MOST_LISTS = 30
_SECTION_GAP = 4


def without_front(blocks: list[Block]) -> list[Block]:
    r"""Cut the title page and the lists before the first chapter.

    Parameters
    ----------
    blocks : list of Block
        A book.

    Returns
    -------
    list of Block
        From the first paragraph of running text on, with its headings. A third of the words at
        most is cut.

    Examples
    --------
    >>> from builders.corpora.gutenberg.blocks import blocks_of
    >>> prose = "They hum all day long in the garden, and at night they sleep. " * 20
    >>> text = f"BEES\n\nCONTENTS\n\nCHAPTER I\n\nThe hive 1\n\nCHAPTER I\n\n{prose}"
    >>> [block.text[:9] for block in without_front(blocks_of(text))]
    ['CHAPTER I', 'They hum ']
    """
    starts = word_starts(blocks)
    kept: list[Block] = []
    index, lists, cut = 0, 0, False
    while index < len(blocks) and starts[index] <= _FRONT_SHARE * starts[-1]:
        if lists == _MOST_LISTS:
            break
        if not blocks[index].is_prose and _LIST_TITLE.match(blocks[index].lines[0]):
            index = max(_after_list(blocks, index, _room(starts, _FRONT_SHARE)), index + 1)
            lists, cut = lists + 1, True
            continue
        # Where a list was, the titles before it do not belong to what follows it.
        kept.append(replace(blocks[index], gap=_SECTION_GAP) if cut else blocks[index])
        cut = False
        index += 1
    kept.extend(blocks[index:])
    return _without_title_page(kept)


def _after_list(blocks: list[Block], title: int, room: int) -> int:
    """Index, below `room`, of the block that follows the list under `title`, else `title`."""
    entries = {_label(line) for line in blocks[title].lines[1:]}
    run = 0
    for index in range(title + 1, room):
        block = blocks[index]
        if block.is_prose:
            run += 1
        elif not block.is_heading:
            run = 0
        # A title that the list has named already, with text under it, begins the book.
        named = _label(block.lines[0]) in entries or _OPENING.match(block.text)
        if named and run == 0 and _prose_follows(blocks, index):
            return index
        if run == _PROSE_RUN:
            return _first_of_run(blocks, title, index)
        entries.update(label for line in block.lines if len(label := _label(line)) > 1)
    return title


def _first_of_run(blocks: list[Block], title: int, index: int) -> int:
    """Go back over running text and the titles that stand over it."""
    while index > title + 1 and blocks[index - 1].is_prose:
        index -= 1
    while (
        index > title + 1
        and blocks[index].gap < _SECTION_GAP
        and blocks[index - 1].is_heading
        and not blocks[index - 1].is_reference
    ):
        index -= 1
    return index


def _label(line: str) -> str:
    found = _LABEL.search(line)
    return " ".join(found[0].casefold().split()) if found else ""


def _prose_follows(blocks: list[Block], index: int) -> bool:
    following = blocks[index + 1 : index + 4]
    for block in following:
        if block.is_prose:
            return True
        if not block.is_heading:
            return False
    return False


def _without_title_page(blocks: list[Block]) -> list[Block]:
    starts = word_starts(blocks)
    for index in range(_room(starts, _TITLE_PAGE_SHARE)):
        if blocks[index].is_prose:
            return blocks[_first_of_run(blocks, -1, index) :]
    return blocks


def _room(starts: list[int], share: float) -> int:
    """How many blocks begin before `share` of the words."""
    return sum(start <= share * starts[-1] for start in starts[:-1])
