"""The results repository's own check: its status, and what it says of each run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from results_repo import TEMPLATE, loaded_check
from submitted_runs import copied_run

from evaluate_shelf.files import write_json
from evaluate_shelf.quickstart import shipped_release

DATA = ["--data", str(shipped_release())]


@pytest.fixture(scope="module")
def check() -> ModuleType:
    return loaded_check()


def test_runs_that_agree(
    check: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copied_run(tmp_path)
    copied_run(tmp_path, "bm25")
    assert check.main(DATA, tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["agrees", "agrees"]


def test_a_run_that_does_not_is_named_and_the_others_are_checked(
    check: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = copied_run(tmp_path, "bm25")
    good = copied_run(tmp_path)
    value = json.loads((bad / "run.json").read_text())
    write_json(bad / "run.json", {**value, "run_id": "0" * 12})
    assert check.main(DATA, tmp_path) == 1
    said = capsys.readouterr().out
    assert f"refused: runs/bm25/{bad.name}: run.json, field run_id" in said
    assert f"agrees: runs/wordllama/{good.name}" in said
    assert check.main([*DATA, str(good)], tmp_path) == 0


def test_a_new_run_is_compared_with_those_that_are_there(
    check: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = copied_run(tmp_path)
    value = json.loads((first / "run.json").read_text())
    value["model"]["name"] = "mine"
    again = tmp_path / "runs" / "mine" / first.name
    shutil.copytree(first, again)
    write_json(again / "run.json", value)
    assert check.main([*DATA, str(again)], tmp_path) == 0
    assert f"the same answers as wordllama (run {first.name}, " in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["file", "file above", "link", "name", "extra"])
def test_what_is_no_run_is_refused(check: ModuleType, tmp_path: Path, kind: str) -> None:
    run = copied_run(tmp_path)
    if kind == "file":
        (run.parent / "notes.txt").write_text("x")
    elif kind == "file above":
        (tmp_path / "runs" / "notes.txt").write_text("x")
    elif kind == "link":
        run.rename(tmp_path / "elsewhere")
        run.symlink_to(tmp_path / "elsewhere")
    elif kind == "name":
        run.rename(run.with_name("0" * 12))
    else:
        (run / "model.pkl").write_bytes(b"x")
    assert check.main(DATA, tmp_path) == 1


def test_a_wrong_command_has_a_status_of_its_own(check: ModuleType, tmp_path: Path) -> None:
    run = copied_run(tmp_path)
    assert check.main([*DATA, str(run.parent / "none")], tmp_path) == 2
    assert check.main(["--data", str(tmp_path), str(run)], tmp_path) == 2
    assert check.main(DATA, tmp_path / "empty") == 2
    with pytest.raises(SystemExit) as stopped:
        check.main([], tmp_path)
    assert stopped.value.code == 2


def test_the_template_is_a_repository_of_the_hub(check: ModuleType) -> None:
    text = (TEMPLATE / "README.md").read_text()
    front = yaml.safe_load(text.split("---")[1])
    assert front["license"]
    assert [config["data_files"] for config in front["configs"]] == ["runs/*/*/scores.parquet"]
    assert check.main(DATA, TEMPLATE) == 2
