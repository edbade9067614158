"""Which works to fetch: a bounded number of each class, spread over authors."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

from builders.corpora.gutenberg.work import Work, refusal

_WORKS_PER_AUTHOR = 2


def works_to_fetch(works: Iterable[Work], *, per_class: int, seed: int) -> list[int]:
    """Choose works that the corpus can take.

    Parameters
    ----------
    works : iterable of Work
        The catalogue.
    per_class : int
        The most works of a main class.
    seed : int
        Another seed makes another choice; the same one goes on with the same works.

    Returns
    -------
    list of int
        Numbers, at most two works by one author, in increasing order.

    Examples
    --------
    >>> shelf = [Work(number=n, locc=("QL",)) for n in range(1, 6)]
    >>> len(works_to_fetch(shelf, per_class=3, seed=42))
    3
    """
    chosen: list[int] = []
    of_class: Counter[str] = Counter()
    of_author: Counter[str] = Counter()
    candidates = [work for work in works if refusal(work) is None]
    for work in sorted(candidates, key=lambda work: _hash(seed, work.number)):
        (letter,) = work.main_classes
        authors = [person.identity for person in work.authors if person.identity]
        if of_class[letter] >= per_class:
            continue
        if any(of_author[author] >= _WORKS_PER_AUTHOR for author in authors):
            continue
        of_class[letter] += 1
        of_author.update(authors)
        chosen.append(work.number)
    return sorted(chosen)


def _hash(seed: int, number: int) -> bytes:
    return hashlib.sha256(f"{seed}\x1f{number}".encode()).digest()
