"""Drop the blocks in which Project Gutenberg's volunteers speak of the file."""

from __future__ import annotations

import re

from builders.corpora.gutenberg.blocks import Block

_CREDIT = re.compile(
    r"^[\W_]*(?:(?:this )?(?:e-?text|e-?book|file|book|html version|digital edition)s?"
    r" (?:was |were )?(?:prepared|produced|scanned|transcribed|created|typed|converted)\b"
    r"|(?:e-?text )?(?:prepared|produced|scanned|transcribed|typed|digitized|proofread)"
    r"(?: and [a-z]+)? (?:by|from|for)\b"
    r"|images? of the original pages\b|note: (?:project|images|the original)"
    r"|credits?:|release date:|character set encoding:|start of (?:the|this) project)",
    re.IGNORECASE,
)
_CREDIT_BLOCKS = 40
_NOTES_TITLE = re.compile(
    r"^\W*(?:more |further |additional )?(?:transcriber|transcription|e-?text transcriber)"
    r"[\W_]{0,3}s?[\W_]{0,3} (?:end)?notes?\b|^\W*notes? (?:by|of|from) the transcriber"
    r"|^\W*information about this e-?text",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"project\s+gutenberg|\bgutenberg\.(?:org|net)|\bgutenberg-tm|\bpgdp|www\.gutenberg"
    r"|distributed\s+proof-?read|proofreading\s+team|\btranscriber(?:[’']?s[’']?)?\s+(?:end)?note"
    r"|\b(?:this|the|original)\s+e-?(?:text|book)s?\b|archive\.org|\butf-8\b|\bascii\b",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"^\W*(?:on )?p(?:age|\.|g\.?) ?\d+\b.*\b(?:changed|corrected|amended|normali[sz]ed)\b",
    re.IGNORECASE,
)
# With a capital, because old books speak of transcribers of manuscripts.
_TRANSCRIBER = re.compile(r"\bT(?:ranscriber|RANSCRIBER)")
# Looked for first: they are quick to find, and most blocks have none of them.
_HINTS = (
    "gutenberg", "pgdp", "proof", "transcriber", "etext", "e-text", "ebook", "e-book",
    "archive.org", "utf-8", "ascii",
)  # fmt: skip
_SECTION_GAP = 2
_NOTES_BLOCKS = 60
_TITLE_WORDS = 6
_HUGE_LINES = 80


def without_credits(blocks: list[Block]) -> list[Block]:
    r"""Drop credits, transcribers' notes and every block that speaks of Project Gutenberg.

    Parameters
    ----------
    blocks : list of Block
        A book between its marks.

    Returns
    -------
    list of Block
        What the book itself says. A transcriber's note under a title of its own is dropped with
        its paragraphs, up to a wider gap.

    Examples
    --------
    >>> from builders.corpora.gutenberg.blocks import blocks_of
    >>> text = "BEES\n\nTranscriber's Note:\n\nSpelling kept.\n\n\nThey hum."
    >>> [block.text for block in without_credits(blocks_of(text))]
    ['BEES', 'They hum.']
    """
    kept: list[Block] = []
    in_notes = 0
    for index, block in enumerate(blocks):
        if in_notes and block.gap < _SECTION_GAP:
            in_notes -= 1
        elif _NOTES_TITLE.match(block.text):
            at_edge = index < _CREDIT_BLOCKS or index > len(blocks) - _CREDIT_BLOCKS
            # In the middle of a book a note with text of its own is all of it.
            alone = len(block.tokens) <= _TITLE_WORDS
            in_notes = _NOTES_BLOCKS if at_edge or alone else 0
        else:
            in_notes = 0
            if index < _CREDIT_BLOCKS and _CREDIT.match(block.text):
                continue
            kept.extend(_rest_of_huge(block) if is_foreign(block.text) else [block])
    return kept


def is_foreign(text: str) -> bool:
    """Whether a text has words that only Project Gutenberg's volunteers write.

    Examples
    --------
    >>> is_foreign("This eBook is for the use of anyone"), is_foreign("Gutenberg of Mainz")
    (True, False)
    """
    if _CORRECTION.match(text):
        return True
    plain = text.casefold()
    if not any(hint in plain for hint in _HINTS):
        return False
    return bool(_FOREIGN.search(text) or _TRANSCRIBER.search(text))


def _rest_of_huge(block: Block) -> list[Block]:
    # A file without blank lines is one block; dropping it would drop the book.
    if len(block.lines) < _HUGE_LINES:
        return []
    lines = block.lines
    foreign = {
        index + step
        for index in range(len(lines))
        for step in (0, 1)
        if is_foreign(" ".join(lines[index : index + 2])) and index + step < len(lines)
    }
    kept = tuple(line for index, line in enumerate(lines) if index not in foreign)
    return [Block(kept, block.gap)] if kept else []
