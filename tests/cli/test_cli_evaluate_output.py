"""What `shelf evaluate` prints: the scores that were asked for, once, whatever was refused."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from shelf_process import Shelf

from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.runs.reading import load_runs

BROKEN = """
import numpy as np

class Nan:
    def encode(self, texts, *, role):
        return np.full((len(texts), 2), np.nan)

class Short:
    def encode(self, texts, *, role):
        return np.ones((len(texts) - 1, 3))
"""


def evaluated(shelf: Shelf, *arguments: str) -> subprocess.CompletedProcess[str]:
    return shelf("evaluate", *arguments, "--data", shipped_release(), "--no-rates")


def tables(output: str) -> dict[str, list[list[str]]]:
    """Words of each line below each table's heading, by model."""
    found: dict[str, list[list[str]]] = {}
    for block in output.strip().split("\n\n"):
        title, _, *rows = block.splitlines()
        name = title.partition(" on ")[0]
        assert name not in found
        found[name] = [row.split() for row in rows]
    return found


def test_a_refused_model_hides_no_other(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "mymodel.py").write_text(BROKEN)
    models = ["mymodel:Nan", "bm25", "mymodel:Short", "tf"]
    result = evaluated(shelf, *models, "--task", "lcc_retrieval")
    assert result.returncode == 2
    assert list(tables(result.stdout)) == ["bm25", "tf"]
    runs = [line for line in result.stderr.splitlines() if line.startswith("run: ")]
    assert len(runs) == 2
    *_, first, second = result.stderr.splitlines()
    assert first.startswith("shelf: model 'mymodel:Nan'")
    assert second.startswith("shelf: model 'mymodel:Short'")
    as_json = evaluated(shelf, *models, "--task", "lcc_retrieval", "--json")
    assert as_json.returncode == 2
    assert [run["model"]["name"] for run in json.loads(as_json.stdout)] == ["bm25", "tf"]


def test_a_model_that_is_named_twice_is_shown_once(shelf: Shelf) -> None:
    result = evaluated(shelf, "bm25", "bm25", "--task", "lcc_retrieval")
    assert result.returncode == 0, result.stderr
    assert list(tables(result.stdout)) == ["bm25"]
    assert result.stderr.count("run: ") == 1


def test_only_the_tasks_that_were_asked_for_are_shown(shelf: Shelf, tmp_path: Path) -> None:
    assert evaluated(shelf, "bm25", "--facet", "form").returncode == 0
    result = evaluated(shelf, "bm25", "--task", "form_retrieval")
    assert [row[0] for row in tables(result.stdout)["bm25"]] == ["form_retrieval"]
    (run,) = load_runs(tmp_path / "runs")
    assert len(run.file.tasks) > 1


def test_a_task_that_was_skipped_is_named_again(shelf: Shelf) -> None:
    for _ in range(2):
        result = evaluated(shelf, "bm25", "--task", "lcc_classification", "--task", "lcc_retrieval")
        assert tables(result.stdout)["bm25"][-1][:2] == ["skipped:", "lcc_classification;"]


@pytest.mark.parametrize("task", ["lcc_retrieval", "same_lcc_pairs", "topic_classification"])
def test_all_metrics_are_those_of_the_run(shelf: Shelf, tmp_path: Path, task: str) -> None:
    shown = tables(evaluated(shelf, "wordllama", "--task", task, "--all-metrics").stdout)
    (run,) = load_runs(tmp_path / "runs")
    scores = {row["metric"]: f"{row['value']:.4f}" for row in run.scores.to_pylist()}
    assert len(scores) > 1
    assert {row[1]: row[2] for row in shown["wordllama"] if row[0] == task} == scores
