"""A run as `.eval_results/*.yaml`, the entries of a model's repository on the Hub."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.export.refusals import primary_rows, refuse_smoke_run, write_once
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.runs.names import safe_name
from evaluate_shelf.runs.reading import Run

_DATASET = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_URL = re.compile(r"https://[^\s<>\"]{1,500}")


def export_eval_results(
    run: Run, out: Path, dataset: str, *, revision: str | None = None, source: str | None = None
) -> Path:
    """Write a run's primary scores as the Hub's entries: one number a task.

    A task is named as in the release's `eval.yaml`, `<task>.<config>`. Tasks that are at chance by
    nature are no entry there, and none here. The form has no place for a metric, an interval or a
    protocol, so they stand in the notes.

    Parameters
    ----------
    run : Run
        A finished run under the default protocol.
    out : pathlib.Path
        The model's repository, or where its files are put together; the entries go to
        `.eval_results/shelf-<config>.yaml` below it.
    dataset : str
        The release's repository, `owner/name`.
    revision : str, default=None
        Its commit, 40 hexadecimal digits.
    source : str, default=None
        An https address where the run can be seen.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    ShelfError
        If it is a smoke run, has no score or is under another protocol, an argument is not of
        its form, or another file stands there already.
    """
    refuse_smoke_run(run)
    _refuse_other_protocols(run)
    for pattern, value, what in (
        (_DATASET, dataset, "--dataset: owner/name is needed"),
        (_COMMIT, revision, "--revision: a commit of 40 hexadecimal digits is needed"),
        (_URL, source, "--source: an https address is needed"),
    ):
        if value is not None and not pattern.fullmatch(value):
            raise ShelfError(f"{what}, not {value!r:.200}")
    path = out / ".eval_results" / f"shelf-{safe_name(run.file.data.config)}.yaml"
    entries = list(_entries(run, dataset, revision, source))
    text = yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, width=100)
    write_once(path, text)
    return path


def _entries(
    run: Run, dataset: str, revision: str | None, source: str | None
) -> Iterator[dict[str, Any]]:
    tasks = load_tasks()
    for row in primary_rows(run):
        task = tasks.get(row["task"])
        if task is None or task.control:
            continue
        of = {"id": dataset, "task_id": f"{task.id}.{run.file.data.config}"}
        yield {
            "dataset": of if revision is None else {**of, "revision": revision},
            "value": row["value"],
            **({} if source is None else {"source": {"url": source, "name": "SHELF run"}}),
            "notes": _notes(run, row),
        }


def _notes(run: Run, row: dict[str, Any]) -> str:
    parts = [row["metric"]]
    if row["low"] is not None:
        parts.append(f"{100 * row['level']:.0f} % interval {row['low']:.4f} to {row['high']:.4f}")
    if row["chance_level"] is not None:
        parts.append(f"chance {row['chance_level']:.4f}")
    protocol = run.file.protocol
    parts += [f"{protocol.id}, version {protocol.version}", f"run {run.file.run_id}"]
    return "; ".join(parts)


def _refuse_other_protocols(run: Run) -> None:
    default = load_protocol()
    named = run.file.protocol
    if (named.id, named.version, named.key) != (default.id, default.version, default.key):
        raise ShelfError(
            f"{run.folder}: its protocol is {run.file.protocol.id}, version "
            f"{run.file.protocol.version}; the Hub has one score a task, and it is that of "
            f"{default.id}, version {default.version}"
        )
