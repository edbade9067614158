"""`shelf leaderboard`."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Form(StrEnum):
    """How a leaderboard is printed."""

    table = "table"
    md = "md"
    csv = "csv"
    json = "json"


def leaderboard(
    runs: Annotated[
        Path | None, typer.Argument(help="Folder of runs; reported scores alone without it.")
    ] = None,
    facet: Annotated[str | None, typer.Option(help="Only tasks of this facet.")] = None,
    formulation: Annotated[str | None, typer.Option(help="Only tasks of this formulation.")] = None,
    reported: Annotated[
        bool, typer.Option(help="Show the published panel's scores on the same configs.")
    ] = True,
    form: Annotated[Form, typer.Option("--format", help="How to print it.")] = Form.table,
) -> None:
    """Print the leaderboard of all finished runs of a folder.

    Runs on another config, release or protocol come onto a board of their own, and so do scores
    that are reported and were not computed here; these come last. A board that is wider than the
    terminal is shown facet by facet. Optional tasks have a column where a facet or a formulation
    is asked for.

    Example: shelf leaderboard runs --facet subject --format md
    """
    from evaluate_shelf.cli.run_folders import runs_in
    from evaluate_shelf.cli.terminal import show_json
    from evaluate_shelf.leaderboard.boards import boards
    from evaluate_shelf.leaderboard.forms import as_csv, as_markdown, as_values
    from evaluate_shelf.leaderboard.terminal_table import for_terminal
    from evaluate_shelf.reported.runs import reported_runs

    computed = [] if runs is None else runs_in([runs])
    configs = {run.file.data.config for run in computed}
    others = reported_runs() if reported else []
    shown = [run for run in others if not configs or run.file.data.config in configs]
    found = boards([*computed, *shown], facet=facet, formulation=formulation)
    if form is Form.json:
        show_json([as_values(board) for board in found])
    elif form is Form.csv:
        sys.stdout.write(as_csv(found))
    elif form is Form.md:
        sys.stdout.write("\n".join(as_markdown(board) for board in found))
    else:
        sys.stdout.write(for_terminal(found))
