"""The file: bytes, bounds, and what the form refuses."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loopback_hub import Repository, hub_environment, loopback_hub
from shelf_process import shelf_in

from evaluate_shelf.aggregate import file as file_module
from evaluate_shelf.aggregate.building import aggregate_of
from evaluate_shelf.aggregate.evidence import Evidence
from evaluate_shelf.aggregate.file import read_aggregate, write_aggregate
from evaluate_shelf.aggregate.schema import Aggregate
from evaluate_shelf.aggregate.schema.values import MOST_CELLS
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.documents import Release
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.runs.reading import Run, load_runs


@pytest.fixture(scope="module")
def plain(aggregate: Aggregate) -> str:
    """The aggregate as JSON."""
    return aggregate.model_dump_json()


@pytest.mark.parametrize("name", ["a.json", "a.json.gz", "A.JSON.GZ"])
def test_what_was_written_is_read_again(aggregate: Aggregate, tmp_path: Path, name: str) -> None:
    path = write_aggregate(aggregate, tmp_path / name)
    assert read_aggregate(path) == aggregate
    assert [own.name for own in tmp_path.iterdir()] == [name]


def test_the_same_runs_give_the_same_bytes_in_any_order_and_place(
    aggregate: Aggregate, finished: Path, release: Release, tmp_path: Path
) -> None:
    moved = tmp_path / "elsewhere" / "runs"
    shutil.copytree(finished, moved)
    copy = tmp_path / "copy"
    shutil.copytree(release.folder, copy / release.folder.name)
    again = aggregate_of(
        Evidence(
            computed=tuple(reversed(load_runs(moved))),
            reported=tuple(reversed(reported_runs())),
            releases=(Release.open(copy / release.folder.name),),
        )
    )
    for name in ("a.json", "a.json.gz"):
        first = write_aggregate(aggregate, tmp_path / "first" / name).read_bytes()
        assert write_aggregate(again, tmp_path / "second" / f"x{name}").read_bytes() == first


def test_it_is_json_that_any_reader_takes(plain: str) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    values = json.loads(plain, parse_constant=refuse)
    assert values["aggregate_version"] == 1


def changed(plain: str, change: Callable[[dict[str, Any]], None]) -> bytes:
    values = json.loads(plain)
    change(values)
    return json.dumps(values).encode()


def in_row(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda own: own["boards"][0]["rows"][0].update({name: value})


def in_cell(place: int, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda own: own["boards"][0]["rows"][0]["cells"][0].__setitem__(place, value)


def in_board(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda own: own["boards"][0].update({name: value})


def in_model(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda own: own["models"][0].update({name: value})


REFUSED = {
    "NaN": in_cell(0, float("nan")),
    "infinity": in_cell(0, float("inf")),
    "a score above 1": in_cell(0, 1.5),
    "a score that is text": in_cell(0, "0.5"),
    "a chance level above 1": in_cell(6, 1.5),
    "a cell without a chance level": lambda own: own["boards"][0]["rows"][0]["cells"][0].pop(),
    "nobody's word": in_row("facts_from", "trusted"),
    "a flag that is true": in_cell(4, True),
    "a rank of 0": in_cell(3, 0),
    "an interval upside down": in_cell(1, 1.0),
    "half an interval": in_cell(1, None),
    "letters that are none": in_cell(5, "<b>"),
    "a name too long": in_model("name", "x" * 301),
    "a name of two lines": in_model("name", "a\nb"),
    "a name that turns the writing round": in_model("name", "a\u202eb"),
    "a number as text": in_model("parameters", "12"),
    "a negative number": in_model("parameters", -1),
    "a source that is a script": in_model("cutoff_source", "javascript:alert(1)"),
    "a key that is a path": in_model("key", "../x"),
    "an unknown field": in_row("note", "x"),
    "an unknown status": in_row("status", "trusted"),
    "a ranked row that is unverified": in_row("status", "unverified"),
    "a model that is not there": in_row("model", 10_000),
    "a cell too few": lambda own: own["boards"][0]["rows"][0]["cells"].pop(),
    "a rate of infinity": in_row("documents_per_second", float("inf")),
    "a task that is not known": lambda own: own["boards"][0]["tasks"].__setitem__(0, "none"),
    "a view of a row that is not there": lambda own: own["boards"][0]["views"][0].update(
        {"order": [99]}
    ),
    "a row compared that is not there": lambda own: own["boards"][0]["pairs"].update(
        {"rows": [99]}
    ),
    "chance of another number of tasks": in_board("chance", []),
    "a key twice": lambda own: own["models"].append(own["models"][0]),
    "another version": lambda own: own.update({"aggregate_version": 2}),
    "too many models": lambda own: own.update({"models": own["models"] * 2000}),
    "nothing": lambda own: own.clear(),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_wrong_is_refused(plain: str, tmp_path: Path, what: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(changed(plain, REFUSED[what]))
    with pytest.raises(ShelfError) as refused:
        read_aggregate(path)
    assert str(path) in str(refused.value)
    assert len(str(refused.value)) < 1000


def bomb(plain: str, rows: int, tasks: int) -> bytes:
    """An aggregate with a board of empty cells."""

    def widen(own: dict[str, Any]) -> None:
        [first, *_] = own["boards"]
        entry = own["tasks"][0]
        own["tasks"] = [{**entry, "id": f"t{n}"} for n in range(tasks)]
        no = {"why_not": "none"}
        row = {**first["rows"][0], "model": 0, "cells": [[0]] * tasks}
        row |= {"mean_standing": None, "not_compared": None}
        view = {"facet": None, "formulation": None, "tasks": [0], "mean_tasks": []}
        view |= {"means": [None] * rows, "coverage": [0] * rows, "order": list(range(rows))}
        first |= {"tasks": [f"t{n}" for n in range(tasks)], "reasons": ["none"]}
        first |= {name: [None] * tasks for name in ("chance", "chance_low", "chance_high", "units")}
        first |= {"rows": [row] * rows, "views": [view]}
        first |= {"pairs": no, "confusions": no, "strata": no, "cards": no}
        own["boards"] = [first]
        own["transfer"] |= {"outcomes": [], "measures": []}

    return changed(plain, widen)


@pytest.mark.parametrize(("rows", "is_read"), [(2000, True), (2001, False)])
def test_no_more_cells_than_the_bound_are_read(
    plain: str, tmp_path: Path, rows: int, is_read: bool
) -> None:
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(bomb(plain, rows, MOST_CELLS // 2000)))
    if is_read:
        assert len(read_aggregate(path).boards[0].rows) == rows
    else:
        with pytest.raises(ShelfError, match="rows times tasks"):
            read_aggregate(path)


def test_no_more_lists_than_the_bound_are_taken_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.json.gz"
    for content in (b"[]," * (file_module.MOST_LISTS + 1), b"0," * (file_module.MOST_VALUES + 1)):
        path.write_bytes(gzip.compress(b"[" + content + b"0]"))
        with pytest.raises(ShelfError, match="at most"):
            read_aggregate(path)


@settings(max_examples=80)
@given(data=st.data())
def test_no_value_of_another_type_gets_in(plain: str, tmp_path_factory: Any, data: Any) -> None:
    """Whatever leaf is replaced by something odd, reading gives an aggregate or a ShelfError."""
    values = json.loads(plain)
    place: Any = values
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            break
        place = inner
    place[key] = data.draw(
        st.sampled_from([None, -1, 10**400, 1e308, "x\x1b[2J", [[]], {}, True, "y" * 10_000])
    )
    path = tmp_path_factory.mktemp("odd") / "a.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    try:
        found = read_aggregate(path)
    except ShelfError as error:
        said = str(error)
    else:
        said = ""
        assert Aggregate.model_validate_json(found.model_dump_json()) == found
    assert "\x1b" not in said


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", b""),
        ("a.json", b"\xff\xfe"),
        ("a.json", b"[" * 100_000),
        ("a.json", b"{}"),
        ("a.json.gz", b"no gzip"),
        ("a.json.gz", gzip.compress(b"{}", mtime=0)[:-5]),
        ("a.json.gz", gzip.compress(b"\0" * 2**20, mtime=0)),
        ("a.txt", b"{}"),
    ],
)
def test_what_is_no_aggregate_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ShelfError, match=name):
        read_aggregate(tmp_path / name)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    for name in ("none.json", "folder.json"):
        with pytest.raises(ShelfError, match=name):
            read_aggregate(tmp_path / name)


def test_no_more_than_the_bound_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, aggregate: Aggregate
) -> None:
    packed = tmp_path / "bomb.json.gz"
    packed.write_bytes(gzip.compress(b" " * (file_module.LARGEST + 1)))
    assert packed.stat().st_size < 2**17
    with pytest.raises(ShelfError, match="larger"):
        read_aggregate(packed)
    monkeypatch.setattr(file_module, "LARGEST", 1000)
    target = tmp_path / "a.json"
    with pytest.raises(ShelfError, match="are read"):
        write_aggregate(aggregate, target)
    assert not target.exists()


def test_a_file_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, aggregate: Aggregate
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    with pytest.raises(ShelfError, match="cannot be written"):
        write_aggregate(aggregate, blocked / "a.json")
    assert blocked.read_text() == "x"


READ = (
    "import sys; from evaluate_shelf.aggregate.file import read_aggregate; "
    "print(len(read_aggregate(sys.argv[1]).models))"
)


def test_a_dataset_repository_is_read_and_its_cache_without_a_network(
    aggregate: Aggregate, tmp_path: Path
) -> None:
    folder = tmp_path / "repository"
    write_aggregate(aggregate, folder / "site" / "a.json.gz")
    (folder / "big.json").write_bytes(b" " * (file_module.LARGEST + 1))
    with loopback_hub() as hub:
        hub.repositories["owner/results"] = Repository()
        commit = hub.repositories["owner/results"].commit(folder)
        environment = hub_environment(hub.url, tmp_path)

        def read(source: str, **more: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [sys.executable, "-c", READ, source],
                env={**environment, **more},
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )

        source = "hf://datasets/owner/results/site/a.json.gz"
        assert read(source).stdout == f"{len(aggregate.models)}\n"
        pinned = f"hf://datasets/owner/results@{commit}/site/a.json.gz"
        assert read(pinned).stdout == f"{len(aggregate.models)}\n"
        assert "ShelfError" in read("hf://datasets/owner/results/none.json").stderr
        hub.requests.clear()
        assert "larger" in read("hf://datasets/owner/results/big.json").stderr
        assert not any(request.startswith("GET") for request in hub.requests)
    assert read(source, HF_HUB_OFFLINE="1").stdout == f"{len(aggregate.models)}\n"


@pytest.mark.parametrize(
    "source",
    [
        "hf://models/owner/results/a.json",
        "hf://datasets/owner/a.json",
        "hf://datasets/owner/results/../a.json",
        "hf://datasets/owner/results/a.txt",
        "hf:",
    ],
)
def test_other_addresses_are_refused_before_anything_is_asked(source: str) -> None:
    with pytest.raises(ShelfError):
        read_aggregate(source)


def test_the_command_writes_what_the_function_gives(
    aggregate: Aggregate, finished: Path, tmp_path: Path
) -> None:
    shelf = shelf_in(tmp_path)
    release = shipped_release()
    done = shelf("leaderboard", finished, "--aggregate", "a.json.gz", "--data", release)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "a.json.gz\n"
    wanted = write_aggregate(aggregate, tmp_path / "b.json.gz").read_bytes()
    assert (tmp_path / "a.json.gz").read_bytes() == wanted
    assert "same weights" in done.stderr


def test_the_command_names_what_it_leaves_out(
    runs: list[Run], finished: Path, tmp_path: Path
) -> None:
    shelf = shelf_in(tmp_path)
    done = shelf("leaderboard", finished, "--aggregate", "a.json", "--no-reported")
    assert done.returncode == 0
    assert runs[0].file.data.release_id in done.stderr
    assert not any(own.reported for own in read_aggregate(tmp_path / "a.json").boards)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--aggregate", "a.txt"),
        ("--aggregate", "a.json", "--no-reported"),
        ("--aggregate", "a.json", "--facet", "subject"),
        ("--aggregate", "a.json", "--format", "csv"),
        ("--aggregate", "a.json", "--data", "x"),
        ("--aggregate", "a.json", "--matrix", "none.json"),
        ("--data", "x"),
        ("--matrix", "none.json"),
    ],
)
def test_what_does_not_belong_together_is_refused(tmp_path: Path, arguments: tuple[str]) -> None:
    done = shelf_in(tmp_path)("leaderboard", *arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("shelf: ")
    assert not (tmp_path / "a.json").exists()
