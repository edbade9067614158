"""`shelf export-mteb` and `shelf export-eval-results`."""

from __future__ import annotations

from pathlib import Path

import pytest
from shelf_process import Shelf, shelf_in

from evaluate_shelf import evaluate
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.runs.reading import Run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs")
    [found] = evaluate("bm25", shipped_release(), tasks="lcc_retrieval", runs=folder)
    return found


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return shelf_in(tmp_path)


def test_each_command_writes_what_it_names(run: Run, shelf: Shelf, tmp_path: Path) -> None:
    for arguments in (
        ("export-mteb", run.folder, "--out", "m", "--name", "owner/bm25"),
        ("export-eval-results", run.folder, "--out", "e", "--dataset", "owner/SHELF"),
    ):
        done = shelf(*arguments)
        assert (done.returncode, done.stderr) == (0, "")
        paths = done.stdout.splitlines()
        assert paths
        assert all((tmp_path / path).is_file() for path in paths)


def test_bad_input_is_named_without_a_traceback(run: Run, shelf: Shelf, tmp_path: Path) -> None:
    for arguments in (
        ("export-mteb", tmp_path / "none", "--out", "m"),
        ("export-mteb", run.folder, "--out", "m", "--name", "bm25"),
        ("export-eval-results", run.folder, "--out", "e", "--dataset", "SHELF"),
    ):
        done = shelf(*arguments)
        assert done.returncode == 2
        assert done.stdout == ""
        assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "m").exists()
    assert not (tmp_path / "e").exists()
