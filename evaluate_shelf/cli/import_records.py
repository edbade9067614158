"""`shelf import-marc` and `shelf import-table`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaluate_shelf.cli.checkout import checkout_module

_Out = Annotated[
    Path, typer.Option(help="The release folder; a release that is there is replaced.")
]
_Name = Annotated[str, typer.Option(help="Name of the corpus.")]
_Language = Annotated[
    str | None,
    typer.Option(help="Keep this language alone, such as eng; without it, all languages."),
]
_MinimumRecords = Annotated[
    int, typer.Option(help="Leave out classes with fewer records; the report names them.")
]
_Source = Annotated[
    str, typer.Option(help="Where the records come from, for the card; else the files' names.")
]
_Licence = Annotated[
    str, typer.Option("--licence", "--license", help="Terms of the records, for the card.")
]
_Seed = Annotated[int, typer.Option(help="Seed of splits, pairs and queries.")]
_AsJson = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]


def import_marc(
    files: Annotated[
        list[Path], typer.Argument(help="MARC 21 or MARCXML files, plain or compressed by gzip.")
    ],
    out: _Out,
    name: _Name = "catalogue",
    language: _Language = None,
    minimum_records: _MinimumRecords = 5,
    source: _Source = "",
    licence: _Licence = "",
    seed: _Seed = 42,
    json: _AsJson = False,
) -> None:
    """Import a library's own MARC records as a corpus that the subject tasks accept.

    Records with a Library of Congress class (050, 090, 055) are split by work into train,
    validation and test, with pairs and queries. The report says what was read, what was left out
    and why. Damaged records are counted and named, and the rest is read.

    Example: shelf import-marc books.mrc --language eng --out ours
    """
    command = checkout_module("builders.commands.import_records")
    command.import_marc_from_command_line(
        files,
        out=out,
        seed=seed,
        as_json=json,
        name=name,
        language=_code(language),
        minimum_records=minimum_records,
        source=source,
        licence=licence,
    )


def import_table(
    file: Annotated[
        Path, typer.Argument(help="CSV, TSV or JSON Lines, also compressed by gzip, or Parquet.")
    ],
    column: Annotated[
        list[str],
        typer.Option(
            help="What a column is, such as title=Title; given once for each: id, title, text "
            "(several), lcc, lcsh, genre, language, author, year."
        ),
    ],
    out: _Out,
    name: _Name = "catalogue",
    language: _Language = None,
    minimum_records: _MinimumRecords = 5,
    source: _Source = "",
    licence: _Licence = "",
    seed: _Seed = 42,
    json: _AsJson = False,
) -> None:
    """Import a table of a library's own records as a corpus that the subject tasks accept.

    A column of Library of Congress class numbers is needed, and one of titles or texts. Name the
    authors' column too, if there is one: it tells which records are of one work.

    Example: shelf import-table books.csv --column title=Title --column lcc=LCC --out ours
    """
    command = checkout_module("builders.commands.import_records")
    command.import_table_from_command_line(
        file,
        column,
        out=out,
        seed=seed,
        as_json=json,
        name=name,
        language=_code(language),
        minimum_records=minimum_records,
        source=source,
        licence=licence,
    )


def _code(language: str | None) -> str | None:
    """A language as records are compared by it."""
    return None if language is None else language.strip().lower()
