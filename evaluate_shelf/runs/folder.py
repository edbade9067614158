"""A run's folder while tasks are added to it: resumable, and whole or unfinished."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing, sha256_of_file, write_json
from evaluate_shelf.printable import brief
from evaluate_shelf.runs.schema import SCORES_SCHEMA, RateRecord, RunFile, TaskRecord

RUN = "run.json"
SCORES = "scores.parquet"
# A run of all tasks has about 30 kB.
_LARGEST_RUN = 16 * 2**20


class RunFolder:
    """The folder `runs/<model slug>/<run id>`.

    A task's item rows are written first and its entry in `progress/` second; an entry without
    its item rows does not count. `finish` writes `scores.parquet` and, last of all, `run.json`.

    Parameters
    ----------
    path : pathlib.Path
        The folder; it need not be there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def settled(self) -> set[str]:
        """Ids of the tasks that need not run again: done or skipped, and whole on disk."""
        return {task for task, e in self._entries().items() if e["record"]["status"] != "failed"}

    def records(self) -> dict[str, TaskRecord]:
        """How each task that was recorded ended."""
        return {t: TaskRecord.model_validate(e["record"]) for t, e in self._entries().items()}

    def rate(self) -> RateRecord | None:
        """The rate that a finished run of this folder has, if it was measured."""
        return read_run(self.path).rate if self._is_whole() else None

    def is_finished(self) -> bool:
        """Whether the run is whole, and nothing waits to be added to it."""
        return self._is_whole() and not self._progress.is_dir()

    def _is_whole(self) -> bool:
        """Whether `run.json` is there and names the files as they are."""
        try:
            files = read_run(self.path).files
        except ShelfError:
            return False
        return all(_same_file(self.path / name, digest) for name, digest in files.items())

    def record(
        self, task: str, record: TaskRecord, items: pa.Table | None, scores: list[dict[str, Any]]
    ) -> None:
        """Keep a task's outcome: its item rows, then its scores."""
        self._keep_finished_tasks()
        digest = None
        if items is not None:
            write_parquet(self.path / _items(task), items)
            digest = sha256_of_file(self.path / _items(task))
        entry = {"record": record.model_dump(), "items_sha256": digest, "scores": scores}
        write_json(self._progress / f"{task}.json", entry)

    def finish(self, header: dict[str, Any], order: Sequence[str]) -> RunFile:
        """Write `scores.parquet` and `run.json` over all tasks that were recorded.

        Parameters
        ----------
        header : dict
            Everything of `run.json` but tasks and files.
        order : sequence of str
            Task ids in the registry's order, which is the order of the rows.

        Returns
        -------
        RunFile
            What was written.
        """
        entries = self._entries()
        ids = [task for task in order if task in entries]
        scores = [row for task in ids for row in entries[task]["scores"]]
        write_parquet(self.path / SCORES, pa.Table.from_pylist(scores, schema=SCORES_SCHEMA))
        files = {SCORES: sha256_of_file(self.path / SCORES)}
        for task in ids:
            if entries[task]["items_sha256"]:
                files[_items(task)] = entries[task]["items_sha256"]
        run = RunFile.model_validate(
            {**header, "tasks": {t: entries[t]["record"] for t in ids}, "files": files}
        )
        write_json(self.path / RUN, run.model_dump(mode="json"))
        shutil.rmtree(self._progress, ignore_errors=True)
        # What a death in the middle of a write left behind.
        for left in self.path.rglob(".*.tmp"):
            left.unlink(missing_ok=True)
        return run

    def discard_if_empty(self) -> None:
        """Remove a folder in which no task was recorded."""
        if self.path.is_dir() and not self._entries():
            shutil.rmtree(self.path)
            if not any(self.path.parent.iterdir()):
                self.path.parent.rmdir()

    @property
    def _progress(self) -> Path:
        return self.path / "progress"

    def _entries(self) -> dict[str, dict[str, Any]]:
        """Task id to what was recorded, from `progress/` or else from the finished run."""
        entries = self._finished_entries()
        for path in sorted(self._progress.glob("*.json")):
            entry = _read_entry(path)
            if entry is not None:
                entries[path.stem] = entry
        return {
            task: entry
            for task, entry in entries.items()
            if entry["items_sha256"] is None
            or _same_file(self.path / _items(task), entry["items_sha256"])
        }

    def _finished_entries(self) -> dict[str, dict[str, Any]]:
        if not self._is_whole():
            return {}
        run = read_run(self.path)
        rows = pq.read_table(self.path / SCORES).to_pylist()
        return {
            task: {
                "record": record.model_dump(),
                "items_sha256": run.files.get(_items(task)),
                "scores": [row for row in rows if row["task"] == task],
            }
            for task, record in run.tasks.items()
        }

    def _keep_finished_tasks(self) -> None:
        """Copy a finished run's entries to `progress/` before the first new task.

        So a death between the new `scores.parquet` and the new `run.json` loses nothing.
        """
        if self._progress.is_dir():
            return
        for task, entry in self._finished_entries().items():
            write_json(self._progress / f"{task}.json", entry)


def read_run(folder: Path) -> RunFile:
    """Read a run's `run.json`.

    Raises
    ------
    ShelfError
        If it is missing or not of the form that this version reads.
    """
    path = folder / RUN
    if not path.is_file():
        raise ShelfError(
            f"{folder}: no {RUN}, so this is no finished run; finish it with `shelf evaluate`, or "
            "name another folder"
        )
    size = path.stat().st_size
    if size > _LARGEST_RUN:
        raise ShelfError(f"{path}: {size:,} bytes are more than {_LARGEST_RUN:,}, so no {RUN}")
    try:
        return RunFile.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"]) or "the file"
    value = "" if first["type"] == "missing" else f", got {brief(first['input'])}"
    raise ShelfError(f"{path}: {place}: {first['msg']}{value}; {how_to_mend(folder)}")


def how_to_mend(folder: Path) -> str:
    """What to do with a run of which a file is damaged, as the end of a message."""
    return f"remove {folder} and evaluate the model again"


def write_parquet(path: Path, table: pa.Table) -> None:
    """Write a table so that the same rows give the same bytes with the same pyarrow."""
    # The bytes of float32 apart from each other compress to half: a ranking's scores are alike.
    split = dict.fromkeys(_float32_leaves(table.schema), "BYTE_STREAM_SPLIT")
    whole = [field.name for field in table.schema if not _is_float32(field.type)]
    with replacing(path) as temporary:
        pq.write_table(
            table,
            temporary,
            compression="zstd",
            row_group_size=10_000,
            use_dictionary=whole,
            column_encoding=split or None,
        )


def _float32_leaves(schema: pa.Schema) -> list[str]:
    """Names that Parquet gives to the columns of float32, and of lists of it."""
    return [
        f"{field.name}.list.element" if field.type.num_fields else field.name
        for field in schema
        if _is_float32(field.type)
    ]


def _is_float32(kind: pa.DataType) -> bool:
    return bool((kind.value_type if pa.types.is_fixed_size_list(kind) else kind) == pa.float32())


def _read_entry(path: Path) -> dict[str, Any] | None:
    """An entry of `progress/`; None where it is damaged, so that the task runs again."""
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        TaskRecord.model_validate(entry["record"])
        return {name: entry[name] for name in ("record", "items_sha256", "scores")}
    except (ValueError, TypeError, KeyError):
        return None


def _items(task: str) -> str:
    return f"items/{task}.parquet"


def _same_file(path: Path, digest: str) -> bool:
    return path.is_file() and sha256_of_file(path) == digest
