"""`shelf space`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def space(
    runs: Annotated[Path, typer.Argument(help="Folder of runs.")] = Path("runs"),
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on this machine.")] = 7860,
) -> None:
    """Open the leaderboard of a folder of runs in the browser (needs a checkout).

    Example: shelf space runs --port 7860
    """
    from evaluate_shelf.cli.checkout import checkout_module
    from evaluate_shelf.cli.terminal import say
    from evaluate_shelf.runs.reading import load_runs

    found = load_runs(runs)
    application = checkout_module("space.app")
    say(f"http://127.0.0.1:{port} shows {len(found)} runs; Ctrl-C ends it")
    application.serve(runs, port)
