"""Runs that cannot be broken down, and what the two commands make of it."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from breakdown_oracles import forge_items
from shelf_process import Shelf

from evaluate_shelf.diagnostics.breakdown.attribution import attribution
from evaluate_shelf.diagnostics.breakdown.breakdown import breakdown
from evaluate_shelf.diagnostics.breakdown.results import as_values
from evaluate_shelf.diagnostics.breakdown.words import attribution_text, breakdown_text
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.folder import write_parquet
from evaluate_shelf.runs.reading import load_run


def test_reported_scores_have_no_parts(made) -> None:
    reported = replace(made.run, reported="a paper")
    with pytest.raises(ShelfError, match="reported"):
        breakdown(reported, made.release, "lcc_classification", "length")


def test_another_release_is_refused(made) -> None:
    with pytest.raises(ShelfError):
        breakdown(made.run, Release.open(shipped_release()), "lcc_classification", "length")


@pytest.mark.parametrize(
    ("task", "by", "named"),
    [
        ("lcc_classification", "colour", "colour"),
        ("lcc_clasification", "length", "lcc_classification"),
        ("register_classification", "length", "register_classification"),
    ],
)
def test_what_is_unknown_or_was_not_run_is_named(made, task, by, named) -> None:
    with pytest.raises(ShelfError, match=named):
        breakdown(made.run, made.release, task, by)


@pytest.fixture
def copied(made, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made.run_folder, tmp_path / "run"))


def test_changed_items_are_refused(made, copied: Path) -> None:
    path = copied / "items" / "lcc_classification.parquet"
    write_parquet(path, pq.read_table(path).slice(1))
    with pytest.raises(ShelfError, match=r"lcc_classification\.parquet"):
        breakdown(load_run(copied), made.release, "lcc_classification", "length")


@pytest.mark.parametrize("task", ["lcc_classification", "lcc_retrieval", "same_lcc_pairs"])
def test_forged_items_are_refused_as_rescore_refuses_them(made, copied: Path, task: str) -> None:
    table = pq.read_table(copied / "items" / f"{task}.parquet")
    forge_items(copied, task, table.slice(1))
    with pytest.raises(ShelfError, match="row"):
        breakdown(load_run(copied), made.release, task, "length")


def test_a_forged_outcome_changes_nothing(made, copied: Path) -> None:
    table = pq.read_table(copied / "items" / "lcc_retrieval.parquet")
    perfect = pa.array([1.0] * len(table), pa.float64())
    column = table.column_names.index("outcome")
    forge_items(copied, "lcc_retrieval", table.set_column(column, "outcome", perfect))
    arguments = (made.release, "lcc_retrieval", "length")
    assert breakdown(load_run(copied), *arguments) == breakdown(made.run, *arguments)


def test_the_command_prints_what_the_function_gives(made, shelf: Shelf) -> None:
    asked = ("--data", made.folder, "--by", "length", "--task", "lcc_classification")
    result = shelf("breakdown", made.run_folder, *asked, "--json")
    assert result.returncode == 0
    expected = as_values(breakdown(made.run, made.release, "lcc_classification", "length"))
    assert json.loads(result.stdout) == json.loads(json.dumps([expected]))
    text = shelf("breakdown", made.run_folder, *asked).stdout
    assert all(stratum["name"] in text for stratum in expected["strata"])


def test_without_a_task_all_of_the_run_are_shown_or_named(made, shelf: Shelf) -> None:
    result = shelf("breakdown", made.run_folder, "--data", made.folder, "--by", "class", "--json")
    assert result.returncode == 0
    shown = {one["task"] for one in json.loads(result.stdout)}
    assert {"lcc_classification", "lcc_retrieval"} <= shown
    assert shown.isdisjoint({"lcc_clustering", "same_lcc_pairs"})
    assert "lcc_clustering" in result.stderr
    assert "same_lcc_pairs" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("--by", "relation", "--task", "lcc_clustering"),
        ("--by", "length", "--task", "nothing"),
        ("--by", "colour"),
    ],
)
def test_wrong_input_ends_with_status_2_and_no_traceback(made, shelf: Shelf, arguments) -> None:
    result = shelf("breakdown", made.run_folder, "--data", made.folder, *arguments)
    assert result.returncode == 2
    assert not result.stdout
    assert "Traceback" not in result.stderr


def test_attribution_on_the_command_line(made, shelf: Shelf) -> None:
    found = json.loads(shelf("attribution", made.folder, "--json").stdout)
    assert sum(map(sum, found["confusion"])) == found["n_test"]
    families = shelf("attribution", shipped_release(), "--families")
    assert families.returncode == 0
    assert "nothing to tell apart" in families.stdout


def test_pairs_have_no_generators(made, shelf: Shelf) -> None:
    wrong = shelf("attribution", made.folder, "--config", "same_lcc_pairs")
    assert wrong.returncode == 2
    assert "Traceback" not in wrong.stderr


@pytest.mark.parametrize("command", ["breakdown", "attribution"])
def test_the_commands_have_an_example(shelf: Shelf, command: str) -> None:
    assert f"Example: shelf {command}" in shelf(command, "--help").stdout


def test_texts_for_a_terminal_hold_nothing_that_moves_its_cursor(made) -> None:
    strange = "\x1b[2J\u202e\x9b1A"
    found = breakdown(made.run, made.release, "lcc_retrieval", "relation")
    forged = replace(
        found,
        model=strange,
        config=strange,
        definition=strange,
        notes=(strange,),
        strata=tuple(replace(own, name=strange, reason=strange) for own in found.strata),
    )
    told = attribution(made.release)
    writers = tuple(replace(one, name=strange) for one in told.writers)
    of_one = replace(told, writers=writers, config=strange, unit=strange, most_frequent=strange)
    for text in (breakdown_text(forged), attribution_text(of_one)):
        assert text.replace("\n", "").isprintable()


def test_one_of_a_thing_is_no_plural(made) -> None:
    found = breakdown(made.run, made.release, "lcc_retrieval", "relation")
    one = replace(found, in_none=1, whole=replace(found.whole, n=1))
    told = attribution(made.release)
    single = replace(
        told, unnamed=1, straddling=1, n_train=1, n_units=1, writers=told.writers[:1], reason="x"
    )
    for text in (breakdown_text(one), attribution_text(single)):
        plurals = "items|documents|training documents|generators|families|units|are"
        assert not re.search(rf"(?<![\d,])1 ({plurals})\b", text)
