"""The runs that a command is given, and what is left out of them, said on standard error."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluate_shelf.runs.reading import Run


def runs_in(folders: Sequence[Path]) -> list[Run]:
    """Read finished runs; what is unfinished, damaged or without a score is said.

    Parameters
    ----------
    folders : sequence of pathlib.Path
        Each a run's folder, or a folder of runs.

    Returns
    -------
    list of Run
        Each once, in the order of the folders and of the paths within them.

    Raises
    ------
    ShelfError
        If a folder does not exist or holds no finished run that is whole.
    """
    found: dict[Path, Run] = {}
    for folder in folders:
        for run in _runs_of(folder):
            found.setdefault(run.folder.resolve(), run)
    return list(found.values())


def _runs_of(folder: Path) -> list[Run]:
    from evaluate_shelf.cli.terminal import say
    from evaluate_shelf.runs.folder import RUN
    from evaluate_shelf.runs.reading import load_run, read_runs, unfinished_runs

    if (folder / RUN).is_file():
        return [load_run(folder)]
    runs, problems = read_runs(folder)
    for unfinished in unfinished_runs(folder):
        say(f"left out, not finished: {unfinished}")
    for problem in problems:
        say(f"left out, damaged: {problem}")
    for run in runs:
        if not run.scores.num_rows:
            say(f"left out, without any score: {run.folder}")
    return runs
