"""`shelf import-release`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaluate_shelf.cli.checkout import checkout_module


def import_release(
    source: Annotated[
        str, typer.Argument(help="A folder, or a Hub dataset id, owner/name@revision.")
    ],
    out: Annotated[
        Path, typer.Option(help="The release folder; a release that is there is replaced.")
    ],
    config: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this config and what it needs; may be given several times. All without it."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Seed of the pairs, the queries and the split of the books.")
    ] = 42,
    accept_counts: Annotated[
        bool,
        typer.Option(
            "--accept-counts", help="Take it even if its rows are not as many as its card says."
        ),
    ] = False,
) -> None:
    """Import the published release into a release folder of this project.

    Its corpora are taken over with their ids and splits; pairs, pool and retrieval are made anew
    from them. What was changed or dropped is in CAVEATS.md and in reports/. An interrupted import
    goes on where it stopped.

    Example: shelf import-release mjbommar/SHELF@REVISION --out release
    """
    command = checkout_module("builders.commands.import_release")
    command.import_from_command_line(
        source, out=out, configs=config or [], seed=seed, accept_counts=accept_counts
    )
