"""The template's check of the list of runs that maintainers stand for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from results_repo import TEMPLATE, loaded_check
from submitted_runs import copied_run

from evaluate_shelf.aggregate.results_repository import VERIFIED, read_standings
from evaluate_shelf.files import write_json
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.runs.reading import load_run

DATA = ["--data", str(shipped_release())]


@pytest.fixture(scope="module")
def check() -> ModuleType:
    return loaded_check()


def again(run: Path, folder: Path) -> Path:
    """The same run as another machine has it: slower."""
    other = folder / "again" / run.name
    shutil.copytree(run, other)
    value = json.loads((other / "run.json").read_text())
    value["rate"] = value["rate"] and {**value["rate"], "documents_per_second": 12.5}
    write_json(other / "run.json", value)
    return other


def test_the_template_has_a_list_without_runs() -> None:
    assert read_standings(TEMPLATE / VERIFIED) == ()


def test_a_run_made_anew_gives_an_entry_that_holds_while_the_run_does(
    check: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = copied_run(tmp_path)
    asked = [*DATA, "--again", str(again(run, tmp_path)), "--who", "maria", str(run)]
    assert check.main(asked, tmp_path) == 0
    first, _, rest = capsys.readouterr().out.partition("\n")
    assert first.startswith("agrees")
    (tmp_path / VERIFIED).write_text(rest)
    [entry] = read_standings(tmp_path / VERIFIED)
    assert (entry.run_id, entry.status, entry.who) == (run.name, "verified", "maria")
    assert entry.measured is not None
    assert entry.measured.dimension == load_run(run).file.model.dimension
    assert check.main(DATA, tmp_path) == 0
    value = json.loads((run / "run.json").read_text())
    write_json(run / "run.json", {**value, "money_usd": 3.0})
    capsys.readouterr()
    assert check.main(DATA, tmp_path) == 1
    assert f"refused: {VERIFIED}" in capsys.readouterr().out


def test_a_run_of_another_model_verifies_nothing(
    check: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, other = copied_run(tmp_path), copied_run(tmp_path / "other", "bm25")
    asked = [*DATA, "--again", str(other), "--who", "maria", str(run)]
    assert check.main(asked, tmp_path) == 1
    assert "refused" in capsys.readouterr().out


def test_a_run_under_the_string_of_another_model_is_not_verified(
    check: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = copied_run(tmp_path)
    honest = again(run, tmp_path)
    value = json.loads((honest / "run.json").read_text())
    value["model"]["spec"] = "st:minilm"
    write_json(honest / "run.json", value)
    asked = [*DATA, "--again", str(honest), "--who", "maria", str(run)]
    assert check.main(asked, tmp_path) == 1
    assert "the model's string" in capsys.readouterr().out


def test_a_list_that_is_none_and_half_a_question_are_wrong(
    check: ModuleType, tmp_path: Path
) -> None:
    run = copied_run(tmp_path)
    (tmp_path / VERIFIED).write_text(yaml.safe_dump([{"run_id": "x"}]))
    assert check.main(DATA, tmp_path) == 2
    assert check.main([*DATA, "--again", str(run), str(run)], tmp_path) == 2
    assert check.main([*DATA, "--who", "maria", str(run)], tmp_path) == 2
