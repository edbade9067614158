"""The paths that a user walks: quickstart, evaluate, leaderboard, rescore, space."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from shelf_process import Shelf

from evaluate_shelf.quickstart import shipped_release

TASKS = ["--config", "all", "--task", "lcc_retrieval", "--task", "same_lcc_pairs"]


@pytest.mark.slow
def test_quickstart_ends_in_a_leaderboard_of_every_model(shelf: Shelf, tmp_path: Path) -> None:
    result = shelf("quickstart")
    assert result.returncode == 0, result.stderr
    for name in ("tf", "tfidf", "bm25", "wordllama"):
        assert name in result.stdout
    for task in ("lcc_retrieval", "lcc_classification", "lcc_clustering", "same_lcc_pairs"):
        assert task in result.stdout
    assert "shelf space" in result.stderr
    board = json.loads(shelf("leaderboard", "runs", "--format", "json").stdout)[0]
    assert len(board["tasks"]) == 5
    formulations = {task["formulation"] for task in board["tasks"].values()}
    assert len(formulations) == 5
    # Built anew, the release has the contents of the one that ships, so every run still stands.
    again = shelf("quickstart", "--build")
    assert again.returncode == 0, again.stderr
    assert again.stdout == result.stdout


def test_the_shipped_release_is_whole(shelf: Shelf) -> None:
    result = shelf("verify", shipped_release())
    assert result.returncode == 0, result.stderr


def test_evaluate_then_leaderboard_in_every_form(shelf: Shelf) -> None:
    result = shelf("evaluate", "bm25", "wordllama", "--data", shipped_release(), *TASKS, "--json")
    assert result.returncode == 0, result.stderr
    runs = json.loads(result.stdout)
    assert [run["model"]["name"] for run in runs] == ["bm25", "wordllama"]
    values = json.loads(shelf("leaderboard", "runs", "--format", "json").stdout)
    rows = list(csv.DictReader(io.StringIO(shelf("leaderboard", "runs", "--format", "csv").stdout)))
    # The published scores on the same config come behind, and can be hidden.
    assert {row["origin"] for row in rows[4:]} == {"reported"}
    assert {row["config"] for row in rows} == {"all"}
    hidden = shelf("leaderboard", "runs", "--format", "csv", "--no-reported").stdout
    rows = list(csv.DictReader(io.StringIO(hidden)))
    assert [row["origin"] for row in rows] == ["computed"] * 4
    for row in values[0]["rows"]:
        for task, cell in row["cells"].items():
            (line,) = [r for r in rows if r["model"] == row["name"] and r["task"] == task]
            assert float(line["value"]) == cell["value"]
    assert "wordllama" in shelf("leaderboard", "runs", "--format", "md").stdout
    assert "wordllama" in shelf("leaderboard", "runs").stdout


def test_a_smoke_run_is_marked(shelf: Shelf) -> None:
    result = shelf("evaluate", "bm25", "--data", shipped_release(), *TASKS, "--limit", "40")
    assert result.returncode == 0, result.stderr
    assert "not comparable" in result.stderr
    assert "SMOKE" in shelf("leaderboard", "runs").stdout


def test_an_unfinished_run_is_named_and_not_counted(shelf: Shelf, tmp_path: Path) -> None:
    assert shelf("evaluate", "bm25", "--data", shipped_release(), *TASKS).returncode == 0
    (folder,) = (tmp_path / "runs" / "bm25").iterdir()
    (tmp_path / "runs" / "other" / "0123" / "progress").mkdir(parents=True)
    result = shelf("leaderboard", "runs")
    assert result.returncode == 0
    assert "other" in result.stderr
    assert "other" not in result.stdout
    (folder / "scores.parquet").write_bytes(b"forged")
    assert shelf("leaderboard", "runs").returncode == 2


def test_one_damaged_run_hides_no_other_and_is_healed(shelf: Shelf, tmp_path: Path) -> None:
    evaluate = ["evaluate", "bm25", "wordllama", "--data", shipped_release(), *TASKS]
    assert shelf(*evaluate).returncode == 0
    (run,) = (tmp_path / "runs" / "bm25").glob("*/run.json")
    run.write_text("{")
    result = shelf("leaderboard", "runs")
    assert result.returncode == 0
    assert "wordllama" in result.stdout
    assert "run.json" in result.stderr
    assert shelf(*evaluate).returncode == 0
    assert "bm25" in shelf("leaderboard", "runs").stdout


def test_what_a_model_prints_does_not_mix_with_results(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "chatty.py").write_text(
        "import numpy as np\n"
        "class Model:\n"
        "    def encode(self, texts, *, role):\n"
        "        print('hello')\n"
        "        return np.array([[len(t), 1] for t in texts], dtype=np.float32)\n"
    )
    result = shelf("evaluate", "chatty:Model", "--data", shipped_release(), *TASKS, "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)[0]["model"]["name"] == "chatty:Model"
    assert "hello" in result.stderr


def test_rescore_notices_forged_items(shelf: Shelf, tmp_path: Path) -> None:
    assert shelf("evaluate", "bm25", "--data", shipped_release(), *TASKS).returncode == 0
    (folder,) = (tmp_path / "runs" / "bm25").iterdir()
    assert shelf("rescore", folder, "--data", shipped_release()).returncode == 0
    (folder / "items" / "lcc_retrieval.parquet").write_bytes(b"forged")
    result = shelf("rescore", folder, "--data", shipped_release())
    assert result.returncode == 2
    assert "lcc_retrieval" in result.stderr
