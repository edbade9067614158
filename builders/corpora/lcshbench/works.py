"""Which records are of one work."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence

from builders.corpora.lcshbench.records import Record

_WORD = re.compile(r"\w+")


def work_groups(records: Sequence[Record]) -> list[str]:
    """Give each record the id of its work.

    Records are of one work if their titles and main authors are equal but for case, accents and
    punctuation. A record without an author is of one work with every record of its title. So are
    records whose whole texts are equal, which no model could tell apart. A chain of such records
    is one work.

    Parameters
    ----------
    records : sequence of Record
        Of both files together.

    Returns
    -------
    list of str
        One a record: `w` and 12 hexadecimal digits. Their order does not depend on that of the
        records.

    Examples
    --------
    >>> def record(title, *authors):
    ...     return Record(1, "a", title, "", title * 2, "", authors, "English", "S", 2, ())
    >>> first, again, other = work_groups(
    ...     [record("The bees :", "Fabre, J."), record("The Bees", "Fabre, J"), record("Ants")]
    ... )
    >>> first == again, first == other
    (True, False)
    """
    authorless = {plain(record.title) for record in records if not _main_author(record)}
    parent: dict[str, str] = {}
    first_keys = []
    for record in records:
        first, *others = _keys(record, authorless)
        first_keys.append(first)
        for key in (first, *others):
            # The smallest key is the root, whatever the order of the records.
            one, other = _root(parent, first), _root(parent, key)
            parent[max(one, other)] = min(one, other)
    return [_group_id(_root(parent, key)) for key in first_keys]


def plain(text: str) -> str:
    """The words of a text without case, accents and punctuation.

    Examples
    --------
    >>> plain("Cien años de soledad /")
    'cien anos de soledad'
    """
    marks = unicodedata.normalize("NFKD", text).casefold()
    return " ".join(_WORD.findall("".join(m for m in marks if not unicodedata.combining(m))))


def _keys(record: Record, authorless: set[str]) -> Iterator[str]:
    """What a record shares with the others of its work; none of it is empty."""
    words = plain(record.text) or record.text
    yield f"text\x1f{hashlib.sha256(words.encode()).hexdigest()}"
    if title := plain(record.title):
        yield f"work\x1f{title}\x1f{_main_author(record)}"
        if title in authorless:
            yield f"work\x1f{title}\x1f"


def _main_author(record: Record) -> str:
    return next(filter(None, map(plain, record.authors)), "")


def _root(parent: dict[str, str], key: str) -> str:
    parent.setdefault(key, key)
    while parent[key] != key:
        parent[key] = parent[parent[key]]
        key = parent[key]
    return key


def _group_id(root: str) -> str:
    return "w" + hashlib.sha256(root.encode()).hexdigest()[:12]
