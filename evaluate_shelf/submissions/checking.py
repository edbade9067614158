"""Check a run of a stranger: what it claims is what follows from its items and the labels."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import evaluate_shelf
from evaluate_shelf.bounded import ConfigName, Line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file, sha256_of_json
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.folder import RUN
from evaluate_shelf.runs.schema import RunFile
from evaluate_shelf.submissions.archive import opened
from evaluate_shelf.submissions.contents import listed
from evaluate_shelf.submissions.likeness import Fingerprint, Sketch
from evaluate_shelf.submissions.refusals import Refused, quoted
from evaluate_shelf.submissions.run_json import done_tasks, protocol_of_run, run_file_of

_ANSWER_BYTES = 8 * 2**20
_DETAIL_BYTES = 4_000
# What a process needs to start, and nothing that is secret.
_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "SYSTEMROOT", "VIRTUAL_ENV")
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "ARROW_IO_THREADS"), "1"
)
_FRUGAL = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}

Finite = Annotated[float, Field(allow_inf_nan=False)]


class Limits(BaseModel):
    """What the process may take that checks a submission.

    Attributes
    ----------
    memory_bytes : int
        Of addresses, which are more than what is in use: 250 MiB before anything is read. A run on
        63,000 documents fits into 1 GiB.
    seconds : int
        By the clock, and of processor time. That run takes 24 seconds of a processor.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    memory_bytes: Annotated[int, Field(ge=400 * 2**20)] = 2 * 2**30
    seconds: Annotated[int, Field(ge=1)] = 300


class ScoreRow(BaseModel):
    """A row of `scores.parquet`; see `evaluate_shelf.runs.schema`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    task: ConfigName
    metric: Line
    primary: bool
    value: Finite
    low: Finite | None
    high: Finite | None
    level: Finite
    unit: Line
    n_units: int
    n: int
    chance_level: Finite | None


@dataclass(frozen=True)
class Checked:
    """A run whose scores, intervals and chance levels follow from its items and the labels.

    Attributes
    ----------
    file : RunFile
        Its `run.json`. Only what scores follow from was recomputed: who the model is, how fast it
        is and what it costs is as claimed.
    release : pathlib.Path
        The release that it was checked against.
    board : str
        The same for runs that can be compared: config, rows and protocol.
    claimed, recomputed : tuple of ScoreRow
        As they were sent, and as they follow; they differ by `TOLERANCE` at most.
    fingerprints, sketches : dict of str to str
        By task, hash of the answers, and bytes of the hashes of some; empty where all items have
        the same.
    content_sha256 : str
        Hash of all files: the same run twice is one submission.
    """

    file: RunFile
    release: Path
    board: str
    claimed: tuple[ScoreRow, ...]
    recomputed: tuple[ScoreRow, ...]
    fingerprints: dict[str, str]
    sketches: dict[str, str]
    content_sha256: str

    def primary_scores(self) -> dict[str, ScoreRow]:
        """Recomputed row of each task's primary metric."""
        return {row.task: row for row in self.recomputed if row.primary}


class _Found(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    claimed: tuple[ScoreRow, ...]
    recomputed: tuple[ScoreRow, ...]
    fingerprints: dict[ConfigName, Fingerprint]
    sketches: dict[ConfigName, Sketch]


class _Answer(BaseModel):
    """What the child said; it has read a stranger's files, so it is believed in nothing else."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    checked: _Found | None = None
    refused: str | None = None
    fault: str | None = None
    detail: str = ""


def checked_archive(
    archive: Path, releases: Sequence[Path], limits: Limits | None = None
) -> Checked:
    """Check an archive as `checked` does a folder; nothing of it stays on the disk."""
    with tempfile.TemporaryDirectory(prefix="shelf-submission-") as place:
        folder = Path(place) / "run"
        opened(archive, folder)
        return checked(folder, releases, limits)


def checked(
    folder: Path,
    releases: Sequence[Path],
    limits: Limits | None = None,
    *,
    scores: bool = True,
) -> Checked:
    """Check a run of a stranger.

    The names and sizes of its files, `run.json` and the hashes are looked at here; Parquet is read
    and scores are computed in a process of their own, with limits on memory and time.

    Parameters
    ----------
    folder : pathlib.Path
        The run, and nothing else: what `opened` made.
    releases : sequence of pathlib.Path
        Folders of the releases that runs may be scored on.
    limits : Limits, default=None
        Of that process; those of `Limits` without it.
    scores : bool, default=True
        Whether scores are computed again. Without it this only reads a run that was checked before.

    Returns
    -------
    Checked

    Raises
    ------
    Refused
        If anything is not as it should be: the reason is for whoever sent it.
    ShelfError
        If a release cannot be read, which is no fault of the run.
    """
    known = [Release.open(release) for release in releases]
    names = listed(folder)
    file = run_file_of((folder / RUN).read_bytes())
    protocol_of_run(file)
    hashes = {name: sha256_of_file(folder / name) for name in names}
    for name in sorted({*hashes, *file.files} - {RUN}):
        if hashes.get(name) != file.files.get(name):
            raise Refused(f"{name}: not the file that {RUN} names")
    release = _release_of(file, known)
    found = _found_by_child(folder, release.folder, limits or Limits(), scores)
    _check_answer(found, file)
    return Checked(
        file=file,
        release=release.folder,
        board=board_of(file),
        claimed=found.claimed,
        recomputed=found.recomputed,
        fingerprints=dict(found.fingerprints),
        sketches=dict(found.sketches),
        content_sha256=sha256_of_json(hashes),
    )


def board_of(file: RunFile) -> str:
    """Hash of what runs have in common that can be compared."""
    data = file.data
    return sha256_of_json([data.config, data.content_sha256, file.protocol.key])


def _release_of(file: RunFile, releases: Sequence[Release]) -> Release:
    for release in releases:
        if release.manifest.release_id == file.data.release_id:
            return release
    taken = ", ".join(f"{own.manifest.name} ({own.manifest.release_id})" for own in releases)
    raise Refused(
        f"{RUN}, field data.release_id: scored on release {quoted(file.data.release_id)}; "
        f"taken are runs on {taken or 'none'}"
    )


def _found_by_child(folder: Path, release: Path, limits: Limits, scores: bool) -> _Found:
    request = {
        "folder": str(folder.resolve()),
        "release": str(release.resolve()),
        "scores": scores,
        "memory_bytes": limits.memory_bytes,
        "seconds": limits.seconds,
    }
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as told:
        status = _run_child(json.dumps(request).encode(), said, told, limits.seconds)
        said.seek(0)
        told.seek(0)
        data, detail = (
            said.read(_ANSWER_BYTES + 1),
            told.read(_DETAIL_BYTES).decode("utf-8", "replace"),
        )
    if status is None:
        raise Refused(f"checking it takes longer than {limits.seconds} seconds")
    if status or len(data) > _ANSWER_BYTES:
        raise Refused("the check of it broke off: its files are damaged or too large", detail)
    try:
        answer = _Answer.model_validate_json(data)
    except ValidationError as error:
        raise Refused("the check of it gave no answer", f"{error}\n{detail}") from None
    if answer.fault is not None:
        raise ShelfError(answer.fault)
    if answer.checked is None:
        raise Refused(answer.refused or "the check of it gave no answer", answer.detail)
    return answer.checked


def _run_child(request: bytes, said: Any, told: Any, seconds: int) -> int | None:
    """Status of the process, negative for a signal; None where it took too long."""
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    # The package as it is imported here, from wherever that is, and never from the current folder.
    paths = [str(Path(evaluate_shelf.__file__).resolve().parents[1])]
    environment.update({"PYTHONPATH": os.pathsep.join(paths), **_ONE_THREAD, **_FRUGAL})
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "evaluate_shelf.submissions.child"],
        stdin=subprocess.PIPE,
        stdout=said,
        stderr=told,
        env=environment,
        start_new_session=True,
    )
    try:
        process.communicate(request, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    except BrokenPipeError:
        process.wait(timeout=seconds)
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return process.returncode


def _check_answer(found: _Found, file: RunFile) -> None:
    """Refuse an answer that does not fit the run: the process that gave it read its files."""
    done = done_tasks(file)
    tasks = [
        list(dict.fromkeys(row.task for row in rows)) for rows in (found.claimed, found.recomputed)
    ]
    named = [list(found.fingerprints), list(found.sketches)]
    if tasks != [done, done] or named != [done, done]:
        raise Refused("scores.parquet: its tasks are not those that run.json calls done, in order")
