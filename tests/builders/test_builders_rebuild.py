"""Builds that are repeated, interrupted, refused or fail."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from builders import build as build_module
from builders.build import build, with_needed
from builders.corpora.synthetic import rows, slices
from builders.recipes import recipes
from builders.release import folder as release_folder
from builders.release.folder import check_destination
from builders.staging import writing
from builders.writers.lexical import LexicalWriter
from evaluate_shelf.cli import main
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.release.manifest import read_manifest
from evaluate_shelf.release.verification import verify_release

PIECE = 100  # documents a written piece
STYLES = 2


class StoppedError(Exception):
    """An interruption."""


def contents(folder):
    manifest = read_manifest(folder)
    files = {path: file.content_sha256 for path, file in manifest.data_files.items()}
    return manifest.release_id, files


def stop_at(call):
    """A progress callback that interrupts the writing of documents after so many pieces."""
    calls = []

    def progress(name, done, total):
        if total == 1:  # a config begins
            return
        calls.append(done)
        if len(calls) == call:
            raise StoppedError

    return progress


@pytest.fixture
def count_written(monkeypatch):
    """The specifications that were written from now on."""
    written = []
    write = LexicalWriter.write

    def counting(self, spec, seed):
        written.append(spec.spec_id)
        return write(self, spec, seed)

    monkeypatch.setattr(LexicalWriter, "write", counting)
    return written


def shelf(monkeypatch, *arguments):
    """Run the command line in this process; gives its status."""
    monkeypatch.setattr(sys, "argv", ["shelf", *map(str, arguments)])
    try:
        main()
    except SystemExit as stop:
        return stop.code or 0
    return 0


# Repeated


def test_two_builds_into_two_folders_say_the_same(tmp_path, request_for, small_release):
    build(request_for(tmp_path / "again"))
    assert contents(tmp_path / "again") == contents(small_release)


def test_a_build_in_another_process_with_other_hashes_of_strings_says_the_same(
    tmp_path, small_release
):
    program = """
import sys
from pathlib import Path
from builders.build import build
from builders.request import BuildRequest
from evaluate_shelf.registry.generation import load_plan
plan = load_plan("quickstart").sized(260, ["v0_4_core"])
build(BuildRequest(("same_lcc_pairs",), Path(sys.argv[1]), "other", plan))
"""
    subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "elsewhere")],
        env={**os.environ, "PYTHONHASHSEED": "12345", "LC_ALL": "C", "TZ": "Asia/Kathmandu"},
        cwd=tmp_path,
        check=True,
        timeout=300,
    )
    assert contents(tmp_path / "elsewhere") == contents(small_release)


def test_the_same_libraries_give_the_same_bytes(tmp_path, request_for, small_release, photograph):
    build(request_for(tmp_path / "small"))
    assert photograph(tmp_path / "small") == photograph(small_release)


def test_another_seed_says_something_else(tmp_path, request_for, small_release):
    build(request_for(tmp_path / "other", seed=43))
    other, files = contents(tmp_path / "other")
    release_id, own = contents(small_release)
    assert other != release_id
    assert not set(files.values()) & set(own.values())


def test_a_built_release_is_whole_and_nothing_is_left_beside_it(small_release):
    verify_release(small_release)
    assert [path.name for path in small_release.parent.iterdir()] == [small_release.name]


def test_a_config_brings_what_it_needs():
    known = recipes(load_plan("quickstart"))
    assert with_needed(["same_lcc_pairs"], known) == ("v0_4_core", "all", "same_lcc_pairs")
    assert with_needed(["all", "v0_4_core"], known) == ("v0_4_core", "all")
    assert with_needed(["lcc_retrieval"], known) == (
        "v0_4_core", "all", "all-corpus", "lcc_retrieval"
    )  # fmt: skip
    assert with_needed(["transfer_gutenberg"], known) == (
        "transfer_gutenberg", "transfer_gutenberg_same_lcc_pairs", "transfer_gutenberg-corpus",
        "transfer_gutenberg_lcc_retrieval",
    )  # fmt: skip
    with pytest.raises(ShelfError, match="v0_4_cores"):
        with_needed(["v0_4_cores"], known)


def test_every_config_comes_behind_those_that_it_needs():
    known = recipes(load_plan("standard"))
    for place, (name, recipe) in enumerate(known.items()):
        assert set(recipe.needs) <= set(list(known)[:place]), name


def test_the_manifest_counts_the_rows_that_are_there(small_release):
    import pyarrow.parquet as pq

    manifest = json.loads((small_release / "manifest.json").read_text())
    for path, file in manifest["data_files"].items():
        table = pq.read_table(small_release / path)
        assert file["rows"] == table.num_rows
        counts = manifest["configs"][file["config"]]["counts"][file["split"]]
        for column, own in counts.items():
            values = [str(value) for value in table[column].to_pylist() if value is not None]
            assert own == {value: values.count(value) for value in set(values)}


# Interrupted


@pytest.mark.parametrize("written", [1, 2, 3])
def test_an_interrupted_build_goes_on_where_it_stopped(
    tmp_path, request_for, small_release, count_written, written
):
    out = tmp_path / "small"
    with pytest.raises(StoppedError):
        build(request_for(out), stop_at(written))
    assert not out.exists()
    before = len(count_written)
    assert before == min(written * PIECE, 130 * STYLES)
    build(request_for(out))
    assert len(count_written) == 130 * STYLES  # nothing was written twice
    assert contents(out) == contents(small_release)
    assert [path.name for path in tmp_path.iterdir()] == ["small"]


def test_a_build_that_dies_within_a_piece_writes_that_piece_anew(
    tmp_path, request_for, small_release, monkeypatch
):
    out = tmp_path / "small"
    write = LexicalWriter.write
    calls = []

    def dying(self, spec, seed):
        calls.append(spec)
        if len(calls) == 2 * PIECE - 1:
            raise KeyboardInterrupt
        return write(self, spec, seed)

    with monkeypatch.context() as patch:
        patch.setattr(LexicalWriter, "write", dying)
        with pytest.raises(KeyboardInterrupt):
            build(request_for(out))
    build(request_for(out))
    assert contents(out) == contents(small_release)


def test_pieces_of_another_seed_are_not_taken(tmp_path, request_for, small_release):
    out = tmp_path / "small"
    with pytest.raises(StoppedError):
        build(request_for(out, seed=43), stop_at(2))
    build(request_for(out))
    assert contents(out) == contents(small_release)


def forget_taxonomy():
    rows._known.cache_clear()
    rows._writer.cache_clear()


@pytest.mark.parametrize("table", ["lengths", "registers", "classes"])
def test_pieces_of_another_taxonomy_are_not_taken(
    tmp_path, request_for, taxonomy, monkeypatch, table, request
):
    """The taxonomy's ranges, descriptions and addresses stand in every row."""
    change = {
        "lengths": lambda row: {"max_words": row.max_words - 1},
        "registers": lambda row: {"description": f"{row.description} Or so."},
        "classes": lambda row: {"uri": f"{row.uri}x"},
    }[table]
    changed = tuple(row.model_copy(update=change(row)) for row in getattr(taxonomy, table))
    other = dataclasses.replace(taxonomy, **{table: changed})
    out = tmp_path / "small"
    with pytest.raises(StoppedError):
        build(request_for(out, configs=("v0_4_core",)), stop_at(2))
    for module in (slices, rows):
        monkeypatch.setattr(module, "load_taxonomy", lambda _: other)
    forget_taxonomy()
    request.addfinalizer(forget_taxonomy)
    build(request_for(out, configs=("v0_4_core",)))
    build(request_for(tmp_path / "afresh", configs=("v0_4_core",)))
    assert contents(out) == contents(tmp_path / "afresh")


def test_configs_that_another_request_overwrote_are_not_taken(
    tmp_path, request_for, small_release, monkeypatch
):
    """Seed 42 has finished its slice, seed 43 dies while it writes that slice anew."""
    out = tmp_path / "small"
    with monkeypatch.context() as patch:
        patch.setattr(build_module, "write_release", stopped)
        with pytest.raises(StoppedError):
            build(request_for(out))
    write = writing._Shard.write
    with monkeypatch.context() as patch:

        def dying(self, group):
            write(self, group)
            raise StoppedError

        patch.setattr(writing._Shard, "write", dying)
        with pytest.raises(StoppedError):
            build(request_for(out, seed=43))
    build(request_for(out))
    assert contents(out) == contents(small_release)
    verify_release(out)


def stopped(*arguments, **options):
    raise StoppedError


# Refused and failing


def test_a_refused_request_leaves_the_pieces_of_an_interrupted_one(
    tmp_path, request_for, small_plan, count_written
):
    out = tmp_path / "small"
    with pytest.raises(StoppedError):
        build(request_for(out), stop_at(2))
    before = len(count_written)
    with pytest.raises(ShelfError):
        build(request_for(out, plan=small_plan.sized(6, ["v0_4_core"])))
    del count_written[:]
    build(request_for(out))
    assert len(count_written) == 130 * STYLES - before


@pytest.mark.parametrize("kind", ["pipe", "socket", "dangling link"])
def test_what_is_no_folder_is_refused_and_left_as_it_is(tmp_path, request_for, kind):
    out = tmp_path / "out"
    if kind == "pipe":
        os.mkfifo(out)
    elif kind == "socket":
        import socket

        with socket.socket(socket.AF_UNIX) as own:
            own.bind(str(out))
    else:
        out.symlink_to(tmp_path / "nowhere" / "at all")
    before = os.lstat(out)
    with pytest.raises(ShelfError, match="out"):
        check_destination(out)
    assert os.lstat(out) == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[2Jb", "a\u202eb"])
def test_a_name_that_cannot_be_printed_is_refused_before_anything_is_written(
    tmp_path, request_for, count_written, name
):
    with pytest.raises(ShelfError, match="cannot be printed"):
        build(request_for(tmp_path / name))
    assert count_written == []
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_no_release_is_refused_and_left_as_it_is(
    tmp_path, request_for, photograph
):
    out = tmp_path / "thesis"
    (out / "chapters").mkdir(parents=True)
    (out / "chapters" / "one.txt").write_text("It was a dark and stormy night.")
    before = photograph(tmp_path)
    with pytest.raises(ShelfError, match="thesis"):
        build(request_for(out))
    assert photograph(tmp_path) == before


def test_a_file_is_refused_and_left_as_it_is(tmp_path, request_for, photograph):
    out = tmp_path / "thesis.txt"
    out.write_text("It was a dark and stormy night.")
    before = photograph(tmp_path)
    with pytest.raises(ShelfError, match=r"thesis\.txt"):
        build(request_for(out))
    assert photograph(tmp_path) == before


def test_no_release_is_written_over_such_a_folder_by_any_way(tmp_path, core, photograph):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "one.txt").write_text("It was a dark and stormy night.")
    before = photograph(tmp_path)
    with pytest.raises(ShelfError, match="thesis"):
        release_folder.write_release("thesis", [core], tmp_path / "thesis")
    assert photograph(tmp_path) == before


def test_the_command_line_refuses_such_a_folder_with_status_2_and_one_message(
    tmp_path, monkeypatch, capsys, photograph
):
    (tmp_path / "thesis.txt").write_text("It was a dark and stormy night.")
    before = photograph(tmp_path)
    status = shelf(monkeypatch, "build", "v0_4_core", "--documents", 300, "--out", tmp_path)
    written = capsys.readouterr()
    assert status == 2
    assert written.out == ""
    assert len(written.err.splitlines()) == 1
    assert str(tmp_path) in written.err
    assert photograph(tmp_path) == before


def test_an_empty_folder_is_filled(tmp_path, request_for, small_release):
    out = tmp_path / "small"
    out.mkdir()
    build(request_for(out))
    assert contents(out) == contents(small_release)


def test_the_working_directory_is_filled_or_refused_by_a_message(tmp_path, monkeypatch, capsys):
    """`--out .` has no name of its own to write beside."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    status = shelf(monkeypatch, "build", "v0_4_core", "--documents", 300, "--out", ".")
    capsys.readouterr()
    assert status in (0, 2)
    if status == 0:
        verify_release(tmp_path / "here")


def test_a_release_behind_a_link_is_replaced_again_and_again(tmp_path, request_for, small_release):
    """A second build through the link must find no remains of the first."""
    (tmp_path / "target").mkdir()
    link = tmp_path / "small"
    link.symlink_to(tmp_path / "target", target_is_directory=True)
    for _ in range(2):
        build(request_for(link))
        assert contents(link) == contents(small_release)


@pytest.fixture
def existing(tmp_path, request_for):
    """A release of another seed, at the place of the build that is to fail."""
    out = tmp_path / "small"
    build(request_for(out, seed=7, configs=("v0_4_core",)))
    return out


def test_a_build_that_is_too_small_leaves_the_old_release(
    existing, request_for, small_plan, photograph
):
    before = photograph(existing)
    tiny = small_plan.sized(6, ["v0_4_core"])
    with pytest.raises(ShelfError):
        build(request_for(existing, plan=tiny))
    assert photograph(existing) == before


def test_an_interrupted_build_leaves_the_old_release(existing, request_for, photograph):
    before = photograph(existing)
    with pytest.raises(StoppedError):
        build(request_for(existing), stop_at(3))
    assert photograph(existing) == before
    verify_release(existing)


@pytest.mark.parametrize("step", ["place_config", "croissant", "write_json", "plain_file"])
def test_a_build_that_fails_while_it_writes_leaves_the_old_release(
    existing, request_for, photograph, monkeypatch, small_release, step
):
    before = photograph(existing)

    def failing(*arguments, **options):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(release_folder, step, failing)
        with pytest.raises(OSError, match="No space left"):
            build(request_for(existing))
    assert photograph(existing) == before
    build(request_for(existing))
    assert contents(existing) == contents(small_release)
    assert [path.name for path in existing.parent.iterdir()] == ["small"]


def test_a_refused_build_leaves_nothing_behind(tmp_path, request_for, small_plan):
    """Where an input is wrong, going on is of no use, so no piece is kept for it."""
    tiny = small_plan.sized(60, ["v0_4_core"])
    with pytest.raises(ShelfError):
        build(request_for(tmp_path / "small", plan=tiny))
    assert list(tmp_path.iterdir()) == []


def test_books_without_a_catalogue_are_refused_before_anything_is_written(
    tmp_path, request_for, count_written
):
    configs = ("v0_4_core", "transfer_gutenberg")
    with pytest.raises(ShelfError, match="--catalog"):
        build(request_for(tmp_path / "small", configs=configs))
    assert count_written == []
    assert list(tmp_path.iterdir()) == []


def test_a_release_is_replaced_only_by_a_whole_one(existing, request_for, monkeypatch, photograph):
    """Until the very end the old release can be read at its place."""
    before = photograph(existing)
    seen = []
    replace = release_folder.replace_folder

    def watching(new: Path, final: Path) -> None:
        seen.append(photograph(final))
        verify_release(new)
        replace(new, final)

    monkeypatch.setattr(release_folder, "replace_folder", watching)
    build(request_for(existing))
    assert seen == [before]


def test_a_death_between_the_renames_is_mended_by_the_next_build(
    existing, request_for, small_release, monkeypatch, photograph
):
    before = photograph(existing)
    rename = Path.rename
    with monkeypatch.context() as patch:

        def dying(self, target):
            if Path(target) == existing:
                raise KeyboardInterrupt
            return rename(self, target)

        patch.setattr(Path, "rename", dying)
        with pytest.raises(KeyboardInterrupt):
            build(request_for(existing))
    assert not existing.exists()
    # A build that fails now puts the old release back first.
    with pytest.raises(StoppedError):
        build(request_for(existing, seed=9), stop_at(1))
    assert photograph(existing) == before
    build_module.build(request_for(existing))
    assert contents(existing) == contents(small_release)
