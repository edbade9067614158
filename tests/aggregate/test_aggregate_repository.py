"""A results repository: strangers' runs have no rank, but for those that its list names."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from shelf_process import shelf_in
from stored_runs import written_run

from evaluate_shelf.aggregate.file import read_aggregate
from evaluate_shelf.aggregate.results_repository import (
    LARGEST,
    VERIFIED,
    read_standings,
    repository_of,
)
from evaluate_shelf.aggregate.schema import Aggregate
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from space.serving.sources import source_of


def repository(folder: Path, *listed: dict[str, Any]) -> Path:
    """One with runs of the models `one` and `two`."""
    for name in ("one", "two"):
        place = folder / "runs" / name / ("0" * 12)
        place.mkdir(parents=True)
        written_run(place, name, {"lcc_retrieval": 0.5, "lcc_clustering": 0.4})
    listing(folder, *listed)
    return folder


def listing(folder: Path, *listed: dict[str, Any]) -> None:
    (folder / VERIFIED).write_text(yaml.safe_dump(list(listed)), encoding="utf-8")


def entry(folder: Path, name: str, **changes: Any) -> dict[str, Any]:
    [place] = (folder / "runs" / name).iterdir()
    return {
        "run_id": place.name,
        "sha256": sha256_of_file(place / "run.json"),
        "status": "verified",
        "who": "maria",
        "when": "2026-11-30",
        **changes,
    }


def aggregated(folder: Path, *more: str | Path) -> tuple[Aggregate, str]:
    done = shelf_in(folder)(
        "leaderboard", folder / "runs", "--aggregate", "a.json", "--no-reported", *more
    )
    assert done.returncode == 0, done.stderr
    return read_aggregate(folder / "a.json"), done.stderr


def statuses(found: Aggregate) -> dict[str, str]:
    return {row.name: row.status for board in found.boards for row in board.rows}


def ranked(found: Aggregate) -> set[str]:
    [board] = found.boards
    return {row.name for row in board.rows for cell in row.cells if len(cell) > 1 and cell[3]}


def test_a_run_of_a_repository_has_a_rank_only_if_its_list_names_it(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    found, _ = aggregated(folder)
    assert statuses(found) == {"one": "unverified", "two": "unverified"}
    assert ranked(found) == set()
    for status in ("verified", "computed"):
        listing(folder, entry(folder, "two", status=status))
        found, _ = aggregated(folder)
        assert statuses(found) == {"one": "unverified", "two": status}
        assert ranked(found) == {"two"}
        # What is served of the folder is the same.
        assert statuses(source_of(str(folder)).first()) | statuses(found) == statuses(
            source_of(str(folder)).first()
        )


def test_a_repository_whose_list_was_taken_away_ranks_nobody(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    (folder / VERIFIED).unlink()
    (folder / "check.py").write_text("")
    found, said = aggregated(folder)
    assert ranked(found) == set()
    assert VERIFIED in said


def test_runs_of_a_folder_of_ones_own_are_computed(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    (folder / VERIFIED).unlink()
    found, _ = aggregated(folder)
    assert statuses(found) == {"one": "computed", "two": "computed"}
    listing(folder / "runs", entry(folder, "one"))
    found, _ = aggregated(folder, "--statuses", folder / "runs" / VERIFIED)
    assert ranked(found) == {"one"}


def test_a_run_that_was_changed_since_is_unverified_and_the_entry_named(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    listing(folder, entry(folder, "one"))
    [file] = folder.glob("runs/one/*/run.json")
    value = json.loads(file.read_text())
    file.write_text(json.dumps({**value, "money_usd": 0.5}))
    found, said = aggregated(folder)
    assert ranked(found) == set()
    assert "SHA-256" in said


def test_a_copy_under_another_name_does_not_take_a_verified_runs_place(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    listing(folder, entry(folder, "two"))
    copy = folder / "runs" / "0 first" / ("0" * 12)
    shutil.copytree(next((folder / "runs" / "two").iterdir()), copy)
    value = json.loads((copy / "run.json").read_text())
    value["model"] |= {"name": "0 first"}
    (copy / "run.json").write_text(json.dumps(value))
    found, said = aggregated(folder)
    assert ranked(found) == {"two"}
    assert "0 first" not in statuses(found)
    assert "more of the same model" in said


def test_what_was_measured_anew_is_shown(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    measured = {"kind": "encoder", "parameters": 33, "documents_per_second": 12.5}
    listing(folder, entry(folder, "one", measured=measured), entry(folder, "two"))
    found, _ = aggregated(folder)
    rows = {row.name: row for row in found.boards[0].rows}
    assert (rows["one"].facts_from, rows["one"].documents_per_second) == ("re-run", 12.5)
    assert (rows["two"].facts_from, rows["two"].documents_per_second) == ("nobody", None)
    assert [found.models[rows[name].model].parameters for name in ("one", "two")] == [33, None]


def test_a_repository_is_found_from_within(tmp_path: Path) -> None:
    folder = repository(tmp_path / "repository").resolve()
    run = next((folder / "runs" / "one").iterdir())
    for place in (folder, folder / "runs", folder / "runs" / "one", run):
        assert repository_of(place) == folder
    (folder / "others").mkdir()
    assert repository_of(folder / "others") is None
    assert repository_of(tmp_path) is None


def test_an_empty_list_is_one(tmp_path: Path) -> None:
    file = tmp_path / VERIFIED
    file.write_text("# nothing yet\n[]\n")
    assert read_standings(file) == ()


Change = Callable[[dict[str, Any]], Any]
WRONG: dict[str, Change] = {
    "an unknown status": lambda own: [{**own, "status": "trusted"}],
    "no hash": lambda own: [{**own, "sha256": "0" * 63}],
    "nobody": lambda own: [{**own, "who": ""}],
    "no day": lambda own: [{**own, "when": "soon"}],
    "an unknown field": lambda own: [{**own, "rank": 1}],
    "a measurement that cannot be": lambda own: [
        {**own, "measured": {"kind": "encoder", "parameters": -1}}
    ],
    "a run twice": lambda own: [own, {**own, "status": "computed"}],
    "no list": lambda own: own,
    "too much": lambda own: "x" * (LARGEST + 1),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_list_that_is_none_is_refused(tmp_path: Path, what: str) -> None:
    folder = repository(tmp_path)
    file = folder / VERIFIED
    file.write_text(yaml.safe_dump(WRONG[what](entry(folder, "one"))), encoding="utf-8")
    with pytest.raises(ShelfError, match=VERIFIED):
        read_standings(file)
