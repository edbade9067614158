"""Who stands for the runs of a results repository: nobody, but for those that a list names.

Its runs come from strangers as pull requests. Merging one says that it is consistent, not that
anybody has run it again.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, StringConstraints

from evaluate_shelf.aggregate.schema import Status
from evaluate_shelf.aggregate.schema.facts import Facts
from evaluate_shelf.bounded import Named, Reason, one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.registry.strict_yaml import Row, read_rows, validated_rows
from evaluate_shelf.runs.folder import RUN
from evaluate_shelf.runs.reading import Run, load_run
from evaluate_shelf.submissions.contents import listed
from evaluate_shelf.submissions.refusals import Refused

VERIFIED = "verified.yaml"
"""The list, in the root of the repository."""

LARGEST = 2**20
"""Bytes of the list: more than a thousand runs with all that was measured."""

_MARKS = (VERIFIED, "check.py")
_RUNS = "runs"
_DEEPEST = 3


class Standing(Row):
    """A run that maintainers stand for.

    Attributes
    ----------
    run_id, sha256 : str
        The run's id, and the SHA-256 of its `run.json`, which names the hashes of its files.
    status : str
        `verified`: somebody else ran it again, and the scores agree; `computed`: by the
        maintainers themselves.
    who, when : str and datetime.date
        Who says so, and since when.
    note : str or None
        Anything else.
    measured : Facts or None
        What was measured when it was run again. Without it, rate, sizes and costs of a
        verified run are left out, since they are what its sender claims.
    """

    run_id: Named
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    status: Literal["verified", "computed"]
    who: Named
    when: Annotated[dt.date, Field(strict=False)]
    note: Reason | None = None
    measured: Facts | None = None


class Standings(NamedTuple):
    """Who stands for runs.

    Attributes
    ----------
    statuses : dict of str to Status
        Of every run, by its folder.
    reruns : dict of str to Facts
        What was measured when runs were run again, by their folders.
    unmatched : tuple of str
        What the list names and is not among the runs, a line each.
    """

    statuses: dict[str, Status]
    reruns: dict[str, Facts]
    unmatched: tuple[str, ...]


def repository_of(runs: Path) -> Path | None:
    """The results repository that a folder of runs lies in; None where it lies in none.

    Parameters
    ----------
    runs : pathlib.Path
        The repository itself, its folder `runs`, or a folder below that.
    """
    place = runs.resolve()
    for folder in (place, *place.parents[:_DEEPEST]):
        is_marked = any((folder / mark).is_file() for mark in _MARKS)
        if is_marked and (folder == place or place.is_relative_to(folder / _RUNS)):
            return folder
    return None


def runs_below(folder: Path) -> tuple[list[Run], list[str]]:
    """The runs of a results repository, and what is wrong with others.

    Unlike `runs.reading.read_runs`, it keeps all of several runs with one id: which of them is
    shown depends on who stands for them, not on how their senders named their folders.

    Parameters
    ----------
    folder : pathlib.Path
        Holds `MODEL/RUN_ID`.
    """
    found: list[Run] = []
    problems: list[str] = []
    for file in sorted(folder.glob(f"*/*/{RUN}")):
        try:
            # Names and sizes as a check of them has it, before anything is read.
            listed(file.parent)
            found.append(load_run(file.parent))
        except Refused as error:
            place = "/".join(file.parent.relative_to(folder).parts)
            problems.append(one_line(f"{place}: {error}"))
        except (ShelfError, OSError) as error:
            problems.append(one_line(str(error)))
    return found, problems


def read_standings(file: Path) -> tuple[Standing, ...]:
    """Read the list of runs that maintainers stand for.

    Parameters
    ----------
    file : pathlib.Path
        A YAML list, which may be empty.

    Raises
    ------
    ShelfError
        If it is missing, too large, not such a list, or names a run twice.
    """
    if file.exists() and not file.is_file():
        raise ShelfError(f"{file}: not a file")
    if file.exists() and file.stat().st_size > LARGEST:
        raise ShelfError(f"{file}: larger than {LARGEST:,} bytes, so no list of runs")
    rows = read_rows(file)
    return validated_rows(Standing, rows, file, "sha256") if rows else ()


def standings_of(runs: Sequence[Run], listed: Sequence[Standing]) -> Standings:
    """Who stands for the runs of a results repository.

    Parameters
    ----------
    runs : sequence of Run
        All of them.
    listed : sequence of Standing
        From `read_standings`. A run that is not there, or whose `run.json` is another one, is
        unverified.
    """
    by_run = {(own.run_id, own.sha256): own for own in listed}
    statuses: dict[str, Status] = {}
    reruns: dict[str, Facts] = {}
    for run in runs:
        own = by_run.pop((run.file.run_id, sha256_of_file(run.folder / RUN)), None)
        statuses[str(run.folder)] = own.status if own else "unverified"
        if own and own.measured:
            reruns[str(run.folder)] = own.measured
    return Standings(statuses, reruns, tuple(map(_unmatched, by_run.values())))


def _unmatched(own: Standing) -> str:
    return one_line(
        f"{VERIFIED}: run {own.run_id} is called {own.status}, and no run here has a run.json with "
        f"SHA-256 {own.sha256[:12]}"
    )
