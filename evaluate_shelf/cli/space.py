"""`shelf space`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evaluate_shelf.aggregate.schema import Aggregate


def space(
    source: Annotated[
        str,
        typer.Argument(
            metavar="[RUNS]",
            help="Folder of runs. With --static also a file of `shelf leaderboard --aggregate`, "
            "or its address hf://datasets/OWNER/NAME/FILE.",
        ),
    ] = "runs",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on this machine.")] = 7860,
    static: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write the site as files that need no server, instead."),
    ] = None,
) -> None:
    """Open the leaderboard of a folder of runs in the browser (needs a checkout).

    With --static DIR the pages are written into a folder, which any web server can hold and any
    browser can open from the disk; a site that is there is replaced. From a folder of runs they
    show boards, costs and rank agreement; paired differences and confusions need an aggregate that
    was made with its release.

    Example: shelf space runs --port 7860
    """
    from evaluate_shelf.cli.checkout import checkout_module
    from evaluate_shelf.cli.terminal import say
    from evaluate_shelf.runs.reading import load_runs

    if static is not None:
        checkout_module("space.static_site").write_site(_aggregate(source), static)
        sys.stdout.write(f"{static / 'index.html'}\n")
        return
    runs = Path(source)
    found = load_runs(runs)
    application = checkout_module("space.app")
    say(f"http://127.0.0.1:{port} shows {len(found)} runs; Ctrl-C ends it")
    application.serve(runs, port)


def _aggregate(source: str) -> Aggregate:
    """What is shown: an aggregate as it is, or one of a folder of runs and published scores."""
    from evaluate_shelf.aggregate.building import aggregate_of
    from evaluate_shelf.aggregate.evidence import Evidence
    from evaluate_shelf.aggregate.file import read_aggregate
    from evaluate_shelf.cli.run_folders import runs_in
    from evaluate_shelf.reported.runs import reported_runs

    if source.startswith("hf://") or source.endswith((".json", ".json.gz")):
        return read_aggregate(source)
    computed = runs_in([Path(source)])
    return aggregate_of(Evidence(computed=tuple(computed), reported=tuple(reported_runs())))
