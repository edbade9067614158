"""Which records the classifier was trained on, and so say nothing of how it does on others."""

from __future__ import annotations

import hashlib

from evaluate_shelf.records.record import CatalogueRecord
from evaluate_shelf.records.titles import plain, plain_title, work_key
from evaluate_shelf.release.documents import Documents

TEXT = "text"
"""A training document has the record's text."""

WORK = "work"
"""A training document has the record's title and author."""


class TrainingRecords:
    """What tells that a record is a training document; about 300 bytes of each are kept.

    Texts are equal but for case and white space; titles and authors but for case, accents,
    punctuation, a statement of edition, and where there is an author a subtitle. Where either side
    has no author, the title alone tells, as when a release is split.

    Parameters
    ----------
    train : Documents
        The training split; it may have the columns `title` and `author`.
    """

    def __init__(self, train: Documents) -> None:
        self._texts = {_digest(_folded(text)) for text in train.column("text")}
        self._titles: set[bytes] = set()
        self._authorless: set[bytes] = set()
        self._works: set[bytes] = set()
        for title, author in zip(_values(train, "title"), _values(train, "author"), strict=True):
            if whole := plain_title(title):
                self._titles.add(_digest(whole))
                if plain(author):
                    self._works.add(_digest(work_key(title, author)))
                else:
                    self._authorless.add(_digest(whole))

    def why(self, record: CatalogueRecord) -> str:
        """`TEXT` or `WORK` if the record is a training document, "" if it is none."""
        if _digest(_folded(record.text)) in self._texts:
            return TEXT
        title = plain_title(record.title)
        if not title:
            return ""
        if not plain(record.author):
            return WORK if _digest(title) in self._titles else ""
        known = _digest(title) in self._authorless
        return (
            WORK if known or _digest(work_key(record.title, record.author)) in self._works else ""
        )


def _values(documents: Documents, name: str) -> list[str]:
    if name not in documents.table.column_names:
        return [""] * len(documents)
    values = documents.column(name)
    return [value if isinstance(value, str) else "" for value in values]


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _digest(key: str) -> bytes:
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=12).digest()
