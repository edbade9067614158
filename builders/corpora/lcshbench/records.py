"""Read a file of LCSHBench: a record or the damage of each line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar

from builders.corpora.lcshbench.lines import numbered_lines
from evaluate_shelf.errors import ShelfError

LONGEST_LINE = 2**20
_LARGEST_FILE = 512 * 2**20
_LONGEST_ID = 200
_MOST_AGENCIES = 1_000_000

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Record:
    """What the corpus takes from a line.

    Parameters
    ----------
    line : int
        Number of the line, from 1.
    id : str
        LCSHBench's own.
    title, abstract, toc, notes : str
        Without white space around them; empty where there is none.
    authors : tuple of str
        The main author first, where there is one.
    language : str
        Its English name.
    lc_class : str
        A letter, or empty.
    n_agencies : int
        How many cataloguing agencies gave subject headings.
    catalogs : tuple of str
        Libraries that hold the work.
    """

    line: int
    id: str
    title: str
    abstract: str
    toc: str
    notes: str
    authors: tuple[str, ...]
    language: str
    lc_class: str
    n_agencies: int
    catalogs: tuple[str, ...]

    @property
    def text(self) -> str:
        r"""The parts that are not empty, joined by a blank line.

        Examples
        --------
        >>> Record(1, "a", "Bees", "", "Hives", "", (), "English", "S", 2, ()).text
        'Bees\n\nHives'
        """
        return "\n\n".join(filter(None, (self.title, self.abstract, self.toc, self.notes)))


@dataclass(frozen=True, slots=True)
class Damage:
    """Why a line is no record.

    Parameters
    ----------
    line : int
        Number of the line, from 1.
    field : str or None
        The field that is wrong; None if the line as a whole is.
    what : str
        What is wrong with it.

    Examples
    --------
    >>> str(Damage(7, "toc", "is missing"))
    "line 7, field 'toc': is missing"
    """

    line: int
    field: str | None
    what: str

    @property
    def kind(self) -> str:
        """The same for all lines that are damaged in this way."""
        return f"the line {self.what}" if self.field is None else f"{self.field!r} {self.what}"

    def __str__(self) -> str:
        field = "" if self.field is None else f", field {self.field!r}"
        return f"line {self.line}{field}: {self.what}"


def read_records(path: Path) -> Iterator[Record | Damage]:
    r"""Read LCSHBench's `dev.jsonl` or `test.jsonl`, one line at a time.

    Parameters
    ----------
    path : pathlib.Path
        JSON Lines in UTF-8, plain or gzip. Blank lines are passed over; fields that the corpus
        does not use are not looked at. A text that is null counts as empty.

    Yields
    ------
    Record or Damage
        One a line, in the order of the file.

    Raises
    ------
    ShelfError
        The file cannot be read, or none of its lines is a record.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "dev.jsonl"
    >>> record = {
    ...     "id": "0f", "language": "English", "lc_class": "S", "title": "Bees :", "abstract": "",
    ...     "toc": "", "notes": "", "authors": [], "catalogs": ["harvard"], "n_agencies": 2,
    ... }
    >>> _ = path.write_text(json.dumps(record) + '\n{"id": "10"}\n')
    >>> for read in read_records(path):
    ...     print(read.text if isinstance(read, Record) else read)
    Bees :
    line 2, field 'language': is missing
    """
    good = False
    first: Damage | None = None
    for number, raw in numbered_lines(path, longest=LONGEST_LINE, limit=_LARGEST_FILE):
        read = _read(number, raw)
        if isinstance(read, Record):
            good = True
        else:
            first = first or read
        yield read
    if not good:
        why = "it is empty" if first is None else f"the first fault is {first}"
        raise ShelfError(
            f"{path}: no line of it is a record: {why}; it must be dev.jsonl or test.jsonl of the "
            "dataset kltng/lcshbench"
        )


class _DamagedError(Exception):
    """A line is no record: the field, or None, and what is wrong."""

    def __init__(self, field: str | None, what: str) -> None:
        super().__init__(field, what)
        self.field, self.what = field, what


def _read(number: int, raw: bytes | None) -> Record | Damage:
    try:
        fields = _fields(number, raw)
        return Record(
            line=number,
            id=_checked(fields, "id", _identifier),
            language=_checked(fields, "language", _text),
            lc_class=_checked(fields, "lc_class", _optional_text).strip(),
            title=_checked(fields, "title", _optional_text).strip(),
            abstract=_checked(fields, "abstract", _optional_text).strip(),
            toc=_checked(fields, "toc", _optional_text).strip(),
            notes=_checked(fields, "notes", _optional_text).strip(),
            authors=_checked(fields, "authors", _texts),
            catalogs=_checked(fields, "catalogs", _texts),
            n_agencies=_checked(fields, "n_agencies", _number_of_agencies),
        )
    except _DamagedError as damaged:
        return Damage(number, damaged.field, damaged.what)


def _fields(number: int, raw: bytes | None) -> Mapping[str, object]:
    if raw is None:
        raise _DamagedError(None, f"is longer than {LONGEST_LINE:,} bytes")
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise _DamagedError(None, "is not UTF-8") from error
    try:
        value = json.loads(text, parse_constant=_not_json)
    except (ValueError, RecursionError) as error:
        raise _DamagedError(None, "is not JSON") from error
    if not isinstance(value, dict):
        raise _DamagedError(None, "is not an object of fields")
    return value


def _not_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _checked(fields: Mapping[str, object], name: str, check: Callable[[object], T]) -> T:
    if name not in fields:
        raise _DamagedError(name, "is missing")
    try:
        return check(fields[name])
    except ValueError as error:
        raise _DamagedError(name, str(error)) from error


def _identifier(value: object) -> str:
    text = _text(value)
    if not text.strip() or len(text) > _LONGEST_ID:
        raise ValueError(f"must have 1 to {_LONGEST_ID} characters")
    return text


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("is not a text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError("holds half of a surrogate pair, which is no character") from error
    return value


def _optional_text(value: object) -> str:
    return "" if value is None else _text(value)


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise ValueError("is not a list of texts")
    return tuple(_text(part) for part in value)


def _number_of_agencies(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("is not a whole number")
    if not 0 <= value <= _MOST_AGENCIES:
        raise ValueError(f"must be 0 to {_MOST_AGENCIES}")
    return value
