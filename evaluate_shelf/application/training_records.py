"""Which records the classifier was trained on, and so say nothing of how it does on others."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from evaluate_shelf.records.record import CatalogueRecord
from evaluate_shelf.release.documents import Documents

TEXT = "text"
"""A training document has the record's text."""

WORK = "work"
"""A training document has the record's title and author."""

_WORD = re.compile(r"\w+")


class TrainingRecords:
    """What tells that a record is a training document; about 300 bytes of each are kept.

    Texts are equal but for case and white space; titles and authors but for case, accents and
    punctuation. Where either side has no author, the title alone tells, as when a release is split.

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
        for title, author in zip(_words(train, "title"), _words(train, "author"), strict=True):
            if title:
                self._titles.add(_digest(title))
                self._works.add(_work(title, author))
                if not author:
                    self._authorless.add(_digest(title))

    def why(self, record: CatalogueRecord) -> str:
        """`TEXT` or `WORK` if the record is a training document, "" if it is none."""
        if _digest(_folded(record.text)) in self._texts:
            return TEXT
        title, author = _plain(record.title), _plain(record.author)
        if not title:
            return ""
        of_title = self._authorless if author else self._titles
        return WORK if _digest(title) in of_title or _work(title, author) in self._works else ""


def _words(documents: Documents, name: str) -> list[str]:
    if name not in documents.table.column_names:
        return [""] * len(documents)
    values = documents.column(name)
    return [_plain(value) if isinstance(value, str) else "" for value in values]


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _plain(text: str) -> str:
    """The words of a text without case, accents and punctuation.

    Examples
    --------
    >>> _plain("Cien años de soledad /")
    'cien anos de soledad'
    """
    marks = unicodedata.normalize("NFKD", text).casefold()
    return " ".join(_WORD.findall("".join(m for m in marks if not unicodedata.combining(m))))


def _work(title: str, author: str) -> bytes:
    return _digest(f"{title}\x1f{author}")


def _digest(key: str) -> bytes:
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=12).digest()
