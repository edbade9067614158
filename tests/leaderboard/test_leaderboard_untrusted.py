"""What strangers can write into a run is refused when it is read."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file, write_json
from evaluate_shelf.runs.folder import read_run, write_parquet
from evaluate_shelf.runs.reading import load_run
from evaluate_shelf.runs.schema import SCORES_SCHEMA

ROW = {
    "task": "lcc_retrieval",
    "metric": "ndcg_at_10",
    "primary": True,
    "value": 0.5,
    "low": 0.4,
    "high": 0.6,
    "level": 0.95,
    "unit": "document",
    "n_units": 10,
    "n": 10,
    "chance_level": None,
}


def write(folder: Path, change: dict[str, Any], row: dict[str, Any] | None = None) -> Path:
    """A finished run whose `run.json` is changed at dotted places."""
    write_parquet(
        folder / "scores.parquet", pa.Table.from_pylist([row or ROW], schema=SCORES_SCHEMA)
    )
    value: dict[str, Any] = {
        "run_version": 1,
        "run_id": "0" * 12,
        "model": {
            "name": "m",
            "spec": "m",
            "kind": "encoder",
            "revision": "r",
            "settings": {},
            "parameters": None,
            "dimension": None,
            "max_tokens": None,
        },
        "data": {
            "release_id": "a",
            "release_name": "a",
            "config": "all",
            "content_sha256": {"all": "a"},
        },
        "protocol": {"id": "shelf-1", "version": 1, "key": "k"},
        "limit": None,
        "seeds": {},
        "threads": {},
        "versions": {},
        "hardware": {},
        "tokens": None,
        "money_usd": None,
        "tasks": {"lcc_retrieval": {"status": "done", "reason": None, "seconds": 1.0}},
        "files": {"scores.parquet": sha256_of_file(folder / "scores.parquet")},
    }
    for place, new in change.items():
        part = value
        *path, last = place.split("/")
        for key in path:
            part = part[key]
        part[last] = copy.deepcopy(new)
    write_json(folder / "run.json", value)
    return folder


def test_an_honest_run_is_read(tmp_path: Path) -> None:
    assert load_run(write(tmp_path, {})).file.model.name == "m"


@pytest.mark.parametrize(
    "change",
    [
        {"run_version": 3},
        {"model/name": "\x1b[2Jgone"},
        {"model/name": "two\nlines"},
        {"model/name": "\u202eright to left"},
        {"model/name": "n" * 10_000},
        {"model/name": 7},
        {"data/config": "../../etc"},
        {"files": {"../outside.parquet": "0"}},
        {"files": {"/etc/passwd": "0"}},
        {"tasks/lcc_retrieval/status": "brilliant"},
        {"tasks/lcc_retrieval/reason": "x" * 5000},
        {"surprise": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_run_of_another_form_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    with pytest.raises(ShelfError, match=r"run\.json"):
        read_run(write(tmp_path, change))


@pytest.mark.parametrize("column", ["value", "low", "high", "chance_level"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1.5])
def test_a_score_that_is_none_is_refused(tmp_path: Path, column: str, value: float) -> None:
    with pytest.raises(ShelfError, match=column):
        load_run(write(tmp_path, {}, {**ROW, column: value}))


@pytest.mark.parametrize("column", ["documents_per_second", "low", "high"])
@pytest.mark.parametrize("value", [1e12, 1e308])
def test_a_rate_that_no_machine_has_is_refused(tmp_path: Path, column: str, value: float) -> None:
    rate: dict[str, Any] = {
        "documents_per_second": 10.0,
        "low": 9.0,
        "high": 11.0,
        "level": 0.95,
        "documents": 1000,
        "repeats": 3,
        "max_tokens": 512,
        "batch_size": 32,
    }
    assert read_run(write(tmp_path, {"rate": rate})).rate is not None
    with pytest.raises(ShelfError, match=column):
        read_run(write(tmp_path, {"rate": {**rate, column: value}}))


@pytest.mark.parametrize("text", ["", "[]", "{", "null", json.dumps({"run_version": 1})])
def test_a_run_json_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(ShelfError, match=r"run\.json"):
        read_run(tmp_path)
