"""`kill -9` at any moment, the same command again: the result of an undisturbed run."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.manifest import read_manifest
from evaluate_shelf.release.verification import verify_release

BUILD = ["build", "v0_4_core", "all", "same_lcc_pairs", "--documents", "1500", "--out", "release"]
EVALUATE = [
    "evaluate",
    "tfidf",
    "wordllama",
    "--data",
    str(shipped_release()),
    "--config",
    "all",
    "--facet",
    "subject",
]
MOMENTS = 4


def start(arguments: list[str], folder: Path) -> subprocess.Popen[bytes]:
    folder.mkdir(parents=True, exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "evaluate_shelf", *arguments],
        cwd=folder,
        env={**os.environ, "SHELF_CACHE": str(folder / "cache")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def seconds_of_an_undisturbed_run(arguments: list[str], folder: Path) -> float:
    began = time.monotonic()
    assert start(arguments, folder).wait() == 0
    return time.monotonic() - began


def killed_after(seconds: float, arguments: list[str], folder: Path) -> bool:
    """Kill the command after so many seconds; False if it had ended before."""
    process = start(arguments, folder)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
    return False


def contents(release: Path) -> dict[str, str]:
    manifest = verify_release(release)
    return {name: config.content_sha256 for name, config in manifest.configs.items()}


def hashes(runs: Path) -> dict[str, str]:
    """Of scores and items; `run.json` holds timings."""
    return {
        str(path.relative_to(runs)): sha256_of_file(path)
        for path in sorted(runs.rglob("*.parquet"))
    }


@pytest.mark.slow
def test_build_goes_on_after_kill(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    seconds = seconds_of_an_undisturbed_run(BUILD, whole)
    expected = contents(whole / "release")
    moments = random.Random(2026)
    killed = 0
    for moment in range(MOMENTS):
        folder = tmp_path / f"moment-{moment}"
        for _ in range(2):
            killed += killed_after(moments.uniform(0.1, 1.0) * seconds, BUILD, folder)
        assert start(BUILD, folder).wait() == 0
        assert contents(folder / "release") == expected
        assert [path.name for path in folder.iterdir() if path.name != "cache"] == ["release"]
    assert killed, "no run was interrupted; the moments are too late"


@pytest.mark.slow
def test_a_killed_build_leaves_the_old_release_whole(tmp_path: Path) -> None:
    first = [*BUILD[:-2], "--seed", "7", "--out", "release"]
    seconds = seconds_of_an_undisturbed_run(first, tmp_path)
    old = read_manifest(tmp_path / "release").release_id
    moments = random.Random(7)
    for _ in range(MOMENTS):
        if killed_after(moments.uniform(0.1, 0.7) * seconds, BUILD, tmp_path):
            verify_release(tmp_path / "release")
            # A machine that has become faster may have put the new one in place before the kill.
            if read_manifest(tmp_path / "release").release_id != old:
                return


@pytest.mark.slow
def test_evaluate_goes_on_after_kill(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    seconds = seconds_of_an_undisturbed_run(EVALUATE, whole)
    expected = hashes(whole / "runs")
    assert expected
    moments = random.Random(2027)
    killed = 0
    for moment in range(MOMENTS):
        folder = tmp_path / f"moment-{moment}"
        for _ in range(2):
            killed += killed_after(moments.uniform(0.1, 1.0) * seconds, EVALUATE, folder)
        assert start(EVALUATE, folder).wait() == 0
        assert hashes(folder / "runs") == expected
        assert not list((folder / "runs").rglob("progress"))
    assert killed, "no run was interrupted; the moments are too late"
