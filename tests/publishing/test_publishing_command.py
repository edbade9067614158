"""`shelf publish` in processes of its own, and what others then read from the Hub."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading

import pyarrow.parquet as pq
import pytest
from writable_hub import READER, WRITER, Fault, contents, released

from evaluate_shelf.release.manifest import read_manifest
from evaluate_shelf.release.verification import verify_release

NAME = "owner/shelf"
COMMAND = [sys.executable, "-m", "evaluate_shelf", "publish"]


def start(folder, environment, cwd):
    return subprocess.Popen(
        [*COMMAND, str(folder), NAME],
        env=environment,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_python(program, *arguments, environment, cwd):
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def assert_refused(result, *words):
    """Status 2, nothing on standard output, one message on standard error."""
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    last = result.stderr.splitlines()[-1]
    assert last.startswith("shelf: ")
    assert all(word in last for word in words)


def test_the_command_publishes_and_then_has_nothing_to_do(shelf, hub, first_release):
    planned = json.loads(shelf("publish", first_release, NAME, "--dry-run", "--json").stdout)
    assert hub.repositories == {}
    result = shelf("publish", first_release, NAME, "--json")
    assert result.returncode == 0, result.stderr
    done = json.loads(result.stdout)
    assert done["oid"] == hub.repositories[NAME].head
    assert done["release_id"] == read_manifest(first_release).release_id
    assert done["added"] == planned["added"] == sorted(contents(first_release))
    assert WRITER not in result.stdout + result.stderr
    again = shelf("publish", first_release, NAME)
    assert again.returncode == 0, again.stderr
    assert done["oid"] in again.stdout
    assert len(hub.repositories[NAME].made) == 1


def test_the_commands_options_reach_the_hub(shelf, hub, first_release, second_release):
    assert shelf("publish", first_release, NAME, "--private", "--message", "One").returncode == 0
    repository = hub.repositories[NAME]
    assert repository.private
    assert repository.made[0].summary == "One"
    repository.references["next"] = repository.head
    result = shelf("publish", second_release, NAME, "--pull-request", "--revision", "next")
    assert result.returncode == 0, result.stderr
    assert f"{hub.url}/datasets/{NAME}/discussions/1" in result.stdout
    assert repository.head == repository.references["next"] == repository.made[0].oid


def test_a_dry_run_names_every_file(shelf, hub, first_release, second_release):
    assert shelf("publish", first_release, NAME).returncode == 0
    lines = shelf("publish", second_release, NAME, "--dry-run").stdout.splitlines()
    before, after = contents(first_release), contents(second_release)
    expected = {("delete", path) for path in before.keys() - after.keys()}
    expected |= {
        ("replace", path) for path in before.keys() & after.keys() if before[path] != after[path]
    }
    expected |= {("add", path) for path in after.keys() - before.keys()}
    assert {tuple(line.split()) for line in lines[:-1]} == expected


@pytest.mark.parametrize(
    ("repo", "variables", "words"),
    [
        (NAME, {"HF_TOKEN": None}, ["hf auth login", NAME]),
        (NAME, {"HF_TOKEN": "hf_unknown"}, ["hf auth login", NAME]),
        (NAME, {"HF_TOKEN": READER}, ["hf auth login", NAME]),
        (NAME, {"HF_HUB_OFFLINE": "1"}, ["HF_HUB_OFFLINE"]),
        ("shelf", {}, ["owner/name"]),
        ("no such/name", {}, ["no such/name"]),
    ],
)
def test_what_the_user_did_not_get_right_is_one_message(
    shelf, hub, first_release, repo, variables, words
):
    result = shelf("publish", first_release, repo, **variables)
    assert_refused(result, *words)
    assert not any(token in result.stderr for token in (WRITER, READER, "hf_unknown"))
    assert hub.repositories == {}


def test_a_folder_that_is_no_release_is_one_message(shelf, hub, tmp_path):
    (tmp_path / "empty").mkdir()
    assert_refused(shelf("publish", "empty", NAME), "empty", "manifest.json")
    assert_refused(shelf("publish", NAME, "empty"), "owner/name")
    assert hub.requests == []


def test_what_never_was_a_release_is_replaced_only_if_asked(shelf, hub, first_release):
    repository = hub.create(NAME)
    repository.add({"train.csv": b"mine"}, "mine")
    assert_refused(shelf("publish", first_release, NAME, "--dry-run"), "train.csv", "--replace")
    listed = shelf("publish", first_release, NAME, "--replace", "--dry-run").stdout.splitlines()
    assert ["delete", "train.csv"] in [line.split() for line in listed]
    assert repository.files == {"train.csv": b"mine"}
    assert shelf("publish", first_release, NAME, "--replace").returncode == 0
    assert repository.files == contents(first_release)


def test_a_hub_without_xet_is_sent_to_without_it(shelf, hub, first_release):
    result = shelf("publish", first_release, NAME, HF_HUB_DISABLE_XET=None)
    assert result.returncode == 0, result.stderr
    assert not any("xet" in request for request in hub.requests)
    assert hub.uploads
    assert released(hub.repositories[NAME].files) == contents(first_release)


@pytest.mark.parametrize("status", [200, 404])
def test_a_hub_without_xet_is_one_message_to_who_insists(shelf, hub, first_release, status):
    pytest.importorskip("hf_xet")
    hub.faults = [Fault("xet-write-token", "status", 10**6, status=status)]
    insists = {"HF_HUB_DISABLE_XET": "0", "HF_XET_CLIENT_RETRY_MAX_ATTEMPTS": "0"}
    result = shelf("publish", first_release, NAME, **insists)
    assert any("xet-write-token" in request for request in hub.requests)
    assert_refused(result, "HF_HUB_DISABLE_XET=1")
    assert hub.repositories[NAME].made == []


def test_two_processes_at_once_leave_two_whole_releases(
    hub, environment, tmp_path, first_release, second_release
):
    """Both have compared with the same commit before either may commit."""
    repository = hub.create(NAME)
    both, arrived = threading.Barrier(2), iter(range(2))

    def meet(name):
        if next(arrived, None) is not None:
            both.wait(timeout=120)

    hub.before_commit = meet
    folders = first_release, second_release
    processes = [start(folder, environment, tmp_path) for folder in folders]
    answers = [process.communicate(timeout=240) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], answers
    attempts = [request for request in hub.requests if "/commit/" in request]
    assert len(attempts) == 3
    assert len(repository.made) == 2
    trees = [released(repository.commits[record.oid]) for record in repository.made]
    assert contents(first_release) in trees
    assert contents(second_release) in trees
    assert repository.made[1].parent == repository.made[0].oid
    for record, tree in zip(repository.made, trees, strict=True):
        (out,) = (out for out, _ in answers if record.oid in out)
        assert tree == contents(folders[[out for out, _ in answers].index(out)])


def killed_at(moment, hub, launch):
    """Launch a process and kill it when the Hub gets a request for which `moment` is true."""
    launched = threading.Event()
    processes = []

    def kill(request):
        if moment(request):
            launched.wait(timeout=120)
            processes[0].kill()
            processes[0].wait()

    hub.on_request = kill
    processes.append(launch())
    launched.set()
    processes[0].communicate(timeout=120)
    hub.on_request = lambda request: None
    return processes[0].returncode == -signal.SIGKILL


@pytest.mark.slow
def test_a_process_that_dies_publishes_nothing_and_the_next_one_all(
    hub, environment, tmp_path, first_release, second_release
):
    """Killed at the upload modes, at an upload, at the commit and when it reads back."""
    repository = hub.create(NAME)
    repository.add({**repository.files, **contents(first_release)}, "first")
    first = repository.head

    def launch():
        return start(second_release, environment, tmp_path)

    for moment in (
        lambda request: "/preupload/" in request,
        lambda request: request.startswith("PUT"),
        lambda request: "/commit/" in request,
        lambda request: "/tree/" in request and repository.head != first,
    ):
        repository.references["main"] = first
        hub.storage.clear()
        assert killed_at(moment, hub, launch)
        # What the Hub had received whole it may still do.
        assert released(repository.files) in (contents(first_release), contents(second_release))
        process = launch()
        _, account = process.communicate(timeout=120)
        assert process.returncode == 0, account
        assert released(repository.files) == contents(second_release)
        assert released(repository.commits[first]) == contents(first_release)


def test_a_hub_that_is_not_there_is_one_message(first_release, environment, tmp_path):
    """Without the waits, which the other tests look at."""
    program = (
        "import sys, time; time.sleep = lambda seconds: None\n"
        "sys.argv = ['shelf', 'publish', *sys.argv[1:]]\n"
        "from evaluate_shelf.cli import main; main()"
    )
    with socket.socket() as taken:
        # Bound but not listening: connections are refused at once.
        taken.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{taken.getsockname()[1]}"
        result = subprocess.run(
            [sys.executable, "-c", program, str(first_release), NAME],
            env={**environment, "HF_ENDPOINT": nowhere},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert_refused(result, nowhere, "given up")


# What others read


@pytest.fixture
def published(hub, push, first_release, second_release):
    """A repository whose newest commit has the second release, the one before it the first."""
    return push(first_release).oid, push(second_release).oid


@pytest.mark.parametrize("streaming", ["", "yes"])
@pytest.mark.parametrize(("place", "config"), [(0, "same_lcc_pairs"), (1, "v0_4_core")])
def test_load_dataset_reads_what_was_published(
    published, environment, tmp_path, first_release, second_release, place, config, streaming
):
    """The first release at its commit, the second as the newest."""
    program = (
        "import json, sys, datasets\n"
        "rows = datasets.load_dataset(sys.argv[1], sys.argv[2], split='test',\n"
        "    streaming=bool(sys.argv[3]), revision=sys.argv[4] or None)\n"
        "print(json.dumps([row['id'] for row in rows]))"
    )
    folder, revision = ((first_release, published[0]), (second_release, ""))[place]
    arguments = (NAME, config, streaming, revision)
    printed = run_python(program, *arguments, environment=environment, cwd=tmp_path)
    files = sorted((folder / "data" / config).glob("test-*.parquet"))
    assert json.loads(printed) == [
        row for file in files for row in pq.read_table(file)["id"].to_pylist()
    ]


def test_any_revision_is_a_release_that_verifies(
    published, environment, tmp_path, first_release, second_release
):
    program = (
        "import sys; from huggingface_hub import snapshot_download\n"
        "snapshot_download(sys.argv[1], repo_type='dataset', revision=sys.argv[2],\n"
        "    local_dir=sys.argv[3])"
    )
    for revision, folder in zip(published, (first_release, second_release), strict=True):
        place = str(tmp_path / revision)
        run_python(program, NAME, revision, place, environment=environment, cwd=tmp_path)
        assert verify_release(tmp_path / revision) == verify_release(folder)


def test_a_release_is_found_by_repository_and_revision(
    published, environment, tmp_path, first_release, second_release
):
    program = (
        "import sys; from evaluate_shelf.release.manifest import read_manifest\n"
        "from evaluate_shelf.release.source import release_folder\n"
        "print(*(read_manifest(release_folder(source)).release_id for source in sys.argv[1:]))"
    )
    sources = [f"{NAME}@{published[0]}", f"{NAME}@{published[1]}", NAME]
    printed = run_python(program, *sources, environment=environment, cwd=tmp_path)
    ids = [read_manifest(folder).release_id for folder in (first_release, second_release)]
    assert printed.split() == [*ids, ids[1]]


def test_a_model_is_scored_on_what_was_published(shelf, published, tmp_path, first_release):
    result = shelf(
        "evaluate", "bm25", "--data", f"{NAME}@{published[0]}", "--config", "v0_4_core",
        "--task", "lcc_retrieval", "--runs", tmp_path / "runs",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    (run,) = (tmp_path / "runs").rglob("run.json")
    data = json.loads(run.read_text(encoding="utf-8"))["data"]
    assert data["release_id"] == read_manifest(first_release).release_id
