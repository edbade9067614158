"""The leaderboard flatters nobody: shared means, ranks from intervals, boards that do not mix."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.leaderboard.boards import boards
from evaluate_shelf.leaderboard.forms import as_csv, as_markdown, as_table, as_values
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.runs.schema import SCORES_SCHEMA, RunFile

Scores = dict[str, tuple[float, float, float]]


def run(name: str, scores: Scores, **changes: Any) -> Run:
    """A run with (value, low, high) by task."""
    tasks: dict[str, Any] = {task: {"status": "done", "seconds": 1.0} for task in scores}
    tasks.update(changes.get("tasks", {}))
    file = RunFile.model_validate(
        {
            "run_version": 1,
            "run_id": "0" * 12,
            "model": {
                "name": name,
                "spec": name,
                "kind": "encoder",
                "revision": "r",
                "settings": {},
                "parameters": None,
                "dimension": 3,
                "max_tokens": None,
            },
            "data": {
                "release_id": changes.get("release", "aaaa"),
                "release_name": "x",
                "config": "all",
                "content_sha256": {"all": changes.get("release", "aaaa")},
            },
            "protocol": {
                "id": changes.get("protocol", "shelf-1"),
                "version": 1,
                "key": changes.get("protocol", "k"),
            },
            "limit": changes.get("limit"),
            "seeds": {},
            "threads": {},
            "versions": {},
            "hardware": {},
            "tokens": None,
            "money_usd": None,
            "tasks": tasks,
            "files": {},
        }
    )
    rows = [
        {
            "task": task,
            "metric": "m",
            "primary": True,
            "value": value,
            "low": low,
            "high": high,
            "level": 0.95,
            "unit": "document",
            "n_units": 10,
            "n": 10,
            "chance_level": None,
        }
        for task, (value, low, high) in scores.items()
    ]
    return Run(Path("runs") / name, file, pa.Table.from_pylist(rows, schema=SCORES_SCHEMA))


A = {"lcc_classification": (0.8, 0.75, 0.85), "lcc_retrieval": (0.5, 0.45, 0.55)}


def test_a_model_without_a_task_is_not_flattered_by_leaving_it_out() -> None:
    weak = run("weak", {"lcc_retrieval": (0.6, 0.55, 0.65)})
    (board,) = boards([run("strong", A), weak])
    assert board.shared == ("lcc_retrieval",)
    means = {row.name: row.mean for row in board.rows}
    assert means == {"strong": 0.5, "weak": 0.6}
    assert {row.name: row.coverage for row in board.rows} == {"strong": 2, "weak": 1}


def test_no_task_in_common_gives_no_mean() -> None:
    (board,) = boards(
        [
            run("one", {"lcc_retrieval": (0.6, 0.55, 0.65)}),
            run("two", {"lcc_classification": (0.6, 0.55, 0.65)}),
        ]
    )
    assert board.shared == ()
    assert [row.mean for row in board.rows] == [None, None]


def test_controls_are_shown_and_kept_out_of_the_mean() -> None:
    scores = {**A, "register_clustering": (0.9, 0.8, 1.0)}
    (board,) = boards([run("one", scores)])
    assert "register_clustering" in {task.id for task in board.tasks}
    assert board.shared == ("lcc_retrieval", "lcc_classification")
    assert board.rows[0].mean == pytest.approx(0.65)


def test_ranks_count_the_models_whose_interval_lies_wholly_above() -> None:
    task = "lcc_retrieval"
    intervals = {
        "a": (0.70, 0.66, 0.74),
        "b": (0.68, 0.63, 0.72),
        "c": (0.60, 0.58, 0.62),
        "d": (0.40, 0.35, 0.45),
    }
    (board,) = boards([run(name, {task: interval}) for name, interval in intervals.items()])
    ranks = {row.name: (row.cells[task].rank, row.cells[task].tied) for row in board.rows}
    assert ranks == {"a": (1, True), "b": (1, True), "c": (3, False), "d": (4, False)}


@pytest.mark.parametrize(
    "change", [{"protocol": "shelf-1-balanced"}, {"release": "bbbb"}, {"limit": 50}]
)
def test_runs_that_cannot_be_compared_share_no_board(change: dict[str, Any]) -> None:
    found = boards([run("one", A), run("two", A, **change)])
    assert [[row.name for row in board.rows] for board in found] == [["one"], ["two"]] or [
        [row.name for row in board.rows] for board in found
    ] == [["two"], ["one"]]


def test_smoke_runs_come_last_and_say_so() -> None:
    found = boards([run("smoke", A, limit=50), run("whole", A)])
    assert [board.limit for board in found] == [None, 50]
    assert "smoke" in as_table(found[1]).lower()
    assert as_values(found[1])["comparable"] is False


def test_facet_and_formulation_restrict_the_tasks() -> None:
    scores = {**A, "form_classification": (0.2, 0.1, 0.3)}
    (board,) = boards([run("one", scores)], facet="subject", formulation="classification")
    assert [task.id for task in board.tasks] == ["lcc_classification"]
    for wrong in ({"facet": "colour"}, {"formulation": "guessing"}, {"facet": "audience"}):
        with pytest.raises(ShelfError):
            boards([run("one", scores)], **wrong)


def test_a_reason_stands_where_there_is_no_score() -> None:
    tasks = {"lcc_classification": {"status": "skipped", "reason": "no vectors"}}
    lacking = run("bm25", {"lcc_retrieval": (0.5, 0.4, 0.6)}, tasks=tasks)
    (board,) = boards([run("one", A), lacking])
    cell = next(row for row in board.rows if row.name == "bm25").cells["lcc_classification"]
    assert cell.value is None
    assert cell.reason == "skipped: no vectors"


def test_a_model_without_any_score_takes_no_mean_away() -> None:
    failed = run("broken", {}, tasks={"lcc_retrieval": {"status": "failed", "reason": "x"}})
    (board,) = boards([run("one", A), failed])
    assert [row.name for row in board.rows] == ["one"]
    assert board.rows[0].mean == pytest.approx(0.65)
    with pytest.raises(ShelfError):
        boards([failed])


def test_two_runs_of_one_name_can_be_told_apart() -> None:
    (board,) = boards([run("one", A), run("one", A)])
    assert all("one (run " in row.name for row in board.rows)


def test_csv_and_json_hold_every_score() -> None:
    found = boards([run("one", A), run("two", {"lcc_retrieval": (0.25, 0.2, 0.3)})])
    lines = list(csv.DictReader(io.StringIO(as_csv(found))))
    scores = {(line["model"], line["task"]): line["value"] for line in lines}
    assert scores == {
        ("one", "lcc_classification"): "0.8",
        ("one", "lcc_retrieval"): "0.5",
        ("two", "lcc_classification"): "",
        ("two", "lcc_retrieval"): "0.25",
    }
    value = json.loads(json.dumps(as_values(found[0]), allow_nan=False))
    assert value["rows"][0]["cells"]["lcc_retrieval"]["low"] == 0.45


@pytest.mark.parametrize("name", ["=1+1", "+cmd", "-2", "@x"])
def test_a_name_is_no_formula_in_a_spreadsheet(name: str) -> None:
    (line,) = csv.DictReader(
        io.StringIO(as_csv(boards([run(name, {"lcc_retrieval": A["lcc_retrieval"]})])))
    )
    assert line["model"] == f"'{name}"


def test_a_name_breaks_no_markdown_table() -> None:
    text = as_markdown(boards([run("a|b", A)])[0])
    rows = [line for line in text.splitlines() if line.startswith("| a")]
    assert len(rows) == 1
    assert rows[0].count(" | ") == text.splitlines()[2].count(" | ")


@pytest.mark.parametrize("width", [60, 100, 200])
def test_the_table_fits_its_width(width: int) -> None:
    lines = as_table(boards([run("one", A)])[0], width).splitlines()
    assert max(len(line) for line in lines) <= width
