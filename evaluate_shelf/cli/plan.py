"""`shelf plan`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaluate_shelf.cli.checkout import checkout_module


def plan(
    name: Annotated[
        str,
        typer.Argument(
            metavar="PLAN",
            help="A plan of generation.yaml: standard, quickstart, sample, factorial.",
        ),
    ],
    taxonomy: Annotated[
        Path | None, typer.Option(help="Folder of labels that `shelf taxonomy import` wrote.")
    ] = None,
    prices: Annotated[
        Path | None, typer.Option(help="A table of prices of your own (YAML).")
    ] = None,
    writers: Annotated[
        Path | None,
        typer.Option(help="Generators of your own (YAML): they fill the plan's empty places."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of every draw.")] = 42,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    blocks: Annotated[
        Path | None, typer.Option(help="Write the specifications there, a file a block.")
    ] = None,
) -> None:
    """Show what a plan would write and cost, before a cent is spent.

    Documents by slice and generator, how evenly labels are covered, tokens, and the expected and
    the highest cost at dated prices.

    Example: shelf plan factorial --writers my_writers.yaml --prices my_prices.yaml
    """
    command = checkout_module("builders.commands.plan")
    command.plan_from_command_line(
        name,
        taxonomy=taxonomy,
        prices=prices,
        writers=writers,
        seed=seed,
        json=json,
        blocks=blocks,
    )
