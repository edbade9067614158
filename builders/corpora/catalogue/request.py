"""What a library asks for: its files, what to keep of them, and what the corpus is called."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from builders.recipes import companions, recipes
from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.records.column_mapping import ColumnMapping
from evaluate_shelf.records.marc import read_marc
from evaluate_shelf.records.record import CatalogueRecord, Unread
from evaluate_shelf.records.tables import read_table
from evaluate_shelf.registry.corpora import load_corpora
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.tasks import load_tasks

NAME = "catalogue"
"""What the corpus is called where the user says nothing else."""

MINIMUM_RECORDS = 5
"""The fewest records of a class: one for each split, and three to learn from."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")
_LONGEST_TERM = 200
_SHOWN_FILES = 3

Found = Iterator[CatalogueRecord | Unread]


@dataclass(frozen=True)
class Choice:
    """What is kept of a library's records, and how the corpus is called.

    Attributes
    ----------
    name : str
        Of the config.
    language : str or None
        The only language that is kept, as the records write it ("eng" in MARC); None for all.
    minimum_records : int
        Classes with fewer are dropped by name.
    source : str
        Where the records come from, in the user's words; "" for the names of the files.
    licence : str
        Under which terms they may be used, in the user's words; "" if the user said nothing.
    """

    name: str = NAME
    language: str | None = None
    minimum_records: int = MINIMUM_RECORDS
    source: str = ""
    licence: str = ""


@dataclass(frozen=True)
class CatalogueRequest:
    """A library's records, and what is to become of them.

    Attributes
    ----------
    files : tuple of pathlib.Path
        Sorted by name, whatever order the user gave them in.
    read : callable
        Begins to read them.
    reader : dict
        What the reading depends on besides the files, as JSON values.
    choice : Choice
        What is kept.
    """

    files: tuple[Path, ...]
    read: Callable[[], Found]
    reader: dict[str, Any]
    choice: Choice

    @property
    def source(self) -> str:
        """Where the records come from, for a manifest."""
        names = [path.name for path in self.files]
        more = f" and {len(names) - _SHOWN_FILES} more files" if len(names) > _SHOWN_FILES else ""
        given = self.choice.source or f"{', '.join(names[:_SHOWN_FILES])}{more}"
        return one_line(f"a library's own records: {given}", 300)

    def inputs(self) -> list[Any]:
        """Whatever the corpus follows from besides the seed, as JSON values."""
        own = self.choice
        return [
            [[path.name, sha256_of_file(path)] for path in self.files],
            self.reader,
            [own.name, own.language, own.minimum_records, own.source, own.licence],
        ]


def marc_request(files: Sequence[Path], choice: Choice) -> CatalogueRequest:
    """Ask for a corpus of the records of MARC files.

    Parameters
    ----------
    files : sequence of pathlib.Path
        MARC 21 or MARCXML.
    choice : Choice
        What is kept.

    Raises
    ------
    ShelfError
        If the choice is wrong, a file is missing or no MARC file, two files have one name, or
        pymarc is not installed.
    """
    check_choice(choice)
    given = _checked_files(files)
    read = partial(read_marc, given)
    read()
    return CatalogueRequest(given, read, {"records": "marc"}, choice)


def table_request(file: Path, columns: ColumnMapping, choice: Choice) -> CatalogueRequest:
    """Ask for a corpus of the records of a table.

    Parameters
    ----------
    file : pathlib.Path
        CSV, TSV, JSON Lines or Parquet.
    columns : ColumnMapping
        Which column is what.
    choice : Choice
        What is kept.

    Raises
    ------
    ShelfError
        If the choice is wrong, the file is missing, no table or without a column that is named,
        or no column is named for the class numbers, or for the language that is asked for.
    """
    check_choice(choice)
    if columns.lcc is None:
        raise ShelfError(
            "a corpus needs the class of each record: name the column of Library of Congress "
            "class numbers, --column lcc=COLUMN"
        )
    if choice.language is not None and columns.language is None:
        raise ShelfError(
            f"--language {choice.language}: name the column of languages, --column language=COLUMN"
        )
    given = _checked_files([file])
    read = partial(read_table, given[0], columns)
    read()
    roles = {role: getattr(columns, role) for role in ColumnMapping.__dataclass_fields__}
    return CatalogueRequest(given, read, {"records": "table", "columns": roles}, choice)


def check_choice(choice: Choice) -> None:
    """Refuse a name that is taken or cannot be a config's, and terms that are no line.

    Raises
    ------
    ShelfError
        Names the option.

    Examples
    --------
    >>> check_choice(Choice(name="all"))
    Traceback (most recent call last):
    evaluate_shelf.errors.ShelfError: --name all: SHELF has a config of this name; choose another
    """
    name = choice.name
    if not _NAME.fullmatch(name):
        raise ShelfError(
            f"--name {name!r:.100}: a config's name begins with a letter and has at most 60 "
            "letters, digits and underscores, none of them with accents"
        )
    if {name.lower(), *companions(name)} & _taken_names():
        raise ShelfError(f"--name {name}: SHELF has a config of this name; choose another")
    if choice.language is not None and not choice.language.strip():
        raise ShelfError("--language: it is empty; leave it out to keep all languages")
    if choice.minimum_records < 2:
        raise ShelfError(
            f"--minimum-records {choice.minimum_records}: a class needs at least 2, to stand in "
            "train and test"
        )
    for option, term in (("--source", choice.source), ("--licence", choice.licence)):
        if term != one_line(term, _LONGEST_TERM):
            raise ShelfError(f"{option}: write one line of at most {_LONGEST_TERM} characters")


def _taken_names() -> set[str]:
    configs = recipes(load_plan("standard"))
    return {*configs, *load_corpora(), *load_tasks(), *(f"{own}-corpus" for own in configs)}


def _checked_files(files: Sequence[Path]) -> tuple[Path, ...]:
    """The files by name: their order on the command line has no part in the result."""
    by_name: dict[str, Path] = {}
    for path in files:
        if path.is_dir():
            raise ShelfError(f"{path}: is a folder; name its files")
        if path.name != one_line(path.name, 255):
            raise ShelfError(
                f"{str(path)!r}: rename it: rows and reports name the file, and its name cannot "
                "be printed"
            )
        if other := by_name.get(path.name):
            what = "it is named twice" if other == path else f"{other} has the same name"
            raise ShelfError(
                f"{path}: {what}; rows name the file that they are from, so rename one of them "
                "or leave it out"
            )
        by_name[path.name] = path
    return tuple(by_name[name] for name in sorted(by_name))
