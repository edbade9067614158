from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra `space` is not installed")

from space.serving.temporary import sweep

ROOT = Path(__file__).parents[2]
# Says where its folder is, with an upload in it, and waits until somebody ends it.
SERVER = """
import sys
from space.serving.temporary import temporary_folder
folder = temporary_folder()
assert folder == temporary_folder()
(folder / "inner").mkdir()
(folder / "inner" / "upload.zip").write_bytes(b"PK")
print(folder, flush=True)
sys.stdin.read()
"""


@contextmanager
def server(place: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(place)},
    )
    assert process.stdout is not None
    try:
        yield process, Path(process.stdout.readline().strip())
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_goes_with_its_server(place: Path) -> None:
    with server(place) as (process, folder):
        assert folder.is_dir()
        process.communicate()
        assert process.returncode == 0
        assert list(place.iterdir()) == []


def test_the_folder_of_a_killed_server_goes_with_the_next_and_of_a_living_one_stays(
    place: Path,
) -> None:
    with server(place) as (_, living), server(place) as (killed, dead):
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert (dead / "inner" / "upload.zip").is_file()
        with server(place) as (_, third):
            assert not dead.exists()
            assert (living / "inner" / "upload.zip").is_file()
            assert set(place.iterdir()) == {living, third}


def test_what_is_no_folder_of_a_server_stays(place: Path) -> None:
    (place / "shelf-space-file").write_text("x")
    (place / "shelf-space-other").mkdir()
    (place / "shelf-space-other" / "kept").write_text("x")
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "owner.lock").write_text("")
    (place / "shelf-space-link").symlink_to(elsewhere)
    before = sorted(place.rglob("*"))
    assert sweep() == []
    assert sorted(place.rglob("*")) == before


def test_a_folder_of_which_a_sweep_left_something_is_swept_again(place: Path) -> None:
    left = place / "shelf-space-left"
    left.mkdir()
    (left / "owner.lock").write_text("")
    assert sweep() == [left.name]
    assert list(place.iterdir()) == []
