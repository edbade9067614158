"""A run whose classes can be assigned, checked against its release."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.data import TaskData, checked_items
from evaluate_shelf.registry.protocols import Protocol, load_protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.release.documents import Release
from evaluate_shelf.release.manifest import read_manifest
from evaluate_shelf.release.source import release_folder
from evaluate_shelf.runs.reading import Run, load_run

TASK = "lcc_classification"
"""The task whose classes are assigned."""

_ITEMS = f"items/{TASK}.parquet"


@dataclass(frozen=True)
class ScoredRun(Run):
    """A finished run with what is needed to fit its classifier again.

    Attributes
    ----------
    folder, file, scores
        As of every `Run`.
    task : Task
        `lcc_classification`.
    protocol : Protocol
        The one that it was made under.
    data : TaskData
        The release's config that it was scored on.
    predicted : list of str
        The run's class of each test document, in the release's order.
    probability : list of float
        That class's probability.
    """

    task: Task
    protocol: Protocol
    data: TaskData
    predicted: list[str]
    probability: list[float]


def open_scored_run(folder: Path, data: str) -> ScoredRun:
    """Read a run and the release that it was scored on.

    Parameters
    ----------
    folder : pathlib.Path
        `runs/MODEL/RUN_ID`.
    data : str
        A release folder or a Hub dataset id. Of a Hub repository only the run's config is
        downloaded, and only if its rows are the run's.

    Returns
    -------
    ScoredRun

    Raises
    ------
    ShelfError
        If the run is unfinished, a smoke run, changed, without `lcc_classification`, or made
        under another version of its protocol; or the release is another one.
    """
    run = load_run(folder)
    file = run.file
    _check_task(run)
    protocol = load_protocol(file.protocol.id)
    if protocol.key != file.protocol.key:
        raise ShelfError(
            f"{folder}: it was made under version {file.protocol.version} of the protocol "
            f"{protocol.id!r}, which this installation does not have"
        )
    if protocol.text != "full":
        raise ShelfError(
            f"{folder}: its classifier learnt from {protocol.text} texts; apply one that read "
            "whole texts"
        )
    _check_release(run, release_folder(data))
    place = release_folder(data, [file.data.config])
    # Once more: of a Hub repository this may be a newer snapshot.
    _check_release(run, place)
    task_data = TaskData(Release.open(place), file.data.config)
    predicted, probability = _predictions(run, task_data)
    return ScoredRun(
        folder=folder,
        file=file,
        scores=run.scores,
        task=task_named(TASK),
        protocol=protocol,
        data=task_data,
        predicted=predicted,
        probability=probability,
    )


def _check_task(run: Run) -> None:
    folder, file = run.folder, run.file
    if file.limit is not None:
        raise ShelfError(
            f"{folder}: a smoke run over {file.limit} documents a split; evaluate the model "
            "without --limit and apply that run"
        )
    if file.run_version < 2:
        raise ShelfError(f"{folder}: a run of an earlier version; evaluate the model again")
    record = file.tasks.get(TASK)
    if record is None:
        raise ShelfError(
            f"{folder}: {TASK} is not part of this run of {file.model.name}; run "
            f"`shelf evaluate {file.model.spec} --task {TASK}` with its release and config first"
        )
    if record.status != "done":
        raise ShelfError(
            f"{folder}: {file.model.name} cannot assign classes: {TASK} was {record.status}: "
            f"{record.reason}"
        )


def _check_release(run: Run, place: Path) -> None:
    manifest, scored_on = read_manifest(place), run.file.data
    config = scored_on.config
    entry = manifest.configs.get(config)
    if entry is None or entry.content_sha256 != scored_on.content_sha256.get(config):
        raise ShelfError(
            f"{run.folder}: it was scored on release {scored_on.release_id}, whose config "
            f"{config!r} is another than that of {place} (release {manifest.release_id})"
        )


def _predictions(run: Run, data: TaskData) -> tuple[list[str], list[float]]:
    path = run.checked(_ITEMS)
    try:
        columns = ["row", "predicted", "probability"]
        items = checked_items(data.test, pq.read_table(path, columns=columns))
        predicted = items["predicted"].cast(pa.string()).to_pylist()
        probability = items["probability"].cast(pa.float64()).to_pylist()
    except (KeyError, ValueError, TypeError, pa.ArrowException) as error:
        reason = one_line(f"{type(error).__name__}: {error}", 300)
        raise ShelfError(f"{path}: no predictions can be read: {reason}") from error
    if None in predicted or None in probability:
        raise ShelfError(f"{path}: a test document has no class or no probability")
    return predicted, probability
