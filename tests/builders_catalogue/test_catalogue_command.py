"""`shelf import-marc` and `shelf import-table`, as a user runs them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from made_library import SOUND
from marc_samples import utf8
from shelf_process import Shelf

from evaluate_shelf.release.manifest import read_manifest
from evaluate_shelf.release.verification import verify_release


@pytest.mark.parametrize("command", ["import-marc", "import-table"])
def test_help_has_an_example(shelf: Shelf, command: str) -> None:
    shown = shelf(command, "--help")
    assert shown.returncode == 0
    assert f"Example: shelf {command}" in shown.stdout


def test_json_is_all_of_standard_output_and_words_are_on_the_other(
    shelf: Shelf, files: list[Path], tmp_path: Path
) -> None:
    shown = shelf("import-marc", *files, "--out", "ours", "--json")
    assert shown.returncode == 0, shown.stderr
    report = json.loads(shown.stdout)
    own = json.loads((tmp_path / "ours/reports/records.json").read_text("utf-8"))
    assert report == {
        "release": str(tmp_path / "ours"),
        "release_id": read_manifest(tmp_path / "ours").release_id,
        **own,
    }
    for words in ("two.xml, record 16 (x6)", "too thin to use, class V", "in the corpus: 35"):
        assert words in shown.stderr


def test_a_table_is_imported_verified_and_scored(shelf: Shelf, tmp_path: Path) -> None:
    lines = [f"{c} {n},{c}{n}" for c in ("QA", "HB") for n in range(1, 8)]
    (tmp_path / "books.csv").write_text("Title,Number\n" + "\n".join(lines) + "\n")
    columns = ["--column", "title=Title", "--column", "lcc=Number"]
    imported = shelf("import-table", "books.csv", *columns, "--out", "ours")
    assert imported.returncode == 0, imported.stderr
    assert read_manifest(tmp_path / "ours").release_id in imported.stdout
    assert shelf("verify", "ours").returncode == 0
    scored = shelf("evaluate", "tfidf", "--data", "ours", "--json")
    assert scored.returncode == 0, scored.stderr
    tasks = json.loads(scored.stdout)[0]["tasks"]
    assert sorted(task for task, own in tasks.items() if own["status"] == "done") == [
        "lcc_classification",
        "lcc_clustering",
        "lcc_retrieval",
        "same_lcc_pairs",
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ["import-marc", "few.mrc", "--out", "out"],
        ["import-marc", "few.mrc", "--out", "out", "--name", "all"],
        ["import-marc", "absent.mrc", "--out", "out"],
        ["import-marc", "books.csv", "--out", "out"],
        ["import-table", "few.mrc", "--column", "title=T", "--column", "lcc=L", "--out", "out"],
        ["import-table", "books.csv", "--column", "title=Nope", "--column", "lcc=LCC",
         "--out", "out"],
        ["import-table", "books.csv", "--column", "colour=LCC", "--out", "out"],
    ],
)  # fmt: skip
def test_bad_input_is_one_line_without_traceback_and_nothing_is_written(
    shelf: Shelf, tmp_path: Path, arguments: list[str]
) -> None:
    (tmp_path / "few.mrc").write_bytes(utf8(SOUND[0]))
    (tmp_path / "books.csv").write_text("Title,LCC\nBees,QL568\n")
    shown = shelf(*arguments)
    assert shown.returncode == 2
    assert shown.stdout == ""
    assert "Traceback" not in shown.stderr
    assert len(shown.stderr.strip().splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["books.csv", "few.mrc"]


@pytest.mark.slow
def test_a_killed_import_leaves_no_half_release_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "books.mrc"
    path.write_bytes(b"".join(map(utf8, SOUND)) * 40)
    command = [sys.executable, "-m", "evaluate_shelf", "import-marc", str(path), "--out", "ours"]
    environment = {**os.environ, "SHELF_CACHE": str(tmp_path / "cache")}

    def start(folder: Path) -> subprocess.Popen[bytes]:
        folder.mkdir(exist_ok=True)
        return subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    whole = tmp_path / "whole"
    began = time.monotonic()
    assert start(whole).wait() == 0
    seconds = time.monotonic() - began
    expected = verify_release(whole / "ours").release_id
    killed = 0
    for moment in (0.4, 0.7, 0.9):
        folder = tmp_path / f"moment-{moment}"
        process = start(folder)
        try:
            process.wait(timeout=moment * seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
        if (folder / "ours").exists():
            verify_release(folder / "ours")
        assert start(folder).wait() == 0
        assert verify_release(folder / "ours").release_id == expected
        assert [own.name for own in folder.iterdir()] == ["ours"]
    assert killed, "no import was interrupted; the moments are too late"
