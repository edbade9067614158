"""From a Project Gutenberg file to the running text of the book in it."""

from __future__ import annotations

from builders.corpora.gutenberg.advert import without_adverts
from builders.corpora.gutenberg.back import without_back
from builders.corpora.gutenberg.blocks import Block, blocks_of, text_of
from builders.corpora.gutenberg.credit import without_credits
from builders.corpora.gutenberg.frame import inside_frame
from builders.corpora.gutenberg.front import without_front
from builders.corpora.gutenberg.furniture import without_furniture

_LEAST_SHARE = 0.5


def body_of(text: str) -> str:
    r"""Cut a file down to what the book says.

    Project Gutenberg's header, footer and credits go, then captions, transcribers' notes and page
    numbers, then by careful rules the title page, the lists in front and the index, notes and
    advertisements behind. If these rules would take more than half of the words, they are not
    applied.

    Parameters
    ----------
    text : str
        A whole file as `read_text` gives it.

    Returns
    -------
    str
        Blocks with blank lines between them.

    Examples
    --------
    >>> body_of(
    ...     "The Project Gutenberg EBook of Bees\n\n"
    ...     "*** START OF THIS PROJECT GUTENBERG EBOOK BEES ***\n\n"
    ...     "Produced by A. Reader\n\nCHAPTER I\n\n[Illustration]\n\nThey hum.\n\n"
    ...     "*** END OF THIS PROJECT GUTENBERG EBOOK BEES ***\n\nLicence\n"
    ... )
    'CHAPTER I\n\n\n\nThey hum.'
    """
    lines = [line.rstrip() for line in inside_frame(text).split("\n")]
    blocks = without_credits(blocks_of(without_furniture("\n".join(lines))))
    cut = without_back(without_adverts(without_front(blocks)))
    if _words(cut) >= _LEAST_SHARE * _words(blocks):
        blocks = cut
    return text_of(blocks)


def _words(blocks: list[Block]) -> int:
    return sum(len(block.tokens) for block in blocks)
