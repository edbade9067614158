"""Passages of running text, cut at the ends of paragraphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from builders.corpora.gutenberg.paragraphs import Paragraph, paragraphs_of
from builders.corpora.gutenberg.words import alphabetic_share, function_word_share
from evaluate_shelf.errors import ShelfError

_ALPHABETIC_SHARE = 0.6
# Measured on 20,000 passages of 128 books: prose and verse lie above 0.3, lists of names, botanical
# keys, bibliographies and pages in another language below.
_FUNCTION_WORD_SHARE = 0.25


@dataclass(slots=True)
class _Chunk:
    paragraphs: list[Paragraph] = field(default_factory=list)
    size: int = 0

    def add(self, paragraph: Paragraph) -> None:
        self.paragraphs.append(paragraph)
        self.size += len(paragraph.words)

    @property
    def text(self) -> str:
        return "\n\n".join(paragraph.text for paragraph in self.paragraphs)

    @property
    def is_running_text(self) -> bool:
        words = [word for paragraph in self.paragraphs for word in paragraph.words]
        in_tables = sum(len(part.words) for part in self.paragraphs if part.is_table)
        return (
            in_tables <= self.size / 2
            and alphabetic_share(words) >= _ALPHABETIC_SHARE
            and function_word_share(words) >= _FUNCTION_WORD_SHARE
        )


def check_sizes(target_words: int, min_words: int, max_words: int) -> None:
    """Refuse sizes of passages that cannot be kept.

    Raises
    ------
    ShelfError
        Unless 1 <= min_words <= target_words <= max_words.
    """
    if not 1 <= min_words <= target_words <= max_words:
        raise ShelfError(
            f"passage sizes: min_words {min_words}, target_words {target_words} and max_words "
            f"{max_words} must rise in this order, from 1 on"
        )


def passages_of(
    body: str, *, target_words: int = 400, min_words: int = 150, max_words: int = 900
) -> list[str]:
    r"""Cut a body into passages.

    A passage closes at the end of a paragraph once it has `target_words`; a paragraph that
    would make it longer than `max_words` is cut at the end of a sentence. The first and the last
    passage of a work are left out, and so are passages that are mostly tables or figures.

    Parameters
    ----------
    body : str
        Blocks with blank lines between them, as `body_of` gives them.
    target_words, min_words, max_words : int
        Sizes in words between white space; every passage keeps the last two.

    Returns
    -------
    list of str
        In the order of the body, paragraphs parted by a blank line.

    Raises
    ------
    ShelfError
        The sizes are not in order.

    Examples
    --------
    >>> body = "\n\n".join(f"This is the paragraph of {name} bees." for name in "abcdef")
    >>> passages = passages_of(body, target_words=14, min_words=7, max_words=20)
    >>> passages
    ['This is the paragraph of c bees.\n\nThis is the paragraph of d bees.']
    """
    check_sizes(target_words, min_words, max_words)
    chunks = _chunks(paragraphs_of(body), target_words, min_words, max_words)
    return [chunk.text for chunk in chunks[1:-1] if chunk.is_running_text]


def _chunks(paragraphs: Sequence[Paragraph], target: int, least: int, most: int) -> list[_Chunk]:
    """All chunks; only the last can be shorter than `least`."""
    chunks: list[_Chunk] = []
    chunk = _Chunk()
    waiting = list(reversed(paragraphs))
    while waiting:
        paragraph = waiting.pop()
        if chunk.size + len(paragraph.words) <= most:
            chunk.add(paragraph)
            if chunk.size < target:
                continue
        elif chunk.size >= least:
            waiting.append(paragraph)
        else:
            at = paragraph.cut(
                least=max(1, least - chunk.size),
                wanted=target - chunk.size,
                most=most - chunk.size,
            )
            head, tail = paragraph.split(at)
            chunk.add(head)
            waiting.append(tail)
        chunks.append(chunk)
        chunk = _Chunk()
    if chunk.size:
        chunks.append(chunk)
    return chunks


def choose_spread(passages: Sequence[object], n: int = 3) -> list[int]:
    """Choose passages that are spread evenly over a work.

    Parameters
    ----------
    passages : sequence
        The passages of a work in order.
    n : int, default=3
        How many to choose.

    Returns
    -------
    list of int
        Their indices, rising; all of them if there are `n` or fewer.

    Examples
    --------
    >>> choose_spread("abcdefghi", 3), choose_spread("ab", 3)
    ([1, 4, 7], [0, 1])
    """
    count = len(passages)
    if n >= count:
        return list(range(count))
    return [(2 * place + 1) * count // (2 * n) for place in range(n)]
