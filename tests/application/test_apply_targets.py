"""A result replaces a file and nothing else, and its name moves no cursor."""

from __future__ import annotations

import csv
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from marc_samples import book, utf8
from shelf_process import Shelf

from evaluate_shelf.application import apply_run
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.quickstart import shipped_release

NAME = "e\x1b[31mv\nil\x9b"


@pytest.fixture
def books(tmp_path: Path) -> Path:
    path = tmp_path / "books.mrc"
    path.write_bytes(utf8(book("1", "The history of the lighthouse")))
    return path


@pytest.mark.parametrize("option", ["out", "marc"])
def test_a_pipe_a_device_and_a_link_to_nothing_stay(
    scored: Any, books: Path, tmp_path: Path, option: str
) -> None:
    pipe, dangling = tmp_path / "pipe", tmp_path / "dangling"
    os.mkfifo(pipe)
    dangling.symlink_to(tmp_path / "nowhere")
    (tmp_path / "to-pipe").symlink_to(pipe)
    for target in (pipe, tmp_path / "to-pipe", dangling, Path(os.devnull)):
        with pytest.raises(ShelfError, match=target.name):
            apply_run(scored.request("tfidf", books, **{option: target}))
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    assert dangling.is_symlink()
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("option", ["out", "marc"])
def test_a_link_is_written_through(scored: Any, books: Path, tmp_path: Path, option: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "file", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(Path("elsewhere") / "file")
    apply_run(scored.request("tfidf", books, **{option: link}))
    assert link.is_symlink()
    plain = tmp_path / "plain"
    apply_run(scored.request("tfidf", books, **{option: plain}))
    assert target.read_bytes() == plain.read_bytes()


def test_links_in_a_folder_of_copies_are_written_through(
    scored: Any, books: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.mrc"
    other.write_bytes(books.read_bytes())
    copies, target = tmp_path / "copies", tmp_path / "target"
    copies.mkdir()
    target.write_text("old")
    (copies / "books.mrc").symlink_to(target)
    apply_run(scored.request("tfidf", [books, other], marc=copies))
    assert (copies / "books.mrc").is_symlink()
    assert target.read_bytes() == (copies / "other.mrc").read_bytes()
    (copies / "other.mrc").unlink()
    os.mkfifo(copies / "other.mrc")
    with pytest.raises(ShelfError, match=r"other\.mrc"):
        apply_run(scored.request("tfidf", [books, other], marc=copies))


def test_a_link_to_what_is_read_is_refused(scored: Any, books: Path, tmp_path: Path) -> None:
    before = books.read_bytes()
    (tmp_path / "link").symlink_to(books)
    for option in ("out", "marc"):
        with pytest.raises(ShelfError, match="file of records"):
            apply_run(scored.request("tfidf", books, **{option: tmp_path / "link"}))
    assert books.read_bytes() == before


def test_names_of_files_move_no_cursor(
    shelf: Shelf, scored: Any, books: Path, tmp_path: Path
) -> None:
    source, copy = tmp_path / f"{NAME}.mrc", tmp_path / f"copy{NAME}"
    damaged = bytearray(utf8(book("3", "The harbour")))
    damaged[12:17] = b"99999"
    nameless = utf8(book(None, "The history of the harbour"))
    source.write_bytes(books.read_bytes() + nameless + bytes(damaged))
    run, release = scored.folders["tfidf"], shipped_release()
    whole = shelf(
        "apply", run, source, "--data", release, "--out", "out.csv", "--marc", copy, "--json"
    )
    assert whole.returncode == 0, whole.stderr
    assert json.loads(whole.stdout)["read"] == 2
    assert copy.is_file()
    missing = shelf("apply", run, tmp_path / f"no{NAME}", "--data", release)
    assert missing.returncode == 2
    csv_text = (tmp_path / "out.csv").read_text(encoding="utf-8")
    for text in (csv_text, whole.stderr, whole.stdout, missing.stderr):
        assert "\x1b" not in text
        assert "\x9b" not in text
        assert "v\nil" not in text
    rows = list(csv.DictReader(csv_text.splitlines()))
    assert [row["file"] for row in rows] == ["e[31mv il.mrc"] * 3
    assert [row["id"] for row in rows][:2] == ["1", "e[31mv il.mrc:2"]
