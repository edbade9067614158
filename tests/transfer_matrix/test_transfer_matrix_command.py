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


@pytest.mark.parametrize("option", ["--out", "--work"])
@pytest.mark.parametrize("place", ["file/m.json", "/proc/m.json", "x" * 250 + "/../{long}.json"])
def test_what_cannot_be_written_is_refused_before_the_work(
    shelf: Shelf, tmp_path: Path, option: str, place: str
) -> None:
    if place.startswith("/proc") and not Path("/proc/self").exists():
        pytest.skip("no /proc, which takes no file of root's either")
    (tmp_path / "file").write_text("not a folder")
    given = place.format(long="y" * 260)
    result = shelf("transfer-matrix", QUICK, option, given)
    assert result.returncode == 2
    assert option in result.stderr
    assert not result.stdout
    assert "Traceback" not in result.stderr
    assert "macro-F1" not in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_what_is_there_stays_until_there_is_something_better(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text("an earlier matrix")
    assert shelf("transfer-matrix", QUICK, "--out", "m.json", "--model", "bm25").returncode == 2
    assert (tmp_path / "m.json").read_text() == "an earlier matrix"


def test_a_folder_is_no_file_to_write(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "m.json").mkdir()
    result = shelf("transfer-matrix", QUICK, "--out", "m.json")
    assert result.returncode == 2
    assert "m.json: is a folder" in result.stderr
    assert not (tmp_path / "cache" / "transfer-matrix").exists()


def test_the_table_is_printed_before_a_full_disk_is_met(shelf: Shelf, tmp_path: Path) -> None:
    """The limit on a file's size stands for a disk that is full once the work is done."""
    pytest.importorskip("resource")
    arguments = ["transfer-matrix", QUICK, "--words", "20", "--json"]
    expected = shelf(*arguments).stdout
    limited = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); "
        "from evaluate_shelf.cli import main; main()"
    )
    result = subprocess.run(
        [sys.executable, "-c", limited, *arguments, "--out", "m.json"],
        cwd=tmp_path,
        env={**os.environ, "SHELF_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert result.stdout == expected
    assert "m.json: not written" in result.stderr
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.glob("*m.json*"))


def test_a_reader_that_has_gone_away_costs_no_file(shelf: Shelf, tmp_path: Path) -> None:
    arguments = ["transfer-matrix", QUICK, "--words", "20", "--json"]
    expected = shelf(*arguments).stdout
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as nobody:
        result = subprocess.run(
            [sys.executable, "-m", "evaluate_shelf", *arguments, "--out", "m.json"],
            cwd=tmp_path,
            env={**os.environ, "SHELF_CACHE": str(tmp_path / "cache")},
            stdout=nobody,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert "Traceback" not in result.stderr
    assert (tmp_path / "m.json").read_text(encoding="utf-8") == expected


def test_a_damaged_cell_is_said_on_standard_error(shelf: Shelf, tmp_path: Path) -> None:
    arguments = ["transfer-matrix", QUICK, "--words", "20", "--work", "work"]
    expected = shelf(*arguments).stdout
    (file,) = (tmp_path / "work").iterdir()
    file.write_text('{"cell": {"macro_f1": 2}}\x1b[2J', encoding="utf-8")
    result = shelf(*arguments)
    assert (result.returncode, result.stdout) == (0, expected)
    assert file.name in result.stderr
    assert "damaged" in result.stderr
    assert "\x1b" not in result.stderr
    assert "damaged" not in shelf(*arguments).stderr


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
