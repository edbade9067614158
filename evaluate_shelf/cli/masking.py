"""`shelf masking`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def masking(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(help="Runs, or folders of runs; the published panel alone without any."),
    ] = None,
    panel: Annotated[
        str, typer.Option(help="Models: weights, distinct, restricted or all.")
    ] = "weights",
    reported: Annotated[
        bool, typer.Option(help="Show the published panel's scores in the three arms.")
    ] = True,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare scores on whole texts, without label terms, and without as many random tokens.

    Runs of the three arms come from `shelf evaluate` without --text, with --text masked and with
    --text sham. The sham arm says what a document loses by being shortened at all. Where an arm is
    missing, the runs that lack it are named with the command that makes it.

    Example: shelf masking runs --no-reported
    """
    from evaluate_shelf.cli.run_folders import runs_in
    from evaluate_shelf.cli.terminal import show_json
    from evaluate_shelf.diagnostics.masking.arms import ARMS, masking_values
    from evaluate_shelf.diagnostics.masking.arms import masking as compared
    from evaluate_shelf.diagnostics.masking.terminal_text import masking_text
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.quickstart import shipped_release
    from evaluate_shelf.release.manifest import read_manifest
    from evaluate_shelf.reported.runs import reported_runs
    from evaluate_shelf.transfer.settings import load_transfer

    if not (runs or reported):
        raise ShelfError("nothing to show: give a folder of runs, or leave out --no-reported")
    settings = load_transfer()
    published = [run for arm in ARMS for run in reported_runs(arm=arm)] if reported else []
    shipped = {read_manifest(shipped_release()).release_id: str(shipped_release())}
    given = [*runs_in(runs or []), *published]
    found = compared(given, settings.panel(panel), settings, shipped)
    if json:
        show_json(masking_values(found))
    else:
        sys.stdout.write(masking_text(found))
