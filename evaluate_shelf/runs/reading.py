"""Finished runs of a folder, as the leaderboard takes them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.printable import brief, one_line
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.runs.folder import RUN, SCORES, how_to_mend, read_run
from evaluate_shelf.runs.schema import SCORES_SCHEMA, UNBOUNDED_METRICS, RunFile

_MOST_ITEMS = 10**9
_UNIT = re.compile(r"[A-Za-z][A-Za-z0-9_ ()-]{0,62}")

NOT_RUN = "not run"
"""Why a run has no score on a task that it did not try."""


@dataclass(frozen=True)
class Run:
    """A finished run.

    Attributes
    ----------
    folder : pathlib.Path
        Where it lies.
    file : RunFile
        Its `run.json`.
    scores : pyarrow.Table
        Its `scores.parquet`.
    reported : str or None
        Who reported the scores, where they were not computed here: such a run has neither items
        nor intervals, and is compared with no other. A run that is read from a folder is none.
    """

    folder: Path
    file: RunFile
    scores: pa.Table
    reported: str | None = field(default=None, kw_only=True)

    def primary_scores(self) -> dict[str, dict[str, Any]]:
        """The rows of its scores that hold a task's primary metric, by task."""
        return {row["task"]: row for row in self.scores.to_pylist() if row["primary"]}

    def why_no_score(self, task: str) -> str:
        """Why it has no score on a task."""
        record = self.file.tasks.get(task)
        return f"{record.status}: {record.reason}" if record else NOT_RUN

    def checked(self, path: str) -> Path:
        """A file of the run, if it is the one whose hash `run.json` names.

        Raises
        ------
        ShelfError
            If it is missing or another one.
        """
        if self.reported:
            raise ShelfError(f"{self.file.model.name}: reported scores have no items")
        place = self.folder / path
        if not place.is_file() or sha256_of_file(place) != self.file.files.get(path):
            raise ShelfError(f"{place}: not the file that {RUN} names; {how_to_mend(self.folder)}")
        return place


def load_run(folder: Path) -> Run:
    """Read one run and check its scores against the hash in `run.json`.

    Raises
    ------
    ShelfError
        If it is unfinished, or `scores.parquet` is missing, changed or of another form.
    """
    file = read_run(folder)
    path = folder / SCORES
    if not path.is_file() or sha256_of_file(path) != file.files.get(SCORES):
        raise _damaged(path, f": not the file that {RUN} names")
    try:
        scores = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        reason = one_line(str(error), 200)
        raise _damaged(path, f": cannot be read as Parquet: {reason}") from error
    if scores.schema != SCORES_SCHEMA:
        raise _damaged(path, ": not the columns of this version's scores")
    for number, name, problem in _wrong_scores(file, scores.to_pylist()):
        raise _damaged(path, f", row {number}, field {name!r}: {problem}")
    return Run(folder, file, scores)


def _damaged(path: Path, problem: str) -> ShelfError:
    return ShelfError(f"{path}{problem}; {how_to_mend(path.parent)}")


def _wrong_scores(file: RunFile, rows: Sequence[dict[str, Any]]) -> Iterator[tuple[int, str, str]]:
    """What no evaluation writes: number of the row, field, and what is wrong with it."""
    seen: set[tuple[str, str]] = set()
    registry = load_tasks()
    for number, row in enumerate(rows):
        record = file.tasks.get(row["task"])
        if record is None or record.status != "done":
            yield number, "task", f"{brief(row['task'])} is not done in {RUN}"
        key = (row["task"], row["metric"])
        if key in seen:
            yield number, "metric", f"{brief(row['metric'])} stands twice for a task"
        seen.add(key)
        bounds = [row["low"], row["high"]]
        for name, value in zip(("value", "low", "high"), [row["value"], *bounds], strict=True):
            if value is None and name != "value" and bounds == [None, None]:
                continue
            if value is None or not is_score(row["metric"], value):
                yield number, name, f"{value!r} is no score"
        for name, value in (("n", row["n"]), ("n_units", row["n_units"])):
            if value is None or not 0 <= value <= _MOST_ITEMS:
                yield number, name, f"{value!r} is no count"
        if row["level"] is None or not 0 < row["level"] < 1:
            yield number, "level", f"{row['level']!r} is no coverage of an interval"
        if row["unit"] is None or not _UNIT.fullmatch(row["unit"]):
            yield number, "unit", f"{brief(row['unit'])} is no name of a column"
        chance = row["chance_level"]
        if chance is not None and not is_score(row["metric"], chance):
            yield number, "chance_level", f"{chance!r} is no score"
        if bounds != [None, None] and bounds[0] > bounds[1]:
            yield number, "low", f"{bounds[0]!r} is above 'high', {bounds[1]!r}"
        task = registry.get(row["task"])
        if task is not None and row["primary"] != (row["metric"] == task.primary_metric):
            yield number, "primary", f"that of {task.id} is {task.primary_metric!r}"


def is_score(metric: str, value: float) -> bool:
    """Whether a metric can have that value.

    Examples
    --------
    >>> is_score("macro_f1", 1.5), is_score("contrast_violation_lift_at_10", 1.5)
    (False, True)
    """
    return math.isfinite(value) and (metric in UNBOUNDED_METRICS or abs(value) <= 1)


def load_runs(folder: Path) -> list[Run]:
    """Read all finished runs below a folder that are whole; see `read_runs`."""
    return read_runs(folder)[0]


def read_runs(folder: Path) -> tuple[list[Run], list[str]]:
    """Read all finished runs below a folder, in the order of their paths.

    Parameters
    ----------
    folder : pathlib.Path
        A folder of runs.

    Returns
    -------
    tuple of list of Run and list of str
        The runs that are whole, and what is wrong with each that is damaged, cannot be read or is
        a copy of an earlier one. Unfinished ones, which have no `run.json`, are in neither;
        `unfinished_runs` names them.

    Raises
    ------
    ShelfError
        If the folder does not exist or holds no finished run that is whole.
    """
    if not folder.is_dir():
        raise ShelfError(f"{folder}: no such folder of runs; make one with `shelf evaluate`")
    runs: list[Run] = []
    places, problems = _run_folders(folder)
    seen: dict[tuple[str, str], Path] = {}
    for place in places:
        try:
            run = load_run(place)
        except ShelfError as error:
            problems.append(str(error))
            continue
        except OSError as error:
            problems.append(_unreadable(error, place))
            continue
        first = seen.setdefault((run.file.model.spec, run.file.run_id), place)
        if first == place:
            runs.append(run)
        else:
            problems.append(f"{place}: the same run as {first}; remove one of them")
    if problems and not runs:
        raise ShelfError(problems[0])
    if not runs:
        raise ShelfError(f"{folder}: no finished run; make one with `shelf evaluate`")
    return runs, problems


def _run_folders(folder: Path) -> tuple[list[Path], list[str]]:
    """Folders with a `run.json`, in the order of their paths, and what could not be looked into."""
    found: list[Path] = []
    problems: list[str] = []
    for model in _folders_in(folder, problems):
        for place in _folders_in(model, problems):
            try:
                (place / RUN).stat()
            except FileNotFoundError:
                continue  # begun, and not finished
            except OSError as error:
                problems.append(_unreadable(error, place))
            else:
                found.append(place)
    return found, problems


def _folders_in(folder: Path, problems: list[str]) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError as error:
        problems.append(_unreadable(error, folder))
        return []


def _unreadable(error: OSError, place: Path) -> str:
    return f"{error.filename or place}: {error.strerror or error}; make it readable, or remove it"


def unfinished_runs(folder: Path) -> list[Path]:
    """Folders of runs that were begun and not finished."""
    return sorted(
        path.parent for path in folder.glob("*/*/progress") if not (path.parent / RUN).is_file()
    )
