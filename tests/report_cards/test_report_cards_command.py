"""`shelf cards`: the published panel without runs, a folder's runs with and without a release."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from finished_runs import finished_runs
from shelf_process import Shelf, shelf_in

from evaluate_shelf.quickstart import shipped_release


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return shelf_in(tmp_path_factory.mktemp("cards"))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("computed")
    models = ("wordllama", *(f"wordllama,dim={size}" for size in (128, 64, 32, 16)))
    finished_runs(folder, models, "same_lcc_pairs")
    return folder / "runs"


def test_the_published_panel_is_what_it_reads_without_runs(shelf: Shelf) -> None:
    result = shelf("cards", "--json")
    assert result.returncode == 0
    cards = json.loads(result.stdout)
    assert {card["config"] for card in cards} == {"all", "transfer_gutenberg", "transfer_lcshbench"}
    assert all(card["agrees"] for card in cards)
    # Who is not compared is said, once.
    assert result.stderr.count("OGBert-110M Sentence") == 1


def test_runs_are_told_apart_by_tests_with_their_release(shelf: Shelf, runs: Path) -> None:
    alone, tested = (
        json.loads(shelf("cards", runs, "--panel", "all", "--json", *more).stdout)
        for more in ((), ("--data", shipped_release()))
    )
    assert [card["told_apart_by"] for card in (*alone, *tested)] == ["intervals", "tests"]
    assert {card["models"] for card in (*alone, *tested)} == {5}
    # The same weights five times are one model, which gives no verdict.
    (card,) = json.loads(shelf("cards", runs, "--json").stdout)
    assert (card["models"], card["verdict"]) == (1, None)


def test_runs_of_another_release_are_told_apart_by_intervals(
    shelf: Shelf, runs: Path, tmp_path: Path
) -> None:
    other = Path(shutil.copytree(runs, tmp_path / "runs"))
    for file in other.glob("*/*/run.json"):
        value = json.loads(file.read_text())
        value["data"]["release_id"] = "0" * 12
        file.write_text(json.dumps(value))
    result = shelf("cards", other, "--panel", "all", "--data", shipped_release(), "--json")
    assert result.returncode == 0
    assert json.loads(result.stdout)[0]["told_apart_by"] == "intervals"
    assert "0" * 12 in result.stderr


@pytest.mark.parametrize(
    "arguments", [("--data", "x"), ("no-such-folder",), ("--panel", "no-such-panel")]
)
def test_bad_input_is_refused_in_one_line(shelf: Shelf, arguments: tuple[str, ...]) -> None:
    result = shelf("cards", *arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
