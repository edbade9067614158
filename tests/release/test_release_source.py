"""A release by its folder or by its id on the Hub; a loopback server stands in for the Hub."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from loopback_hub import Repository, hub_environment, loopback_hub
from release_forgery import Release
from shelf_process import shelf_in

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.manifest import read_manifest
from evaluate_shelf.release.source import release_folder
from evaluate_shelf.release.verification import verify_release

NAME = "owner/shelf-small"


@pytest.fixture(scope="module")
def hub(small_release):
    """A Hub with the small release."""
    with loopback_hub() as server:
        server.repositories[NAME] = Repository()
        server.repositories[NAME].commit(small_release)
        yield server


@pytest.fixture
def run_python(hub, tmp_path):
    """Run a program in a process of its own, since the Hub's address is read at import."""
    settings = hub_environment(hub.url, tmp_path)

    def run(program, *arguments, **environment):
        return subprocess.run(
            [sys.executable, "-c", program, *arguments],
            env={**settings, **environment},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run


@pytest.fixture
def shelf(hub, tmp_path):
    """Run `shelf evaluate bm25`."""
    command = shelf_in(tmp_path, env=hub_environment(hub.url, tmp_path), timeout=300)

    def run(*arguments, runs="runs", **environment):
        return command("evaluate", "bm25", *arguments, "--runs", tmp_path / runs, **environment)

    return run


def scores(folder: Path) -> bytes:
    (path,) = folder.rglob("scores.parquet")
    return path.read_bytes()


def assert_refused(result, *words):
    """Status 2, nothing on standard output, one message on standard error."""
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    (line,) = [line for line in result.stderr.splitlines() if line.strip()]
    assert line.startswith("shelf: ")
    for word in words:
        assert word in line


# Folders and what is neither


def test_a_folder_is_taken_as_it_is(small_release, monkeypatch):
    assert release_folder(str(small_release)) == small_release
    monkeypatch.chdir(small_release.parent)
    assert release_folder(small_release.name).resolve() == small_release.resolve()


def test_a_folder_comes_before_a_hub_id_of_the_same_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(NAME).mkdir(parents=True)
    assert release_folder(NAME).resolve() == (tmp_path / NAME).resolve()


def test_a_tilde_is_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "release").mkdir()
    assert release_folder("~/release") == tmp_path / "release"


@pytest.mark.parametrize(
    "source",
    [
        "nonsense", "a/b/c", "/no/such/folder", "./x", "../x/y", "-x/y", "owner/", "/name",
        "owner/name@", "owner name/x", "a\0b", "https://example.org/x", "owner/name\n", "ö/x",
        "~nosuchuser/x",
    ],
)  # fmt: skip
@pytest.mark.usefixtures("no_network")
def test_what_is_neither_a_folder_nor_an_id_is_refused(source):
    with pytest.raises(ShelfError):
        release_folder(source)


@pytest.mark.parametrize("source", ["owner/na--me", "owner/a..b", "owner/name.git", "owner/name-"])
@pytest.mark.usefixtures("no_network")
def test_an_id_that_the_hub_never_gives_is_refused(source):
    """`huggingface_hub` refuses these before it asks."""
    with pytest.raises(ShelfError, match=source):
        release_folder(source)


def test_a_file_is_refused(small_release):
    with pytest.raises(ShelfError, match="README"):
        release_folder(str(small_release / "README.md"))


# The Hub


def test_a_config_from_the_hub_gives_the_scores_of_the_folder(shelf, hub, small_release, tmp_path):
    arguments = ("--config", "v0_4_core", "--facet", "subject")
    local = shelf("--data", str(small_release), *arguments, runs="local")
    hub.requests.clear()
    remote = shelf("--data", NAME, *arguments, runs="remote")
    assert (local.returncode, remote.returncode) == (0, 0), remote.stderr
    assert scores(tmp_path / "remote") == scores(tmp_path / "local")
    assert any("parquet" in request for request in hub.requests)
    # Only what is needed is downloaded.
    assert not any(f"data/{name}/" in r for r in hub.requests for name in ("all", "same_lcc_pairs"))


def test_a_config_with_pairs_gives_the_scores_of_the_folder(shelf, small_release, tmp_path):
    arguments = ("--config", "all", "--facet", "subject")
    local = shelf("--data", str(small_release), *arguments, runs="local")
    remote = shelf("--data", NAME, *arguments, runs="remote")
    assert (local.returncode, remote.returncode) == (0, 0), remote.stderr
    assert scores(tmp_path / "remote") == scores(tmp_path / "local")


def test_the_default_config_gives_the_scores_of_the_folder(shelf, small_release, tmp_path):
    local = shelf("--data", str(small_release), "--facet", "subject", runs="local")
    remote = shelf("--data", NAME, "--facet", "subject", runs="remote")
    assert (local.returncode, remote.returncode) == (0, 0), remote.stderr
    assert scores(tmp_path / "remote") == scores(tmp_path / "local")


def test_what_was_downloaded_once_can_be_used_without_the_hub(shelf, tmp_path):
    arguments = ("--data", NAME, "--config", "v0_4_core", "--task", "lcc_retrieval")
    assert shelf(*arguments, runs="first").returncode == 0
    again = shelf(*arguments, runs="second", HF_HUB_OFFLINE="1")
    assert again.returncode == 0, again.stderr
    assert scores(tmp_path / "second") == scores(tmp_path / "first")


def test_a_revision_names_its_commit(shelf, hub, small_release, tmp_path):
    """The newest commit has one text changed."""
    name = "owner/changing"
    hub.repositories[name] = Repository()
    first = hub.repositories[name].commit(small_release)
    changed = Release.copy_of(small_release, tmp_path / "changed")
    changed.change_row("v0_4_core", 3, text="Bees.", body="Bees.", word_count=1)
    changed.rehash()
    hub.repositories[name].commit(changed.folder)
    for runs, source, folder in (
        ("old", f"{name}@{first}", small_release),
        ("new", name, changed.folder),
    ):
        arguments = ("--config", "v0_4_core", "--task", "lcc_retrieval")
        result = shelf("--data", source, *arguments, runs=runs)
        assert result.returncode == 0, result.stderr
        (run,) = (tmp_path / runs).rglob("run.json")
        data = json.loads(run.read_text(encoding="utf-8"))["data"]
        assert data["release_id"] == read_manifest(folder).release_id
    assert scores(tmp_path / "old") != scores(tmp_path / "new")


def test_a_damaged_file_of_the_hub_is_refused(shelf, hub, small_release, tmp_path):
    damaged = Release.copy_of(small_release, tmp_path / "damaged")
    damaged.change_row("v0_4_core", 3, lcc_code="Q")
    hub.repositories["owner/damaged"] = Repository()
    hub.repositories["owner/damaged"].commit(damaged.folder)
    result = shelf("--data", "owner/damaged", "--config", "v0_4_core", "--task", "lcc_retrieval")
    assert result.returncode == 2
    assert "test-00000-of-00001.parquet" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_repository_that_does_not_exist_is_refused_with_one_message(shelf, tmp_path):
    assert_refused(shelf("--data", "owner/nobody", "--config", "v0_4_core"), "owner/nobody")
    assert not (tmp_path / "runs").exists()


def test_a_revision_that_does_not_exist_is_refused_with_one_message(shelf):
    assert_refused(shelf("--data", f"{NAME}@v9", "--config", "v0_4_core"), f"{NAME}@v9")


def test_a_config_that_does_not_exist_is_refused_with_one_message(shelf):
    assert_refused(shelf("--data", NAME, "--config", "v0_4_cores"), "v0_4_cores", "v0_4_core")


def test_a_repository_that_is_no_release_is_refused_with_one_message(shelf, hub, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "README.md").write_text("# Something else\n")
    hub.repositories["owner/other"] = Repository()
    hub.repositories["owner/other"].commit(tmp_path / "other")
    assert_refused(shelf("--data", "owner/other", "--config", "v0_4_core"), "manifest.json")


def test_a_hub_that_does_not_answer_is_one_message(shelf):
    with socket.socket() as taken:
        # Bound but not listening: connections are refused at once.
        taken.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{taken.getsockname()[1]}"
        result = shelf("--data", NAME, "--config", "v0_4_core", HF_ENDPOINT=nowhere)
    assert_refused(result, NAME)


def test_no_hub_and_nothing_downloaded_is_one_message(shelf):
    result = shelf("--data", NAME, "--config", "v0_4_core", HF_HUB_OFFLINE="1")
    assert_refused(result, NAME)


def test_the_loopback_hub_serves_what_the_folder_holds(run_python, small_release):
    """Through the Hub's own client, so that the server above is one that it can read."""
    program = (
        "import sys; from huggingface_hub import snapshot_download; "
        "print(snapshot_download(sys.argv[1], repo_type='dataset'))"
    )
    done = run_python(program, NAME)
    assert done.returncode == 0, done.stderr
    folder = Path(done.stdout.strip())
    assert {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()} == {
        p.relative_to(small_release): p.read_bytes()
        for p in small_release.rglob("*")
        if p.is_file()
    }
    verify_release(folder)


@pytest.mark.parametrize("streaming", ["", "yes"])
def test_load_dataset_reads_a_release_from_the_hub(run_python, small_release, streaming):
    program = (
        "import sys, datasets; "
        "rows = datasets.load_dataset("
        "sys.argv[1], 'same_lcc_pairs', split='test', streaming=bool(sys.argv[2])); "
        "print(*(row['id'] for row in rows))"
    )
    done = run_python(program, NAME, streaming)
    assert done.returncode == 0, done.stderr
    ids = [row["id"] for row in Release(small_release).rows("same_lcc_pairs")]
    assert done.stdout.split() == ids
