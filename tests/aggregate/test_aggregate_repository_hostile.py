"""Files of a results repository that are made to break whoever reads them."""

from __future__ import annotations

import copy
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stored_runs import written_run

from evaluate_shelf.aggregate.file import read_aggregate, write_aggregate
from evaluate_shelf.aggregate.results_repository import LARGEST, read_standings, runs_below
from evaluate_shelf.aggregate.schema import Aggregate
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.strict_yaml import read_yaml
from evaluate_shelf.runs.folder import read_run
from evaluate_shelf.submissions.contents import RUN_BYTES, SCORES_BYTES

ENTRY = {
    "run_id": "abc",
    "sha256": "a" * 64,
    "status": "verified",
    "who": "me",
    "when": "2026-11-30",
    "note": "agrees",
}
NUMBERS = {
    "digits": "9" * 5_000,
    "many digits": "9" * 200_000,
    "hexadecimal": "0x" + "f" * 200_000,
    "octal": "0o" + "7" * 200_000,
    "old octal": "0" + "7" * 200_000,
    "binary": "0b" + "1" * 200_000,
    "sexagesimal": ":".join(["59"] * 60_000),
    "sexagesimal fraction": ":".join(["59"] * 60_000) + ".5",
    "tagged": "!!int " + "9" * 5_000,
    "tagged sexagesimal": '!!int "' + ":".join(["59"] * 60_000) + '"',
    "tagged fraction": '!!float "' + ":".join(["59"] * 60_000) + '.5"',
    "fraction": "9" * 5_000 + ".5",
    "exponent": "1.0e+" + "9" * 5_000,
}
UNSEEN = ["\u00ad", "\u061c", "\u180e", *map(chr, range(0x200B, 0x2010)), "\u2028", "\u2029"]
UNSEEN += [*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2060, 0x206A)), "\ufeff"]
UNSEEN += ["\U000e0041", "\x7f", "\x85"]


@pytest.mark.parametrize("field", [*ENTRY, "measured"])
@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_without_end_in_the_list_is_refused_by_its_place(
    tmp_path: Path, field: str, number: str
) -> None:
    entry = {**{name: f'"{value}"' for name, value in ENTRY.items()}, field: NUMBERS[number]}
    lines = [f"{name}: {value}" for name, value in entry.items()]
    file = tmp_path / "verified.yaml"
    file.write_text("- " + "\n  ".join(lines) + "\n")
    begun = time.process_time()
    with pytest.raises(ShelfError) as raised:
        read_standings(file)
    assert str(file) in str(raised.value)
    assert f"field '{field}'" in str(raised.value) or ", line " in str(raised.value)
    assert len(str(raised.value)) < 1_000
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[("12", 12), ("-3", -3), ("0", 0), ("1.5", 1.5), (".5", 0.5), ("1.0e+3", 1000.0)],
        *[(own, own) for own in ("0x1f", "1:30", "1:30.5", "017", "1_0", "9" * 19)],
    ],
)
def test_a_number_is_decimal_and_else_a_text(tmp_path: Path, text: str, value: object) -> None:
    file = tmp_path / "t.yaml"
    file.write_text(f"value: {text}\n")
    read = read_yaml(file)["value"]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize("field", ["who", "run_id", "note"])
@pytest.mark.parametrize("unseen", UNSEEN)
def test_what_cannot_be_seen_in_the_list_is_refused(
    tmp_path: Path, field: str, unseen: str
) -> None:
    file = tmp_path / "verified.yaml"
    file.write_text(json.dumps([{**ENTRY, field: f"m{unseen}e"}]))
    with pytest.raises(ShelfError, match="verified"):
        read_standings(file)


@pytest.mark.parametrize("unseen", ["\u200b", "\u202e", "\ufeff"])
def test_what_cannot_be_seen_is_refused_in_every_text_of_an_aggregate(
    tmp_path: Path, aggregate: Aggregate, unseen: str
) -> None:
    file = write_aggregate(aggregate, tmp_path / "whole.json")
    whole = json.loads(file.read_text())
    places = list(texts(whole))
    assert len(places) > 30
    for place in places:
        changed = copy.deepcopy(whole)
        put(changed, place, f"a{unseen}b")
        file.write_text(json.dumps(changed))
        with pytest.raises(ShelfError):
            read_aggregate(file)


def texts(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Places of the texts, one of each list."""
    if isinstance(value, dict):
        for name, own in value.items():
            yield from texts(own, (*place, name))
    elif isinstance(value, list):
        for number, own in enumerate(value[:1]):
            yield from texts(own, (*place, number))
    elif isinstance(value, str):
        yield place


def put(value: Any, place: tuple[str | int, ...], text: str) -> None:
    for part in place[:-1]:
        value = value[part]
    value[place[-1]] = text


def test_a_list_that_is_too_large_or_no_file_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "verified.yaml"
    with file.open("wb") as stream:
        stream.truncate(LARGEST + 1)
    with pytest.raises(ShelfError, match="larger than"):
        read_standings(file)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(ShelfError, match="not a file"):
        read_standings(file)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("run.json", 3 * 2**30),
        ("run.json", RUN_BYTES + 1),
        ("scores.parquet", SCORES_BYTES + 1),
        ("items/lcc_retrieval.parquet", 3 * 2**30),
    ],
)
def test_a_run_with_a_file_that_is_too_large_is_named_and_not_read(
    tmp_path: Path, name: str, size: int
) -> None:
    run = written_run(tmp_path / "model" / "run", "owner/name")
    other = written_run(tmp_path / "other" / "run", "owner/other")
    (run / name).parent.mkdir(exist_ok=True)
    with (run / name).open("ab") as stream:
        # A hole: it takes no room on the disk.
        stream.truncate(size)
    found, problems = runs_below(tmp_path)
    assert [own.folder for own in found] == [other]
    [problem] = problems
    assert "model/run" in problem
    assert name in problem


def test_a_run_json_without_end_is_read_nowhere(tmp_path: Path) -> None:
    with (tmp_path / "run.json").open("wb") as stream:
        stream.truncate(3 * 2**30)
    with pytest.raises(ShelfError, match="bytes are more than"):
        read_run(tmp_path)
