"""`shelf export-mteb` and `shelf export-eval-results`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

RunArgument = Annotated[Path, typer.Argument(help="A run's folder: runs/<model>/<run id>.")]


def export_mteb(
    run: RunArgument,
    out: Annotated[
        Path,
        typer.Option(
            help="Folder that mteb reads as a cache: files go to results/MODEL/REVISION in it."
        ),
    ],
    name: Annotated[
        str | None, typer.Option(help="The model's owner/name; the run's own without it.")
    ] = None,
) -> None:
    """Write a run's scores as mteb's result files, one a task.

    Example: shelf export-mteb runs/tfidf/0123456789ab --out mteb-cache
    """
    from evaluate_shelf.export.mteb import export_mteb as export
    from evaluate_shelf.runs.reading import load_run

    for path in export(load_run(run), out, name):
        sys.stdout.write(f"{path}\n")


def export_eval_results(
    run: RunArgument,
    out: Annotated[Path, typer.Option(help="Folder of the model's repository.")],
    dataset: Annotated[str, typer.Option(help="The release's repository on the Hub, owner/name.")],
    revision: Annotated[
        str | None, typer.Option(help="Commit of that repository that the run was scored on.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="An https address where the run can be seen.")
    ] = None,
) -> None:
    """Write a run's primary scores as entries for the model's page on the Hub.

    Example: shelf export-eval-results runs/tfidf/0123456789ab --out model --dataset owner/SHELF
    """
    from evaluate_shelf.export.eval_results import export_eval_results as export
    from evaluate_shelf.runs.reading import load_run

    written = export(load_run(run), out, dataset, revision=revision, source=source)
    sys.stdout.write(f"{written}\n")
