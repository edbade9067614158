"""Read Project Gutenberg's catalogue, `pg_catalog.csv`."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from builders.corpora.gutenberg.people import Person, read_people, without_dates
from builders.corpora.gutenberg.work import MAIN_CLASSES, Work, refusal
from builders.corpora.inflate import read_bytes
from evaluate_shelf.errors import ShelfError

__all__ = [
    "COLUMNS",
    "MAIN_CLASSES",
    "Person",
    "Work",
    "read_catalogue",
    "refusal",
    "without_dates",
]

COLUMNS = (
    "Text#", "Type", "Issued", "Title", "Language", "Authors", "Subjects", "LoCC", "Bookshelves",
)  # fmt: skip
_LIMIT = 512 * 2**20
_NUMBER_DIGITS = 9
# A quote that is never closed would make one field of the rest of the file.
_LONGEST_FIELD = 10_000


def read_catalogue(path: Path) -> list[Work]:
    r"""Read every row of the catalogue.

    Parameters
    ----------
    path : pathlib.Path
        `pg_catalog.csv` or the same compressed by gzip: UTF-8 with or without a byte-order mark,
        with the columns `COLUMNS` in any order; further columns are not looked at.

    Returns
    -------
    list of Work
        In the order of the file.

    Raises
    ------
    ShelfError
        The file is not such a catalogue. The message names the row (the header is row 1, and a
        row whose title runs over two lines is one row) and the field.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "pg_catalog.csv"
    >>> _ = path.write_text(
    ...     "Text#,Type,Issued,Title,Language,Authors,Subjects,LoCC,Bookshelves\n"
    ...     "4511,Text,2003-10-01,The Life of the Bee,en,"
    ...     '"Maeterlinck, Maurice, 1862-1949; Sutro, Alfred [Translator]",Bees,QL,\n'
    ... )
    >>> work = read_catalogue(path)[0]
    >>> work.number, work.authors[0].name, work.locc
    (4511, 'Maeterlinck, Maurice', ('QL',))
    """
    text = _decode(path, read_bytes(path, limit=_LIMIT))
    rows = _rows(path, text)
    header = next(rows, [])
    missing = [column for column in COLUMNS if header.count(column) != 1]
    if missing:
        state = "is there twice" if missing[0] in header else "is missing"
        raise ShelfError(
            f"{path}, row 1, field {missing[0]!r}: this column {state}; the columns must be those "
            f"of Project Gutenberg's pg_catalog.csv: {', '.join(COLUMNS)}"
        )
    works: list[Work] = []
    seen: dict[int, int] = {}
    for row_number, values in enumerate(rows, start=2):
        if not values:
            continue
        place = f"{path}, row {row_number}"
        if len(values) != len(header):
            last = header[min(len(values), len(header)) - 1]
            raise ShelfError(
                f"{place}, field {last!r}: the row has {len(values)} fields and the header "
                f"{len(header)}; check the quotes and commas of this row"
            )
        for field, value in zip(header, values, strict=True):
            if len(value) > _LONGEST_FIELD:
                raise ShelfError(
                    f"{place}, field {field!r}: {len(value)} characters; {_LONGEST_FIELD} are the "
                    "most, so check the quotes of this row"
                )
        work = _work(dict(zip(header, values, strict=True)), place)
        if work.number in seen:
            raise ShelfError(
                f"{place}, field 'Text#': {work.number} is in row {seen[work.number]} too; "
                "keep one of the two rows"
            )
        seen[work.number] = row_number
        works.append(work)
    return works


def _decode(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", errors="replace")
        rows = list(csv.reader(io.StringIO(before, newline="")))
        # Nothing, or a line end, before the bad byte: it begins a row of its own.
        fresh = not before or before.endswith(("\n", "\r"))
        row = len(rows) + fresh
        column = 0 if fresh else len(rows[-1]) - 1
        header = rows[0] if row > 1 else list(COLUMNS)
        field = header[min(column, len(header) - 1)]
        raise ShelfError(
            f"{path}, row {row}, field {field!r}: the bytes are not UTF-8; "
            "save the catalogue as UTF-8"
        ) from error


def _rows(path: Path, text: str) -> Iterator[list[str]]:
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    number = 0
    while True:
        number += 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise ShelfError(
                f"{path}, row {number}: not a well-formed row ({error}); "
                "check its quotes, from its first field on"
            ) from error
        yield row


def _work(row: dict[str, str], place: str) -> Work:
    written = row["Text#"].strip()
    if not (written.isascii() and written.isdigit() and 0 < len(written) <= _NUMBER_DIGITS):
        raise ShelfError(f"{place}, field 'Text#': {written!r} is not a number of a text")
    people = read_people(row["Authors"])
    return Work(
        number=int(written),
        kind=row["Type"].strip(),
        title=" ".join(row["Title"].split()),
        languages=_values(row["Language"].lower()),
        authors=tuple(person for person in people if not person.role),
        contributors=tuple(person for person in people if person.role),
        subjects=_values(row["Subjects"]),
        locc=_values(row["LoCC"]),
        issued=row["Issued"].strip(),
        bookshelves=_values(row["Bookshelves"]),
    )


def _values(field: str) -> tuple[str, ...]:
    parts = (" ".join(part.split()) for part in field.split(";"))
    return tuple(part for part in parts if part)
