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
    the digits that are written. What may have been meant as a marker and is none is found too;
    inside code a marker is an example. All files are checked; the status is 1 where anything is
    found, and 2 where a file cannot be read.

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
    findings, unread = [], []
    for file in files:
        try:
            found = checked(file)
        except ShelfError as error:
            unread.append(str(error))
            continue
        findings += found.findings()
        say(
            f"{file}: {found.numbers} marked, {len(found.differences)} no longer follow, "
            f"{len(found.refused)} refused"
        )
    sys.stdout.writelines(f"{finding}\n" for finding in findings)
    if unread:
        raise ShelfError("\n".join(unread))
    if findings:
        raise typer.Exit(1)
