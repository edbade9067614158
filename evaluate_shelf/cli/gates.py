"""`shelf gates`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from evaluate_shelf.cli.checkout import checkout_module


class By(StrEnum):
    """What the rates are given by."""

    form = "form"
    category = "category"
    length = "length"
    generator = "generator"
    class_ = "class"
    variant = "variant"


def gates(
    release: Annotated[
        str, typer.Argument(metavar="RELEASE", help="A release folder, or a Hub dataset id.")
    ],
    by: Annotated[
        By | None,
        typer.Option(
            help="form, category, length, generator, class or (prompt) variant; generator and "
            "length without it."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print every number as JSON.")] = False,
) -> None:
    """Show what the gates refused of what was written for a release.

    How much is kept and what each gate refuses, with intervals, and which generators a gate
    refuses far more or less often than the others: evidence about the gate first.

    Example: shelf gates release --by form
    """
    command = checkout_module("builders.commands.gates")
    command.gates_from_command_line(release, by=by and by.value, json=json)
