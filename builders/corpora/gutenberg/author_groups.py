"""Groups of works such that no writer is in two of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from builders.corpora.gutenberg.work import Work

# Roles that put no words into the text. Any other role, known or new, links.
_WORDLESS = frozenset(
    {
        "artist", "cartographer", "conductor", "designer", "engraver", "former owner",
        "illustrator", "musician", "narrator", "performer", "photographer", "printer",
        "publisher", "singer",
    }
)  # fmt: skip


def author_groups(works: Iterable[Work]) -> dict[int, str]:
    """Give each work the id of its group of writers.

    Two works are in one group if somebody wrote words of both (as author, editor, translator
    and so on), or if a chain of such works joins them. People are told apart by name alone:
    namesakes share a group, which is safe.

    Parameters
    ----------
    works : iterable of Work
        The works of the corpus.

    Returns
    -------
    dict of int to str
        The group id for each work's number: `g` and 12 hexadecimal digits.

    Examples
    --------
    >>> from builders.corpora.gutenberg.people import Person
    >>> groups = author_groups(
    ...     [
    ...         Work(number=1, authors=(Person("Fiske, John"),)),
    ...         Work(number=2, contributors=(Person("Fiske, John", "Editor"),)),
    ...         Work(number=3, contributors=(Person("Fiske, John", "Illustrator"),)),
    ...     ]
    ... )
    >>> groups[1] == groups[2], groups[1] == groups[3]
    (True, False)
    """
    parent: dict[int, int] = {}
    first_work: dict[str, int] = {}
    for work in works:
        parent.setdefault(work.number, work.number)
        for writer in _writers(work):
            other = _root(parent, first_work.setdefault(writer, work.number))
            own = _root(parent, work.number)
            # The smallest number is the root, whatever the order of the works.
            parent[max(own, other)] = min(own, other)
    return {number: _group_id(_root(parent, number)) for number in parent}


def _writers(work: Work) -> set[str]:
    names = {person.identity for person in work.people if person.role.casefold() not in _WORDLESS}
    return names - {""}


def _root(parent: dict[int, int], number: int) -> int:
    while parent[number] != number:
        parent[number] = parent[parent[number]]
        number = parent[number]
    return number


def _group_id(number: int) -> str:
    return "g" + hashlib.sha256(str(number).encode("ascii")).hexdigest()[:12]
