"""Cut publishers' advertisements off both ends of a book."""

from __future__ import annotations

import re

from builders.corpora.gutenberg.blocks import Block

# Sizes, prices and the trade's words: two of the three make an advertisement.
_SIZE = re.compile(
    r"\b(?:l?\d{1,2}|f?cap\.?|crown|demy|royal|post|large|small|imperial) ?(?:mo|vo|to)\b"
    r"|\b\d+ pp?\.|\b\d+ pages|\bfolio\b|\bquarto\b|\boctavo\b",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"[$£] ?\d|\b\d{1,2}[sd]\.(?: ?\d{1,2}d\.)?|\b\d+ cents\b|\bprice\b|\bper (?:copy|volume)\b",
    re.IGNORECASE,
)
_TRADE = re.compile(
    r"\bcloth\b|\bnet\b|\bpostage\b|\bpost free\b|\bby post\b|\bgilt\b|\billustrat(?:ed|ions)\b"
    r"|\bin press\b|\b(?:new|second|third|popular|cheap\w*) edition\b|\bbound\b|\bcatalogue"
    r"|\bmanufactur|\bpublish(?:ed|ers?)\b|\bbooksellers?\b|\bvols?\.|\bauthor of\b",
    re.IGNORECASE,
)
_REVIEW = re.compile(r"[\"”][.,]?\s*(?:--|—|–)\s*_?(?:The )?[A-Z][^\"”]{1,60}$")
_EDGE_SHARE = 0.2
_APART = 15
_LEAST = 3
_WORDS = 250


def is_offer(block: Block) -> bool:
    """Whether a block offers a book or another ware.

    Examples
    --------
    >>> from builders.corpora.gutenberg.blocks import blocks_of
    >>> is_offer(blocks_of("Iconoclasts: A Book of Dramatists. 12mo, net, $1.50.")[0])
    True
    >>> is_offer(blocks_of("He paid the $500 with a smile.")[0])
    False
    """
    if len(block.tokens) > _WORDS:
        return False
    size, price = bool(_SIZE.search(block.text)), bool(_PRICE.search(block.text))
    return (size and price) or ((size or price) and bool(_TRADE.search(block.text)))


def without_adverts(blocks: list[Block]) -> list[Block]:
    r"""Cut the advertisements before and behind a book.

    Parameters
    ----------
    blocks : list of Block
        A book.

    Returns
    -------
    list of Block
        Without the stretch at each end in which at least three advertisements follow each other
        closely; such a stretch is never more than a fifth of the words.

    Examples
    --------
    >>> from builders.corpora.gutenberg.blocks import blocks_of
    >>> prose = "They hum all day long in the garden, and at night they sleep. " * 20
    >>> ads = "A Book. 12mo, cloth.\n\nA Tale. 8vo, gilt.\n\nA Play. 8vo, $1.00."
    >>> len(without_adverts(blocks_of(f"{ads}\n\n{prose}\n\n{ads}")))
    1
    """
    words = sum(len(block.tokens) for block in blocks)
    room = _EDGE_SHARE * words
    # Mottoes in front of a book are signed as reviews are.
    first = _stretch(blocks, room, least_offers=2)
    last = len(blocks) - _stretch(blocks[::-1], room, least_offers=1)
    return blocks[first:last] if first < last else blocks


def _stretch(blocks: list[Block], room: float, *, least_offers: int) -> int:
    """How many blocks of the beginning belong to the advertisements."""
    offers = reviews = end = read = 0
    for index, block in enumerate(blocks):
        read += len(block.tokens)
        if read > room or index - end >= _APART:
            break
        offer, review = is_offer(block), bool(_REVIEW.search(block.text))
        offers += offer
        reviews += review and not offer
        if offer or review:
            end = index + 1
    return end if offers >= least_offers and offers + reviews >= _LEAST else 0
