"""A packed run is the run, to the byte, and only a whole one is packed."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from submitted_runs import copied_run

from evaluate_shelf.cli.pack import pack
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.runs.reading import load_run
from evaluate_shelf.submissions import pack as packing
from evaluate_shelf.submissions.archive import opened
from evaluate_shelf.submissions.pack import pack_run


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def edited(run: Path, change: Callable[[dict], object]) -> None:
    value = json.loads((run / "run.json").read_text())
    change(value)
    (run / "run.json").write_text(json.dumps(value, indent=2))


def test_what_is_packed_is_the_run(tmp_path: Path) -> None:
    run = copied_run(tmp_path)
    packed = pack_run(run, tmp_path / "run.zip")
    names = opened(packed.path, tmp_path / "out")
    assert files_of(tmp_path / "out") == files_of(run)
    assert names == list(packed.names) == sorted(files_of(run))
    assert load_run(tmp_path / "out").scores.equals(load_run(run).scores)
    assert packed.sha256 == sha256_of_file(packed.path)


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    one, other = copied_run(tmp_path / "a"), copied_run(tmp_path / "b")
    for number, path in enumerate(sorted(other.rglob("*"), reverse=True)):
        os.utime(path, (10**9 + number, 10**9 + number))
        path.chmod(0o700)
    assert (
        pack_run(one, tmp_path / "a.zip").path.read_bytes()
        == pack_run(other, tmp_path / "b.zip").path.read_bytes()
    )


def test_other_tools_open_it(tmp_path: Path) -> None:
    packed = pack_run(copied_run(tmp_path), tmp_path / "run.zip")
    with zipfile.ZipFile(packed.path) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == sorted(archive.namelist())
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_what_lies_beside_the_run_is_left_out_and_named(tmp_path: Path) -> None:
    run = copied_run(tmp_path)
    (run / "notes.txt").write_text("mine")
    (run / "items" / "form_retrieval.parquet").write_bytes(b"of another run")
    packed = pack_run(run, run / "run.zip")
    assert packed.left_out == ("items/form_retrieval.parquet", "notes.txt")
    assert not set(packed.left_out) & set(zipfile.ZipFile(packed.path).namelist())


def damaged(run: Path) -> None:
    path = run / "items" / "lcc_retrieval.parquet"
    path.write_bytes(path.read_bytes()[:-1] + b"X")


def relabelled(run: Path) -> None:
    edited(run, lambda value: value["model"].update(name="<b>best</b>"))


REFUSED: dict[str, Callable[[Path], object]] = {
    "not finished": lambda run: (run / "progress").mkdir(),
    "no run.json": lambda run: (run / "run.json").unlink(),
    "not the file that run.json names": damaged,
    "scores.parquet: not the file": lambda run: (run / "scores.parquet").unlink(),
    "smoke run": lambda run: edited(run, lambda value: value.update(limit=50)),
    "letter or a digit, not '<'": relabelled,
    "earlier form|form of an earlier": lambda run: edited(
        run, lambda value: value.update(run_version=1)
    ),
    "version 99": lambda run: edited(run, lambda value: value["protocol"].update(version=99)),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_a_run_that_is_not_whole_is_refused_and_nothing_is_written(
    tmp_path: Path, reason: str
) -> None:
    run = copied_run(tmp_path)
    REFUSED[reason](run)
    out = tmp_path / "out" / "run.zip"
    with pytest.raises(ShelfError, match=reason):
        pack_run(run, out)
    assert not list((tmp_path / "out").glob("*")) if out.parent.exists() else True
    out.parent.mkdir(exist_ok=True)
    out.write_bytes(b"before")
    with pytest.raises(ShelfError):
        pack_run(run, out)
    assert files_of(out.parent) == {"run.zip": b"before"}


def test_a_run_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "ARCHIVE_BYTES", 1000)
    with pytest.raises(ShelfError, match="MiB"):
        pack_run(copied_run(tmp_path), tmp_path / "out" / "run.zip")
    assert files_of(tmp_path / "out") == {}


def test_no_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ShelfError, match="no such run"):
        pack_run(tmp_path / "none", tmp_path / "run.zip")


def test_the_command_checks_what_it_packs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = copied_run(tmp_path)
    (run / "notes.txt").write_text("mine")
    pack(run, tmp_path / "run.zip", "evaluate_shelf/quickstart_release")
    said = capsys.readouterr()
    assert sha256_of_file(tmp_path / "run.zip") in said.out
    assert "notes.txt" in said.err
