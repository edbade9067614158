"""`shelf write`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaluate_shelf.cli.checkout import checkout_module


def write(
    plan: Annotated[
        str,
        typer.Argument(metavar="PLAN", help="A plan of generation.yaml: sample, factorial."),
    ],
    out: Annotated[
        Path, typer.Option(help="The corpus's folder; one that is there is gone on with.")
    ],
    taxonomy: Annotated[
        Path | None, typer.Option(help="Folder of labels that `shelf taxonomy import` wrote.")
    ] = None,
    writer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL@URL[,option=value]...",
            help="A generator and its endpoint, for example m-1@https://example.org/v1; again for "
            "more. They fill the plan's empty places.",
        ),
    ] = None,
    writers: Annotated[
        Path | None, typer.Option(help="Generators of your own (YAML), in place of --writer.")
    ] = None,
    prices: Annotated[
        Path | None, typer.Option(help="A table of prices of your own (YAML).")
    ] = None,
    cap_usd: Annotated[
        str | None,
        typer.Option(
            metavar="USD",
            help="The most that is ever spent on this corpus; needed if a generator is paid. It "
            "holds until another is given.",
        ),
    ] = None,
    cap: Annotated[
        list[str] | None,
        typer.Option(metavar="GENERATOR=USD", help="The most of one generator; again for more."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of every draw.")] = 42,
    slice_name: Annotated[
        list[str] | None,
        typer.Option("--slice", help="Write this slice of the plan alone; again for more."),
    ] = None,
    documents: Annotated[
        int | None,
        typer.Option(min=1, help="About how many documents to write, in place of the plan's."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="The most calls at once of all generators together.")
    ] = None,
    attempts: Annotated[
        int,
        typer.Option(min=1, help="How often an order is asked whose calls are cut off."),
    ] = 3,
    retry_failed: Annotated[
        bool,
        typer.Option(
            "--retry-failed",
            help="Ask again: orders that were refused for good, those of batches that the endpoint "
            "does not know, and generators that took more than they were allowed.",
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write a plan's documents with language models, and never spend more than the cap.

    Each call is set aside at its worst case before it is made. Stopped by Ctrl-C, a crash or the
    cap, the same command goes on: no order with an answer is asked again.

    Example: shelf write factorial --out corpus --writer m-1@https://example.org/v1 --cap-usd 20
    """
    command = checkout_module("builders.commands.write")
    command.write_from_command_line(
        plan,
        out=out,
        taxonomy=taxonomy,
        writer=writer or [],
        writers=writers,
        prices=prices,
        cap_usd=cap_usd,
        cap=cap or [],
        seed=seed,
        slices=slice_name or [],
        documents=documents,
        workers=workers,
        attempts=attempts,
        retry_failed=retry_failed,
        json=json,
    )
