"""Which files a submission has, and how large they may be."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.runs.folder import RUN, SCORES
from evaluate_shelf.submissions.refusals import Refused, quoted

MIB = 2**20
ARCHIVE_BYTES = 64 * MIB
"""Of an archive."""
TOTAL_BYTES = 512 * MIB
"""Of all files of a submission together."""
FILES = 80
"""How many files there may be."""
RUN_BYTES = MIB
"""Of `run.json`, which has about 30 kB for all tasks."""
SCORES_BYTES = MIB
"""Of `scores.parquet`, which has about 20 kB for all tasks."""

_ITEMS = "items"


def items_name(task: str) -> str:
    """Name of a task's item rows in a run's folder."""
    return f"{_ITEMS}/{task}.parquet"


def allowed_names() -> frozenset[str]:
    """All names that a file of a submission can have."""
    return frozenset({RUN, SCORES, *map(items_name, load_tasks())})


def most_bytes(name: str) -> int:
    """How large a file of that name may be."""
    return {RUN: RUN_BYTES, SCORES: SCORES_BYTES}.get(name, TOTAL_BYTES)


def check_names(names: list[str]) -> None:
    """Refuse files that are no part of a run, one name for two files, and runs without scores.

    Parameters
    ----------
    names : list of str
        As they were sent, anything at all.

    Raises
    ------
    Refused
        Names the first one that is wrong.
    """
    if len(names) > FILES:
        raise Refused(f"it holds {len(names):,} files; a run has {FILES} at most")
    allowed = allowed_names()
    seen: set[str] = set()
    for name in names:
        if name not in allowed:
            raise Refused(f"file {quoted(name)}: {_why_not(name)}")
        if name in seen:
            raise Refused(f"file {name}: it stands twice")
        seen.add(name)
    for name in (RUN, SCORES):
        if name not in seen:
            raise Refused(f"file {name}: it is missing; pack the run with `shelf pack`")


def listed(folder: Path) -> list[str]:
    """Names of the files of a run's folder, in order.

    Raises
    ------
    Refused
        If something else lies there: a link, a pipe, a folder, a file that is no part of a run or
        is too large.
    """
    sizes = {
        name: size
        for place in ("", _ITEMS)
        for name, size in _sizes(folder / place, f"{place}/" if place else "").items()
    }
    check_names(sorted(sizes))
    for name, size in sizes.items():
        if size > most_bytes(name):
            raise Refused(f"file {name}: {size:,} bytes are more than {most_bytes(name):,}")
    if sum(sizes.values()) > TOTAL_BYTES:
        raise Refused(f"its files have more than {TOTAL_BYTES // MIB} MiB")
    return sorted(sizes)


def _sizes(folder: Path, before: str) -> dict[str, int]:
    found: dict[str, int] = {}
    try:
        mode = folder.lstat().st_mode
    except FileNotFoundError:
        return found
    if not stat.S_ISDIR(mode):
        raise Refused(f"{before or 'the run'}: not a folder")
    with os.scandir(folder) as entries:
        for entry in entries:
            name = before + entry.name
            status = entry.stat(follow_symlinks=False)
            if name == _ITEMS and stat.S_ISDIR(status.st_mode):
                continue
            if not stat.S_ISREG(status.st_mode):
                raise Refused(f"file {quoted(name)}: it is a link or no file at all")
            found[name] = status.st_size
            if len(found) > FILES:
                raise Refused(f"it holds more than {FILES} files")
    return found


def _why_not(name: str) -> str:
    """Why a name is none of those that are allowed."""
    if not name or name.endswith(("/", "\\")):
        return "folders have no entry of their own; pack the run with `shelf pack`"
    parts = name.replace("\\", "/").split("/")
    if "\\" in name or ":" in name or ".." in parts or "" in parts:
        return "a name that leads out of the run's folder"
    if name.lower().endswith((".zip", ".gz", ".tar", ".7z", ".xz", ".bz2", ".rar")):
        return "an archive inside the archive"
    return (
        f"no part of a run, which has {RUN}, {SCORES} and {_ITEMS}/TASK.parquet of tasks that "
        "`shelf tasks` lists; pack it with `shelf pack`"
    )
