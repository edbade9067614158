"""Compute a run's scores again from what it kept."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation.request import read_configs
from evaluate_shelf.evaluation.scoring import outcomes_of, score_rows
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run, load_run


def rescored_differences(run_folder: Path, release_folder: Path) -> list[str]:
    """Compare a run's scores with those that its items and the release's labels give.

    Parameters
    ----------
    run_folder, release_folder : pathlib.Path
        A finished run, and the release that it was scored on.

    Returns
    -------
    list of str
        A line a score that differs; empty where all agree.

    Raises
    ------
    ShelfError
        If the run is from another release, its protocol has changed, or a file was changed.
    """
    run, release = load_run(run_folder), Release.open(release_folder)
    _check_release(run, release)
    if run.file.run_version < 2:
        raise ShelfError(
            f"{run_folder}: its items are in the form of an earlier version, which is no longer "
            "scored; evaluate the model again"
        )
    protocol = load_protocol(run.file.protocol.id)
    if (protocol.key, protocol.version) != (run.file.protocol.key, run.file.protocol.version):
        raise ShelfError(
            f"{run_folder}: it was made under version {run.file.protocol.version} of the protocol "
            f"{protocol.id!r}, which this installation does not have"
        )
    differences: list[str] = []
    for identity, record in run.file.tasks.items():
        if record.status != "done":
            continue
        task = task_named(identity)
        path = run.checked(f"items/{identity}.parquet")
        config = run.file.data.config
        if task.formulation == "pair_classification":
            config = release.pairs_of(config, task.config) or config
        data = TaskData(release, config, run.file.limit)
        try:
            items = pq.read_table(path)
            rows = score_rows(task, data, items, protocol)
            outcomes = outcomes_of(task, data, items)
        except (KeyError, ValueError, TypeError, IndexError, pa.ArrowException) as error:
            reason = one_line(f"{type(error).__name__}: {error}", 300)
            raise ShelfError(f"{path}: no score follows from it: {reason}") from error
        kept = [row for row in run.scores.to_pylist() if row["task"] == identity]
        if [row["metric"] for row in kept] != [row["metric"] for row in rows]:
            differences.append(f"{identity}: the run's metrics are not those of the task")
            continue
        differences.extend(
            f"{identity}, {new['metric']}, {field}: {old[field]} in the run, {new[field]} from its "
            "items"
            for old, new in zip(kept, rows, strict=True)
            for field in new
            if old[field] != new[field]
        )
        if not items["outcome"].combine_chunks().equals(outcomes):
            differences.append(f"{identity}: the items' outcomes are not those that follow")
    return differences


def _check_release(run: Run, release: Release) -> None:
    if run.file.data.config not in run.file.data.content_sha256:
        raise ShelfError(f"{run.folder}: its run.json does not say which rows it was scored on")
    missing = read_configs(release, run.file.data.config) - set(run.file.data.content_sha256)
    if missing:
        raise ShelfError(f"{run.folder}: its run.json does not say which rows of {min(missing)!r}")
    for config, digest in run.file.data.content_sha256.items():
        entry = release.manifest.configs.get(config)
        if entry is None or entry.content_sha256 != digest:
            raise ShelfError(
                f"{run.folder}: it was scored on release {run.file.data.release_id}, whose config "
                f"{config!r} is another than that of {release.folder} "
                f"(release {release.manifest.release_id})"
            )
