"""`shelf rescore`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def rescore(
    run: Annotated[Path, typer.Argument(help="A run's folder: runs/<model>/<run id>.")],
    data: Annotated[str, typer.Option(help="The release that it was scored on.")],
) -> None:
    """Compute every score of a run again from its items and the release's labels.

    Nothing of the model is needed. The status is 1 where a score differs.

    Example: shelf rescore runs/tfidf/0123456789ab --data release
    """
    from evaluate_shelf.evaluation.rescore import rescored_differences
    from evaluate_shelf.release.source import release_folder

    differences = rescored_differences(run, release_folder(data))
    for difference in differences:
        sys.stdout.write(f"{difference}\n")
    if differences:
        raise typer.Exit(1)
    sys.stdout.write(f"{run}: every score follows from its items and the release's labels\n")
