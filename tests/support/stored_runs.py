"""Small finished runs with any name and scores, and a store with a clock that a test moves."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from made_runs import run as made_run

from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.runs.folder import write_parquet
from evaluate_shelf.submissions.job_records import Target
from evaluate_shelf.submissions.records import Passed, Submission
from evaluate_shelf.submissions.store import Store

TARGET = Target("aaaa", "all", "k")
TASKS = ("lcc_retrieval", "lcc_clustering")
DIGEST = "d" * 64
"""Of an archive that is sent."""


@dataclass
class Clock:
    """Seconds since 1970, as a test sets them."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += seconds


def store_in(folder: Path, clock: Callable[[], float] | None = None) -> Store:
    """A new store whose time stands still."""
    return Store.create(folder, clock or Clock())


def written_run(
    folder: Path,
    name: str = "owner/name",
    scores: Mapping[str, float] | None = None,
    **model: object,
) -> Path:
    """Write a finished run whose primary scores are these; `model` changes what it says of it."""
    values = scores or dict.fromkeys(TASKS, 0.5)
    made = made_run(name, {task: (value, value, value) for task, value in values.items()})
    rows = made.scores.to_pylist()
    metrics = {"lcc_retrieval": "ndcg_at_10", "lcc_clustering": "ari"}
    for row in rows:
        row["metric"] = metrics[row["task"]]
    write_parquet(folder / "scores.parquet", pa.Table.from_pylist(rows, schema=made.scores.schema))
    file = made.file.model_dump(mode="json")
    file["model"] |= {"revision": "0" * 40} | model
    file["files"] = {"scores.parquet": sha256_of_file(folder / "scores.parquet")}
    (folder / "run.json").write_text(json.dumps(file), encoding="utf-8")
    return folder


def sending(run: Path) -> Callable[[Path], object]:
    """What fills a folder with a run's files."""

    def fill(folder: Path) -> None:
        for path in run.rglob("*"):
            if path.is_file():
                target = folder / path.relative_to(run)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())

    return fill


def passes(_: Path) -> Passed:
    """A check that refuses nothing and points nothing out."""
    return Passed()


def sent(store: Store, run: Path, user: str = "ann", **how: object) -> Submission:
    """What becomes of a run that somebody sends to a store."""
    settings = {"digest": DIGEST, "user": user, "check": passes, **how}
    return store.receive(sending(run), **settings)  # type: ignore[arg-type]
