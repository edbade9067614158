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
    runs: Annotated[Path, typer.Argument(help="Folder of runs.")],
    facet: Annotated[str | None, typer.Option(help="Only tasks of this facet.")] = None,
    formulation: Annotated[str | None, typer.Option(help="Only tasks of this formulation.")] = None,
    form: Annotated[Form, typer.Option("--format", help="How to print it.")] = Form.table,
) -> None:
    """Print the leaderboard of all finished runs of a folder.

    Runs on another config, release or protocol come into a table of their own.

    Example: shelf leaderboard runs --facet subject --format md
    """
    from evaluate_shelf.cli.terminal import say, show_json
    from evaluate_shelf.leaderboard.boards import boards
    from evaluate_shelf.leaderboard.forms import as_csv, as_markdown, as_table, as_values
    from evaluate_shelf.runs.reading import read_runs, unfinished_runs

    every, problems = read_runs(runs)
    found = boards(every, facet=facet, formulation=formulation)
    for folder in unfinished_runs(runs):
        say(f"left out, not finished: {folder}")
    for problem in problems:
        say(f"left out, damaged: {problem}")
    for run in every:
        if not run.scores.num_rows:
            say(f"left out, without any score: {run.folder}")
    if form is Form.json:
        show_json([as_values(board) for board in found])
    elif form is Form.csv:
        sys.stdout.write(as_csv(found))
    else:
        show = as_table if form is Form.table else as_markdown
        sys.stdout.write("\n".join(show(board) for board in found))
