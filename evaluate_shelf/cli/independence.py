"""`shelf independence`."""

from __future__ import annotations

from typing import Annotated

import typer

from evaluate_shelf.cli.checkout import checkout_module


def independence(
    release: Annotated[
        str, typer.Argument(metavar="RELEASE", help="A release: a folder, or a Hub dataset id.")
    ],
    config: Annotated[
        str | None,
        typer.Option(
            help="A config of documents; v0_4_core without it, or else the release's default one."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the classifier's folds and sample.")] = 42,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show whether a release's labels depend on who wrote the documents.

    For each label the bias-corrected Cramér's V between it and the generator, before the gates
    and after, with an interval; and how well a classifier of words tells the generators apart.

    Example: shelf independence release --config v0_4_core
    """
    command = checkout_module("builders.commands.independence")
    command.independence_from_command_line(release, config=config, seed=seed, json=json)
