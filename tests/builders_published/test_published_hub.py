"""The published release by its id on the Hub; a loopback server stands in for the Hub."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback_hub import LoopbackHub, Repository, hub_environment, loopback_hub
from published_folder import PublishedFolder
from shelf_process import Shelf, shelf_in

from evaluate_shelf.release.manifest import read_manifest
from evaluate_shelf.release.verification import verify_release

NAME = "owner/published"
CONFIGS = ("transfer_lcshbench", "transfer_gutenberg")


@pytest.fixture
def hub() -> Iterator[LoopbackHub]:
    with loopback_hub() as server:
        server.repositories[NAME] = Repository()
        yield server


@pytest.fixture
def shelf(hub: LoopbackHub, tmp_path: Path) -> Shelf:
    """Run `shelf import-release` in a process of its own, since the Hub's address is read once."""
    options = [option for name in CONFIGS for option in ("--config", name)]
    command = shelf_in(tmp_path, env=hub_environment(hub.url, tmp_path), timeout=300)

    def run(source: str, out: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return command("import-release", source, "--out", out, *options, **environment)

    return run


@pytest.mark.slow
def test_a_pinned_revision_is_imported_and_named(
    hub: LoopbackHub, shelf: Shelf, published: PublishedFolder, tmp_path: Path
) -> None:
    commit = hub.repositories[NAME].commit(published.write(tmp_path / "published"))
    # A newer commit, which must not be taken.
    published.rows["transfer_lcshbench", "test"].pop()
    hub.repositories[NAME].commit(published.write(tmp_path / "newer"))
    done = shelf(f"{NAME}@{commit}", "out")
    assert done.returncode == 0, done.stderr
    manifest = verify_release(tmp_path / "out")
    assert sum(manifest.rows_of("transfer_lcshbench").values()) == 40
    assert f"{NAME}@{commit}" in manifest.configs["transfer_lcshbench"].source
    assert "no revision was named" not in done.stderr
    # Only what is needed is downloaded.
    parquet = [
        request for request in hub.requests if "/resolve/" in request and "parquet" in request
    ]
    assert parquet
    assert all(any(name in request for name in CONFIGS) for request in parquet)
    # And once: without the Hub, the same comes from the cache.
    again = shelf(f"{NAME}@{commit}", "again", HF_HUB_OFFLINE="1")
    assert again.returncode == 0, again.stderr
    assert read_manifest(tmp_path / "again").release_id == manifest.release_id


def test_without_a_revision_the_commit_is_told(
    hub: LoopbackHub, shelf: Shelf, published: PublishedFolder, tmp_path: Path
) -> None:
    commit = hub.repositories[NAME].commit(published.write(tmp_path / "published"))
    done = shelf(NAME, "out")
    assert done.returncode == 0, done.stderr
    assert f"give {NAME}@{commit}" in done.stderr
    source = read_manifest(tmp_path / "out").configs["transfer_gutenberg"].source
    assert f"{NAME}@{commit}" in source


def test_what_the_hub_does_not_have_is_refused(
    hub: LoopbackHub, shelf: Shelf, published: PublishedFolder, tmp_path: Path
) -> None:
    hub.repositories[NAME].commit(published.write(tmp_path / "published"))
    for source in ("owner/missing", f"{NAME}@{'0' * 40}", "owner/na--me"):
        done = shelf(source, "out")
        assert done.returncode == 2, done.stderr
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"shelf: {source}")
    assert not (tmp_path / "out").exists()


def test_a_path_that_leaves_the_folder_is_not_asked_for(
    hub: LoopbackHub, shelf: Shelf, published: PublishedFolder, tmp_path: Path
) -> None:
    published.patterns["transfer_lcshbench"]["test"] = "../other/test-*"
    hub.repositories[NAME].commit(published.write(tmp_path / "published"))
    done = shelf(NAME, "out")
    assert done.returncode == 2
    assert "README.md" in done.stderr
    assert not any("parquet" in request for request in hub.requests if "/resolve/" in request)


def test_files_that_are_missing_on_the_hub_are_refused(
    hub: LoopbackHub, shelf: Shelf, published: PublishedFolder, tmp_path: Path
) -> None:
    folder = published.write(tmp_path / "published")
    (folder / published.path("transfer_gutenberg", "test")).unlink()
    hub.repositories[NAME].commit(folder)
    done = shelf(NAME, "out")
    assert done.returncode == 2
    assert "config 'transfer_gutenberg', all splits: 42 rows expected, 0 found" in done.stderr
