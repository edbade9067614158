"""Which runs have scores that may stand beside others'."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing
from evaluate_shelf.registry.tasks import task
from evaluate_shelf.runs.reading import Run


def refuse_smoke_run(run: Run) -> None:
    """Refuse a run over some of the documents.

    Raises
    ------
    ShelfError
        If it is one.
    """
    if run.file.limit is not None:
        raise ShelfError(
            f"{run.folder}: a smoke run over {run.file.limit} documents a split is comparable "
            "with no other and is not exported"
        )


def primary_rows(run: Run) -> Iterator[dict[str, Any]]:
    """The row of each task's primary metric, in the order of `scores.parquet`.

    Raises
    ------
    ShelfError
        If the run has no score, or one of a task that this version does not know.
    """
    rows = [row for row in run.scores.to_pylist() if row["primary"]]
    if not rows:
        raise ShelfError(f"{run.folder}: the run has no score; run.json says why")
    for row in rows:
        task(row["task"])
    yield from rows


def write_once(path: Path, text: str) -> None:
    """Write a file; another one that stands there already is not overwritten.

    Raises
    ------
    ShelfError
        If there is one with other contents.
    """
    data = text.encode("utf-8")
    if path.exists():
        if path.is_file() and path.read_bytes() == data:
            return
        raise ShelfError(f"{path}: other results stand there; remove them or choose another --out")
    with replacing(path) as temporary:
        temporary.write_bytes(data)
