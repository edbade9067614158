"""What a forger does to a run: change it, and cover that up with other hashes, ids and scores."""

from __future__ import annotations

import copy
import functools
import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evaluate_shelf.evaluation.request import Evaluation
from evaluate_shelf.evaluation.scoring import outcomes_of, score_rows
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.models.protocol import ModelIdentity
from evaluate_shelf.quickstart import CONFIG, shipped_release
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.folder import RUN, SCORES, write_parquet
from evaluate_shelf.runs.schema import SCORES_SCHEMA
from evaluate_shelf.submissions.contents import items_name

Contents = dict[str, bytes]
"""A run's files by name."""

_DATE = (1980, 1, 1, 0, 0, 0)

RETRIEVAL, LABELS, TOPICS, CLUSTERS, PAIRS = (
    "lcc_retrieval",
    "lcc_classification",
    "topic_classification",
    "lcc_clustering",
    "same_lcc_pairs",
)
TASKS = (RETRIEVAL, LABELS, TOPICS, CLUSTERS, PAIRS)
"""Tasks that a run has to have so that every attack has something to forge."""


def contents_of(folder: Path) -> Contents:
    """The files of a run."""
    run = json.loads((folder / RUN).read_bytes())
    return {name: (folder / name).read_bytes() for name in (RUN, *run["files"])}


def zipped(
    entries: Mapping[str, bytes] | Iterable[tuple[str, bytes]], *, deflated: bool = False
) -> bytes:
    """An archive of any names and bytes, in their order."""
    stream = io.BytesIO()
    pairs = entries.items() if isinstance(entries, Mapping) else entries
    with zipfile.ZipFile(stream, "w", allowZip64=True) as archive:
        for name, data in pairs:
            archive.writestr(entry(name, deflated=deflated), data)
    return stream.getvalue()


def entry(name: str, *, deflated: bool = False, mode: int = 0o100644) -> zipfile.ZipInfo:
    """An entry of an archive under any name."""
    info = zipfile.ZipInfo(name, _DATE)
    info.filename = name
    info.create_system, info.external_attr = 3, mode << 16
    info.compress_type = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
    return info


def run_of(contents: Contents) -> dict[str, Any]:
    """The value of `run.json`."""
    value: dict[str, Any] = json.loads(contents[RUN])
    return value


def with_run(contents: Contents, run: Mapping[str, Any]) -> Contents:
    """The same with another `run.json`, its keys in the order of the value."""
    return {**contents, RUN: json.dumps(run, indent=2).encode()}


def changed_run(contents: Contents, place: tuple[Any, ...], value: Any) -> Contents:
    """The same with another value at a place of `run.json`, and the id that follows from it."""
    run = copy.deepcopy(run_of(contents))
    inner = run
    for part in place[:-1]:
        inner = inner[part]
    inner[place[-1]] = value
    return with_run(contents, with_own_id(run))


def with_own_id(run: dict[str, Any]) -> dict[str, Any]:
    """A run's value with the id that its model, data and protocol give, where they give one."""
    model = run["model"]
    try:
        asked = Evaluation(_release(), run["data"]["config"], (), load_protocol(), Path())
        identity = ModelIdentity(
            model["name"], model["spec"], model["kind"], model["revision"], model["settings"]
        )
        return {**run, "run_id": asked.run_id(identity)}
    except (KeyError, TypeError, ValueError):
        return run


def resealed(contents: Contents) -> Contents:
    """The same with the hashes of the files as they now are."""
    run = run_of(contents)
    files = {name: _sha256(data) for name, data in contents.items() if name != RUN}
    return with_run(contents, {**run, "files": files})


def table_of(contents: Contents, name: str) -> pa.Table:
    """A Parquet file as a table."""
    return pq.read_table(io.BytesIO(contents[name]))


def parquet_of(table: pa.Table, **settings: Any) -> bytes:
    """A table as a Parquet file, in any way that Parquet has."""
    stream = io.BytesIO()
    pq.write_table(table, stream, **settings)
    return stream.getvalue()


def with_table(contents: Contents, name: str, table: pa.Table, folder: Path) -> Contents:
    """The same with another table, written as a run writes it, and resealed."""
    path = folder / "written.parquet"
    write_parquet(path, table)
    return resealed({**contents, name: path.read_bytes()})


def with_items(contents: Contents, task: str, items: pa.Table, folder: Path) -> Contents:
    """The same with other items of a task; scores stay as they are claimed."""
    return with_table(contents, items_name(task), items, folder)


def with_scores(contents: Contents, rows: list[dict[str, Any]], folder: Path) -> Contents:
    """The same with other rows of scores."""
    return with_table(contents, SCORES, pa.Table.from_pylist(rows, schema=SCORES_SCHEMA), folder)


def score_rows_of(contents: Contents) -> list[dict[str, Any]]:
    """The rows of `scores.parquet`."""
    rows: list[dict[str, Any]] = table_of(contents, SCORES).to_pylist()
    return rows


def rescored(contents: Contents, task: str, items: pa.Table, folder: Path) -> Contents:
    """The same with other items of a task and with the outcomes and scores that follow from them.

    Only a rule about the items themselves can tell such a run from an honest one.
    """
    named, data = task_named(task), data_of(task)
    outcome = outcomes_of(named, data, items)
    items = items.set_column(items.column_names.index("outcome"), "outcome", outcome)
    new = score_rows(named, data, items, load_protocol())
    old = score_rows_of(contents)
    place = next(number for number, row in enumerate(old) if row["task"] == task)
    kept = [row for row in old if row["task"] != task]
    forged = with_items(contents, task, items, folder)
    return with_scores(forged, [*kept[:place], *new, *kept[place:]], folder)


@functools.cache
def data_of(task: str) -> TaskData:
    """What a task of the release that ships reads."""
    named, release = task_named(task), _release()
    pairs = named.formulation == "pair_classification"
    config = release.pairs_of(CONFIG, named.config) if pairs else None
    return TaskData(release, config or CONFIG)


@functools.cache
def _release() -> Release:
    return Release.open(shipped_release())


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
