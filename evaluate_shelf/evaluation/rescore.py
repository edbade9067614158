"""Compute a run's scores again from what it kept."""

from __future__ import annotations

from pathlib import Path

from evaluate_shelf.evaluation.kept import (
    check_can_be_scored,
    config_read,
    items_path,
    protocol_of,
    scoring,
)
from evaluate_shelf.evaluation.scoring import outcomes_of, score_rows
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import load_run


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
    check_can_be_scored(run, release)
    protocol = protocol_of(run)
    differences: list[str] = []
    for identity, record in run.file.tasks.items():
        if record.status != "done":
            continue
        task = task_named(identity)
        data = TaskData(release, config_read(run, release, task), run.file.limit)
        with scoring(items_path(run, task)) as items:
            rows = score_rows(task, data, items, protocol)
            outcomes = outcomes_of(task, data, items)
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
