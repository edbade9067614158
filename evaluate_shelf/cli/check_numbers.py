"""`shelf check-numbers`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def check_numbers(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE.md...", help="Markdown files.")
    ] = None,
    derivations: Annotated[
        bool, typer.Option("--derivations", help="List what a marker may name, and stop.")
    ] = False,
) -> None:
    """Derive the marked numbers of Markdown files again from the data that is committed.

    A marker is an HTML comment right after a number that begins with an equals sign and names a
    derivation with its arguments: <!--= best lcc_retrieval all -->. The number is compared with
    the digits that are written; the status is 1 where one no longer follows, and 2 where a marker
    names nothing. Markers inside code are examples.

    Example: shelf check-numbers README.md CHANGELOG.md
    """
    from evaluate_shelf.cli.terminal import say
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.report.numbers.checking import check_numbers as checked
    from evaluate_shelf.report.numbers.derivations import DERIVATIONS

    if derivations:
        for name, row in DERIVATIONS.items():
            sys.stdout.write(f"{f'{name} {row.arguments}'.rstrip():<64} {row.gives}\n")
        return
    if not files:
        raise ShelfError("no file is named; give Markdown files, or --derivations")
    found = [checked(file) for file in files]
    differences = [difference for one in found for difference in one.differences]
    for difference in differences:
        sys.stdout.write(f"{difference}\n")
    errors = [error for one in found for error in one.errors]
    if errors:
        raise ShelfError("\n".join(errors))
    for one in found:
        say(f"{one.file}: {one.numbers} marked, {len(one.differences)} no longer follow")
    if differences:
        raise typer.Exit(1)
