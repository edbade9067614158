"""Every command explains itself, and help loads nothing heavy."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from shelf_process import Shelf

from evaluate_shelf.cli.app import app

COMMANDS = tuple(command.name or "" for command in app.registered_commands)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(shelf: Shelf, command: str) -> None:
    result = shelf(command, "--help")
    assert result.returncode == 0
    assert "Example: shelf " in result.stdout


def test_help_names_every_command(shelf: Shelf) -> None:
    result = shelf("--help")
    assert result.returncode == 0
    assert all(command in result.stdout for command in COMMANDS)


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['shelf', '--help']\n"
        "from evaluate_shelf.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'pyarrow', 'sklearn', 'scipy', 'torch', 'datasets', 'gradio', "
        "'pydantic', 'rich', 'pandas', 'huggingface_hub', 'yaml'}\n"
        "sys.stderr.write(repr(sorted(heavy & set(sys.modules))))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stderr == "[]"


def test_tasks_are_listed_as_json_with_metric_and_chance(shelf: Shelf) -> None:
    tasks = {task["id"]: task for task in json.loads(shelf("tasks", "--json").stdout)}
    assert len(tasks) == 34
    assert tasks["lcc_classification"]["primary_metric"] == "macro_f1"
    assert tasks["lcc_classification"]["chance_level"] == pytest.approx(1 / 21)
    assert tasks["lcc_clustering"]["primary_metric"] == "ari"


def test_models_and_doctor_answer_in_both_forms(shelf: Shelf) -> None:
    assert {model["model"] for model in json.loads(shelf("models", "--json").stdout)} >= {
        "tf",
        "tfidf",
        "bm25",
        "wordllama",
    }
    assert "tfidf" in shelf("models").stdout
    report = json.loads(shelf("doctor", "--json").stdout)
    assert report["libraries"]["numpy"]
    assert set(report["checkout"]) == {"builders", "space"}
    assert "numpy" in shelf("doctor").stdout
