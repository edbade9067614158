"""The command, as a user runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from shelf_process import Shelf, shelf_in

from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.transfer_matrix import read_matrix

QUICK = f"quick={shipped_release()}:all"


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return shelf_in(tmp_path)


def test_help_has_an_example(shelf: Shelf) -> None:
    result = shelf("transfer-matrix", "--help")
    assert result.returncode == 0
    assert "Example: shelf " in result.stdout


def test_results_go_to_standard_output_and_files(shelf: Shelf, tmp_path: Path) -> None:
    result = shelf("transfer-matrix", QUICK, "--words", "20", "--json", "--out", "m.json")
    assert result.returncode == 0, result.stderr
    matrix = read_matrix(tmp_path / "m.json")
    assert json.loads(result.stdout) == matrix.model_dump(mode="json")
    assert (matrix.settings.words, matrix.model.spec) == (20, "tfidf-full")
    again = shelf("transfer-matrix", QUICK, "--words", "20")
    assert "every cell is there" in again.stderr
    assert f"{matrix.cells[0].macro_f1:.3f}" in again.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["quick"],
        [f"{QUICK}x"],
        [QUICK, QUICK],
        [QUICK, "--words", "0"],
        [QUICK, "--size", "half"],
        [QUICK, "--out", "m.pdf"],
        [QUICK, "--model", "bm25"],
    ],
)
def test_what_a_user_gets_wrong(shelf: Shelf, arguments: list[str], tmp_path: Path) -> None:
    result = shelf("transfer-matrix", *arguments)
    assert result.returncode == 2
    assert result.stderr.strip()
    assert "Traceback" not in result.stderr
    assert not result.stdout
    assert not list(tmp_path.glob("m.*"))


@pytest.mark.slow
def test_an_interrupt_leaves_whole_cells(tmp_path: Path) -> None:
    """Stopped at its first cell, the same command ends with what an undisturbed one has."""
    arguments = [QUICK, f"core={shipped_release()}:v0_4_core", "--work", "work", "--json"]
    whole = shelf_in(tmp_path / "whole")
    (tmp_path / "whole").mkdir()
    expected = whole("transfer-matrix", *arguments).stdout
    folder = tmp_path / "stopped"
    folder.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "evaluate_shelf", "transfer-matrix", *arguments],
        cwd=folder,
        env={**os.environ, "SHELF_CACHE": str(folder / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not list((folder / "work").glob("*.json")) and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "goes on where it stopped" in said
    assert not list((folder / "work").glob(".*"))
    assert 0 < len(list((folder / "work").glob("*.json"))) < 4
    assert shelf_in(folder)("transfer-matrix", *arguments).stdout == expected
