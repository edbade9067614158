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
_EDITION = re.compile(
    r"(?i)[\s,;:(\[-]*\b(?:\d{1,3}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|new|revised)"
    r"(?:,? (?:rev\.?|revised|enlarged))?\s+ed(?:ition|n)?\b[.)\]\s]*\Z"
)
_SUBTITLE = " : "


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
            if whole := _title(title):
                self._titles.add(_digest(whole))
                if _plain(author):
                    self._works.add(_work(title, author))
                else:
                    self._authorless.add(_digest(whole))

    def why(self, record: CatalogueRecord) -> str:
        """`TEXT` or `WORK` if the record is a training document, "" if it is none."""
        if _digest(_folded(record.text)) in self._texts:
            return TEXT
        title = _title(record.title)
        if not title:
            return ""
        if not _plain(record.author):
            return WORK if _digest(title) in self._titles else ""
        known = _digest(title) in self._authorless
        return WORK if known or _work(record.title, record.author) in self._works else ""


def _values(documents: Documents, name: str) -> list[str]:
    if name not in documents.table.column_names:
        return [""] * len(documents)
    values = documents.column(name)
    return [value if isinstance(value, str) else "" for value in values]


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


def _title(title: str) -> str:
    """A title's words without a statement of edition.

    Examples
    --------
    >>> _title("Calculus : a course, 3rd ed."), _title("Second edition")
    ('calculus a course', 'second edition')
    """
    return _plain(_EDITION.sub("", title)) or _plain(title)


def _work(title: str, author: str) -> bytes:
    """Title proper and author."""
    return _digest(f"{_title(title.split(_SUBTITLE)[0]) or _title(title)}\x1f{_plain(author)}")


def _digest(key: str) -> bytes:
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=12).digest()
