"""`shelf space`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def space(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[RUNS|AGGREGATE|hf://...]",
            help="Folder of runs or of a results repository, a file of `shelf leaderboard "
            "--aggregate`, or hf://datasets/OWNER/NAME[/FILE]; published scores alone without it.",
        ),
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Take submissions into this store; it is made where there is none. Needs --data.",
        ),
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(
            help="A release that runs were scored on, a folder or a Hub dataset id: for paired "
            "differences and confusions, and to check submissions. May be repeated."
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on this machine.")] = 7860,
    static: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write the site as files that need no server, instead."),
    ] = None,
) -> None:
    """Open the leaderboard in the browser (needs a checkout).

    With --static DIR the pages are written into a folder, which any web server can hold and any
    browser can open from the disk; a site that is there is replaced.

    With --store FOLDER runs can be sent that `shelf pack` made, and models be asked for that `shelf
    worker` evaluates. Maintainers send the token that SHELF_MAINTAINER_TOKEN holds, or use `shelf
    submissions`.

    Example: shelf space runs --data release --port 7860
    """
    from evaluate_shelf.cli.checkout import checkout_module
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.release.needed import folder_to_evaluate

    releases = data or []
    if static is None:
        checkout_module("space.app").serve(source, port, store=store, data=releases)
        return
    if store is not None:
        raise ShelfError("--static writes files that take no submissions; leave out --store")
    sources = checkout_module("space.serving.sources")
    found = sources.source_of(source, [folder_to_evaluate(own) for own in releases])
    write_site = checkout_module("space.static_site").write_site
    write_site(found.whole(), static, sources.results_named(found))
    sys.stdout.write(f"{static / 'index.html'}\n")
