"""`shelf apply`."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line


def apply(
    run: Annotated[Path, typer.Argument(help="A run's folder: runs/<model>/<run id>.")],
    records: Annotated[list[Path], typer.Argument(help="MARC 21 or MARCXML files, or one table.")],
    data: Annotated[str, typer.Option(help="The release that the run was scored on.")],
    out: Annotated[
        Path | None, typer.Option(help="The CSV file; standard output without it.")
    ] = None,
    marc: Annotated[
        Path | None,
        typer.Option(
            help="Write the MARC records again, with their classes in field 084: a file, or for "
            "several MARC files a folder."
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            help="What a column of the table is, such as title=Title; may be given several times: "
            "id, title, text, lcc."
        ),
    ] = None,
    top: Annotated[int, typer.Option(help="How many classes a record is given.")] = 1,
    minimum_probability: Annotated[
        float, typer.Option(help="Give no class below this probability.")
    ] = 0.0,
    model: Annotated[
        str | None,
        typer.Option(
            help="Another name of the run's model, where it has moved; needed for a folder and for "
            "module:attribute, whose code is run."
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the report as JSON; the CSV only to --out.")
    ] = False,
) -> None:
    """Give your own records the classes that a scored model assigns to them.

    The model must be the run's and must say of the release's test documents what the run says. How
    often the classes are right is estimated only from records that carry one.

    Example: shelf apply runs/tfidf/0123456789ab books.mrc --data release --out classes.csv
    """
    from evaluate_shelf.application import LineReporter, Request, apply_run
    from evaluate_shelf.cli.terminal import Bar, say, show_json
    from evaluate_shelf.evaluation import default_store

    with _printable_errors(), _csv_file(out, printed=not json) as file:
        request = Request(
            run=run,
            records=records,
            data=data,
            columns=column or [],
            out=file,
            marc=marc,
            top=top,
            minimum_probability=minimum_probability,
            model=model,
            store=default_store(),
        )
        # Standard output is for results; what a model prints goes to standard error.
        with Bar() as bar, contextlib.redirect_stdout(sys.stderr):
            outcome = apply_run(request, LineReporter(say, bar.update))
    say(outcome.to_text())
    if json:
        show_json(outcome.to_dict())


@contextlib.contextmanager
def _printable_errors() -> Iterator[None]:
    """The name of a file may hold what moves a terminal's cursor."""
    try:
        yield
    except ShelfError as error:
        raise ShelfError(one_line(str(error), 10_000)) from error


@contextlib.contextmanager
def _csv_file(out: Path | None, *, printed: bool) -> Iterator[Path | None]:
    """The file to write; printed at the end, once it is whole, where the user named none."""
    if out is not None or not printed:
        yield out
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "classes.csv"
        yield file
        with file.open(encoding="utf-8", newline="") as stream:
            shutil.copyfileobj(stream, sys.stdout)
