"""A folder is put in another's place whole, or not at all."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evaluate_shelf.files import (
    replace_folder,
    replacing,
    restore_folder,
    sha256_of_json,
    write_json,
)


@pytest.fixture
def final(tmp_path):
    return tmp_path / "release"


def folder_with(path, text):
    path.mkdir()
    (path / "file").write_text(text)
    return path


def text_of(path):
    return (path / "file").read_text()


def die_at_rename(monkeypatch, number):
    """Let the process die at a rename, counted from 0."""
    rename, calls = Path.rename, []

    def dying(self, target):
        calls.append(target)
        if len(calls) == number + 1:
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", dying)


def test_a_folder_takes_the_place_of_none_or_of_another(tmp_path, final):
    for text in ("one", "two"):
        replace_folder(folder_with(tmp_path / ".new", text), final)
        assert text_of(final) == text
        assert [path.name for path in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize("rename", [0, 1])
def test_a_death_at_either_rename_is_mended(tmp_path, final, monkeypatch, rename):
    folder_with(final, "old")
    new = folder_with(tmp_path / ".new", "new")
    with monkeypatch.context() as patch:
        die_at_rename(patch, rename)
        with pytest.raises(KeyboardInterrupt):
            replace_folder(new, final)
    assert final.exists() == (rename == 0)
    restore_folder(final)
    assert text_of(final) == "old"
    replace_folder(new, final)
    assert text_of(final) == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_a_death_after_both_renames_leaves_the_new_folder(tmp_path, final, monkeypatch):
    folder_with(final, "old")
    with monkeypatch.context() as patch:

        def dying(*arguments, **options):
            raise KeyboardInterrupt

        patch.setattr(shutil, "rmtree", dying)
        with pytest.raises(KeyboardInterrupt):
            replace_folder(folder_with(tmp_path / ".new", "new"), final)
    assert text_of(final) == "new"
    restore_folder(final)
    assert text_of(final) == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_a_death_is_mended_by_the_next_replacement_alone(tmp_path, final, monkeypatch):
    folder_with(final, "old")
    new = folder_with(tmp_path / ".new", "new")
    with monkeypatch.context() as patch:
        die_at_rename(patch, 1)
        with pytest.raises(KeyboardInterrupt):
            replace_folder(new, final)
    replace_folder(new, final)
    assert text_of(final) == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize("there", [False, True])
def test_restoring_what_was_never_replaced_changes_nothing(tmp_path, final, there):
    if there:
        folder_with(final, "old")
    restore_folder(final)
    assert final.exists() == there
    assert not there or text_of(final) == "old"


def test_restoring_does_not_give_up_the_old_folder_for_an_empty_one(tmp_path, final, monkeypatch):
    """After a death, somebody makes the folder that is no longer there."""
    folder_with(final, "old")
    new = folder_with(tmp_path / ".new", "new")
    with monkeypatch.context() as patch:
        die_at_rename(patch, 1)
        with pytest.raises(KeyboardInterrupt):
            replace_folder(new, final)
    final.mkdir()
    restore_folder(final)
    assert text_of(final) == "old"


def test_the_old_folder_stays_where_the_new_one_is_missing(tmp_path, final):
    folder_with(final, "old")
    with pytest.raises(FileNotFoundError):
        replace_folder(tmp_path / "missing", final)
    restore_folder(final)
    assert text_of(final) == "old"


def test_a_file_is_whole_or_as_it_was(tmp_path):
    path = tmp_path / "deep" / "file.txt"
    with replacing(path) as temporary:
        temporary.write_text("one")
        assert not path.exists()
    with pytest.raises(KeyboardInterrupt), replacing(path) as temporary:  # noqa: PT012
        temporary.write_text("tw")
        raise KeyboardInterrupt
    assert path.read_text() == "one"
    assert [own.name for own in path.parent.iterdir()] == ["file.txt"]


def test_json_of_equal_values_has_equal_bytes_and_what_is_no_number_is_refused(tmp_path):
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    for path in (first, second):
        write_json(path, {"ü": [1, 0.5, None], "a": "São Paulo"})
    assert first.read_bytes() == second.read_bytes()
    assert "São Paulo" in first.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match=r"(?i)nan|float"):
        write_json(first, {"a": float("nan")})
    assert first.read_bytes() == second.read_bytes()
    with pytest.raises(ValueError, match=r"(?i)nan|float"):
        sha256_of_json([float("nan")])
