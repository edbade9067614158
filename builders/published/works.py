"""Which published passages are of one book, and which books of one writer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from builders.corpora.gutenberg.author_groups import author_groups
from builders.corpora.gutenberg.people import Person, without_dates
from builders.corpora.gutenberg.work import Work
from builders.corpora.lcshbench.works import plain

_CHUNK = re.compile(r"(.+?)[-_.:](?:chunk|passage|c|p)?[-_]?\d+")
_NUMBER = re.compile(r"(?:pg|gutenberg)?[-_]?(\d{1,9})", re.IGNORECASE)


class Passage(NamedTuple):
    """What tells which book a passage is of.

    Attributes
    ----------
    id : str
        Its id.
    gutenberg_id : int or None
        The book's number at Project Gutenberg.
    author, title : str
        Of the book; empty where not known.
    """

    id: str
    gutenberg_id: int | None
    author: str
    title: str


class Works(NamedTuple):
    """The book of each passage, and its group.

    Attributes
    ----------
    work_ids : list of str
        One a passage.
    group_ids : list of str
        One a passage; books of one writer are in one group.
    told_by : str
        What the books were told by, in words.
    """

    work_ids: list[str]
    group_ids: list[str]
    told_by: str


def works_of(passages: Sequence[Passage]) -> Works:
    """Find the books of passages by the first sign that all of them have.

    Their number at Project Gutenberg; else their ids without the number of the passage; else
    author and title together. Books of one writer are one group, and so are books without a
    writer of one title: no writer is then on two sides of a split.

    Parameters
    ----------
    passages : sequence of Passage
        Of a whole corpus.

    Returns
    -------
    Works
        For each passage.

    Examples
    --------
    >>> works = works_of(
    ...     [
    ...         Passage("pg-7-0001", None, "Fabre, Jean-Henri", "Bees"),
    ...         Passage("pg-7-0004", None, "Fabre, Jean-Henri", "Bees"),
    ...         Passage("pg-9-0002", None, "Fabre, Jean-Henri", "Wasps"),
    ...     ]
    ... )
    >>> works.work_ids, len(set(works.group_ids)), works.told_by
    (['7', '7', '9'], 1, 'their ids without the number of the passage')
    """
    work_ids, told_by = _work_ids(passages)
    writers: dict[str, set[str]] = {}
    for passage, work in zip(passages, work_ids, strict=True):
        writers.setdefault(work, set()).add(_writer(passage))
    numbers = _numbers(writers)
    groups = author_groups(
        Work(number=numbers[work], authors=tuple(Person(name) for name in sorted(names)))
        for work, names in writers.items()
    )
    return Works(work_ids, [groups[numbers[work]] for work in work_ids], told_by)


def _writer(passage: Passage) -> str:
    """The writer's name, else one that stands for whoever wrote the title, else nobody's."""
    title = plain(passage.title)
    return without_dates(passage.author) or (title and f"author of {title}")


def _are_of_books(passages: Sequence[Passage]) -> bool:
    """Whether the published numbers can be those of books, and are not of passages or of all."""
    books: dict[int | None, set[tuple[str, str]]] = {}
    for passage in passages:
        books.setdefault(passage.gutenberg_id, set()).add((passage.author, passage.title))
    distinct = {book for own in books.values() for book in own}
    are_of_passages = len(books) == len(passages) > len(distinct)
    return (
        None not in books and max(map(len, books.values()), default=0) == 1 and not are_of_passages
    )


def _work_ids(passages: Sequence[Passage]) -> tuple[list[str], str]:
    if _are_of_books(passages):
        return [str(passage.gutenberg_id) for passage in passages], "their Project Gutenberg number"
    matches = [_CHUNK.fullmatch(passage.id) for passage in passages]
    if all(matches):
        prefixes = [match[1] for match in matches if match]
        numbers = [_NUMBER.fullmatch(prefix) for prefix in prefixes]
        if all(numbers):
            prefixes = [number[1].lstrip("0") or "0" for number in numbers if number]
        return prefixes, "their ids without the number of the passage"
    keys = [f"{plain(passage.author)}: {plain(passage.title)}" for passage in passages]
    return keys, "author and title"


def _numbers(works: dict[str, set[str]]) -> dict[str, int]:
    """A number for each work: its own where all have one."""
    if all(work.isdecimal() and work.isascii() for work in works):
        return {work: int(work) for work in works}
    return {work: number for number, work in enumerate(sorted(works))}
