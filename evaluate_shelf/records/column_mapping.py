"""Which column of a table is what in a catalogue record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluate_shelf.errors import ShelfError

_SINGLE = ("id", "title", "lcc", "lcsh", "genre", "language", "author", "year")
_ROLES = (*_SINGLE[:2], "text", *_SINGLE[2:])


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Names of columns; None where a table has none for it.

    Attributes
    ----------
    id : str or None
        Without it, a record is named by file and row.
    title : str or None
    text : tuple of str
        Columns of text, put under the title with a blank line between.
    lcc : str or None
        Library of Congress class numbers; a corpus needs them.
    lcsh, genre : str or None
        Headings.
    language : str or None
        MARC codes of languages, such as "eng".
    author, year : str or None
    """

    id: str | None = None
    title: str | None = None
    text: tuple[str, ...] = ()
    lcc: str | None = None
    lcsh: str | None = None
    genre: str | None = None
    language: str | None = None
    author: str | None = None
    year: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are named, each once.

        Examples
        --------
        >>> ColumnMapping(title="Title", text=("Abstract",), lcc="LCC").columns
        ('Title', 'Abstract', 'LCC')
        """
        single = (getattr(self, role) for role in _SINGLE)
        named = [self.title, *self.text, *single]
        return tuple(dict.fromkeys(name for name in named if name is not None))


def parse_mapping(items: Sequence[str]) -> ColumnMapping:
    """Read a mapping as it is given on a command line.

    Parameters
    ----------
    items : sequence of str
        `role=column`. The role is one of id, title, text, lcc, lcsh, genre, language, author,
        year; `text` may come several times. A column's name may hold `=`.

    Returns
    -------
    ColumnMapping

    Raises
    ------
    ShelfError
        An item is no such pair, a role is unknown or comes twice, or neither title nor text is
        there.

    Examples
    --------
    >>> mapping = parse_mapping(["title=Title", "text=abstract", "text=contents", "lcc=lcc"])
    >>> mapping.text, mapping.lcsh
    (('abstract', 'contents'), None)
    """
    texts: list[str] = []
    single: dict[str, str] = {}
    for item in items:
        role, sign, column = item.partition("=")
        role = role.strip()
        if not sign or not column:
            raise ShelfError(f"column {item!r}: write role=column, such as title=Title")
        if role not in _ROLES:
            raise ShelfError(f"column {item!r}: no role {role!r}; roles: {', '.join(_ROLES)}")
        if role in single or (role == "text" and column in texts):
            raise ShelfError(f"column {item!r}: {role} is there twice; only text may be repeated")
        if role == "text":
            texts.append(column)
        else:
            single[role] = column
    if not texts and "title" not in single:
        raise ShelfError("columns: name one for title or text, such as title=Title")
    return ColumnMapping(text=tuple(texts), **single)
