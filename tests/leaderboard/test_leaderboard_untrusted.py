"""What strangers can write into a run is refused when it is read."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from written_run import SCORE, write_run

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.runs.folder import read_run
from evaluate_shelf.runs.reading import load_run


def write(folder: Path, change: dict[str, Any], row: dict[str, Any] | None = None) -> Path:
    """A finished run of the first version whose `run.json` is changed at dotted places."""

    def changed(value: dict[str, Any]) -> None:
        for place, new in {"run_version": 1, **change}.items():
            part = value
            *path, last = place.split("/")
            for key in path:
                part = part[key]
            part[last] = copy.deepcopy(new)

    write_run(folder, changed, row or SCORE)
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
        load_run(write(tmp_path, {}, {**SCORE, column: value}))


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
