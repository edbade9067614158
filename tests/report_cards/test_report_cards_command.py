"""`shelf cards`: the published panel without runs, a folder's runs with and without a release."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
    # Who is not compared is said, once, and what takes it in.
    assert result.stderr.count("OGBert-110M Sentence") == 1
    assert "--panel all" in result.stderr


def test_runs_are_told_apart_by_tests_with_their_release(shelf: Shelf, runs: Path) -> None:
    alone, tested = (
        json.loads(shelf("cards", runs, "--panel", "all", "--json", *more).stdout)
        for more in ((), ("--data", shipped_release()))
    )
    assert [card["told_apart_by"] for card in (*alone, *tested)] == ["intervals", "tests"]
    assert {card["models"] for card in (*alone, *tested)} == {5}
    # The same weights five times are one model, which gives no verdict.
    result = shelf("cards", runs, "--json")
    (card,) = json.loads(result.stdout)
    assert (card["models"], card["verdict"]) == (1, None)
    # Each run that is left out is named by its folder.
    left_out = [line for line in result.stderr.splitlines() if line.startswith("left out")]
    assert len(left_out) == 4
    assert all(str(runs) in line and "--panel all" in line for line in left_out)


def test_csv_has_the_figures_of_json(shelf: Shelf, runs: Path) -> None:
    arguments = ("cards", runs, "--panel", "all")
    (row,) = csv.DictReader(io.StringIO(shelf(*arguments, "--csv").stdout))
    (values,) = json.loads(shelf(*arguments, "--json").stdout)
    assert set(row) == set(values)
    figures = {key: value for key, value in values.items() if isinstance(value, float)}
    assert {key: float(row[key]) for key in figures} == figures
    assert row["reason"] == values["reason"]


def changed(runs: Path, folder: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Copies of runs, with something else in their `run.json`."""
    copies = Path(shutil.copytree(runs, folder / "runs"))
    for file in copies.glob("*/*/run.json"):
        value = json.loads(file.read_text())
        change(value)
        file.write_text(json.dumps(value))
    return copies


def test_runs_of_another_release_are_told_apart_by_intervals(
    shelf: Shelf, runs: Path, tmp_path: Path
) -> None:
    other = changed(runs, tmp_path, lambda value: value["data"].__setitem__("release_id", "0" * 12))
    result = shelf("cards", other, "--panel", "all", "--data", shipped_release(), "--json")
    assert result.returncode == 0
    assert json.loads(result.stdout)[0]["told_apart_by"] == "intervals"
    assert "0" * 12 in result.stderr
    # One of the runs is named, and what to give.
    assert str(other) in result.stderr
    assert "give --data" in result.stderr


def test_runs_of_another_protocol_cannot_be_tested_and_the_way_round_is_said(
    shelf: Shelf, runs: Path, tmp_path: Path
) -> None:
    other = changed(runs, tmp_path, lambda value: value["protocol"].__setitem__("version", 1))
    assert shelf("cards", other).returncode == 0
    result = shelf("cards", other, "--panel", "all", "--data", shipped_release())
    assert result.returncode == 2
    assert str(other) in result.stderr
    assert "without --data" in result.stderr


def test_smoke_runs_are_named_with_what_makes_them_count(
    shelf: Shelf, runs: Path, tmp_path: Path
) -> None:
    smoke = changed(runs, tmp_path, lambda value: value.__setitem__("limit", 20))
    result = shelf("cards", smoke)
    assert (result.returncode, result.stdout) == (2, "")
    *left_out, last = result.stderr.strip().splitlines()
    assert len(left_out) == 5
    assert all(str(smoke) in line and "without --limit" in line for line in left_out)
    assert str(smoke) in last


@pytest.mark.parametrize(
    "arguments",
    [
        ("--data", "x"),
        ("no-such-folder",),
        ("--panel", "no-such-panel"),
        ("--csv", "--json"),
    ],
)
def test_bad_input_is_refused_in_one_line(shelf: Shelf, arguments: tuple[str, ...]) -> None:
    result = shelf("cards", *arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
