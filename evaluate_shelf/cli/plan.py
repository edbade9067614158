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
    writer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL@URL[,option=value]...",
            help="A generator and its endpoint, as `shelf write` takes it; again for more.",
        ),
    ] = None,
    writers: Annotated[
        Path | None, typer.Option(help="Generators of your own (YAML), in place of --writer.")
    ] = None,
    slice_name: Annotated[
        list[str] | None,
        typer.Option("--slice", help="This slice of the plan alone; again for more."),
    ] = None,
    documents: Annotated[
        int | None,
        typer.Option(min=1, help="About how many documents, in place of the plan's."),
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
        writer=writer or (),
        writers=writers,
        slices=slice_name or (),
        documents=documents,
        seed=seed,
        json=json,
        blocks=blocks,
    )
