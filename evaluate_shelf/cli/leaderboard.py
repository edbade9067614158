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

    Runs on another config, release or protocol come onto a board of their own. A board that is
    wider than the terminal is shown facet by facet. Optional tasks have a column where a facet or
    a formulation is asked for.

    Example: shelf leaderboard runs --facet subject --format md
    """
    from evaluate_shelf.cli.terminal import say, show_json
    from evaluate_shelf.leaderboard.boards import boards
    from evaluate_shelf.leaderboard.forms import as_csv, as_markdown, as_values
    from evaluate_shelf.leaderboard.terminal_table import for_terminal
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
    elif form is Form.md:
        sys.stdout.write("\n".join(as_markdown(board) for board in found))
    else:
        sys.stdout.write(for_terminal(found))
