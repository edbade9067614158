from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from job_terms import terms
from stored_runs import TARGET, Clock, passes, sending, store_in, written_run
from typer.testing import CliRunner

from benchmarks.worker_queue import Plan, disturbed
from evaluate_shelf.cli.submissions import submissions
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.submissions.database import DatabaseError
from evaluate_shelf.submissions.evaluating import (
    Evaluation,
    HubEvaluation,
    JobFailedError,
    Pin,
)
from evaluate_shelf.submissions.job_records import Job
from evaluate_shelf.submissions.leases import LeaseLostError, Leases
from evaluate_shelf.submissions.queue import Queue
from evaluate_shelf.submissions.records import Passed
from evaluate_shelf.submissions.refusals import Refused
from evaluate_shelf.submissions.stages import ANSWER, ANSWERS, Evaluated
from evaluate_shelf.submissions.supervising import (
    Pulse,
    TooLongError,
    environment_in,
    last_words,
    supervised,
)
from evaluate_shelf.submissions.worker import Loop, Renewal, Tally, work

ONCE = Loop(once=True)
COMMIT = "0" * 40
ROOT = Path(__file__).parents[2]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def leases(tmp_path: Path, clock: Clock) -> Leases:
    return Leases(store_in(tmp_path / "store", clock), lease_seconds=100)


@pytest.fixture
def queue(leases: Leases) -> Queue:
    return Queue(leases.store)


def copies(job: Job, folder: Path, pulse: Pulse, pin: Pin) -> Path:
    """An evaluation that writes a small run of the job's model."""
    pin(job.asked, COMMIT)
    pulse()
    run = folder / "run"
    run.mkdir()
    return written_run(run, job.asked)


def then(change: Callable[[Path], object]) -> Evaluation:
    """The same, with something changed in the run."""

    def evaluation(job: Job, folder: Path, pulse: Pulse, pin: Pin) -> Path:
        run = copies(job, folder, pulse, pin)
        change(run)
        return run

    return evaluation


def raises(error: BaseException) -> Evaluation:
    def evaluation(job: Job, folder: Path, pulse: Pulse, pin: Pin) -> Path:
        (folder / "half").write_text("x")
        raise error

    return evaluation


def worked(leases: Leases, evaluation: Evaluation, **how: object) -> Tally:
    return work(leases, TARGET, evaluation, name="one", loop=ONCE, **how)  # type: ignore[arg-type]


def test_a_worker_works_off_what_is_queued_and_ends(queue: Queue, leases: Leases) -> None:
    names = [f"owner/name{number}" for number in range(5)]
    for name in names:
        queue.enqueue(name, TARGET, "ann")
    said: list[str] = []
    assert worked(leases, copies, say=said.append) == Tally(done=5)
    assert [own.status for own in queue.store.accepted_runs()] == ["computed"] * 5
    runs = [own.run for own in queue.store.submissions()]
    assert sorted(run.model for run in runs if run) == names
    assert said
    assert not list((queue.store.folder / "scratch").iterdir())


def test_a_worker_waits_for_jobs_until_it_is_stopped(queue: Queue, leases: Leases) -> None:
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            raise KeyboardInterrupt
        queue.enqueue("owner/name", TARGET, "ann")

    with pytest.raises(KeyboardInterrupt):
        work(leases, TARGET, copies, loop=Loop(wait=wait))
    assert len(queue.store.accepted_runs()) == 1


def test_a_worker_that_is_stopped_gives_its_job_back(queue: Queue, leases: Leases) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")
    with pytest.raises(KeyboardInterrupt):
        worked(leases, raises(KeyboardInterrupt()))
    assert (queue.get(job.id).state, queue.get(job.id).attempts) == ("queued", 0)
    assert not list((queue.store.folder / "scratch").iterdir())
    assert worked(leases, copies).done == 1


@pytest.mark.parametrize(
    ("error", "state", "why"),
    [
        (JobFailedError("the Hub did not answer", again=True), "queued", "the Hub"),
        (JobFailedError("no safetensors in it", again=False), "failed", "no safetensors"),
        (TooLongError("it takes more than 12 hours"), "failed", "12 hours"),
        (ShelfError("/home/ann/models/x: not loaded"), "failed", "^x: not loaded"),
    ],
)
def test_an_attempt_that_fails_leaves_its_reason_and_nothing_else(
    queue: Queue, leases: Leases, error: ShelfError, state: str, why: str
) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")
    tally = worked(leases, raises(error))
    assert (tally.failed, tally.again) == (int(state == "failed"), int(state == "queued"))
    ended = queue.get(job.id)
    assert ended.state == state
    with pytest.raises(ShelfError, match=why):
        raise ShelfError(str(ended.reason))
    assert not queue.store.submissions()
    assert not list((queue.store.folder / "scratch").iterdir())


def test_a_fault_of_the_worker_stops_it_and_leaves_the_job_to_another(
    queue: Queue, leases: Leases
) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")
    with pytest.raises(OSError, match="disk"):
        worked(leases, raises(OSError("no space left on the disk")))
    assert queue.get(job.id).state == "queued"


def test_a_worker_that_comes_late_hands_in_nothing(
    queue: Queue, leases: Leases, clock: Clock
) -> None:
    queue.enqueue("owner/name", TARGET, "ann")

    def late(job: Job, folder: Path, pulse: Pulse, pin: Pin) -> Path:
        run = copies(job, folder, pulse, pin)
        clock.forward(leases.lease_seconds)
        # Another worker takes the job and is quicker.
        assert worked(leases, copies).done == 1
        return run

    assert worked(leases, late).lost == 1
    assert len(queue.store.accepted_runs()) == 1


def test_a_pulse_renews_a_lease_in_time(queue: Queue, leases: Leases, clock: Clock) -> None:
    queue.enqueue("owner/name", TARGET, "ann")

    def long(job: Job, folder: Path, pulse: Pulse, pin: Pin) -> Path:
        for _ in range(50):
            clock.forward(leases.lease_seconds / 5)
            pulse()
        return copies(job, folder, pulse, pin)

    assert worked(leases, long).done == 1


@pytest.fixture
def locked(leases: Leases, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Callable[[], object]]:
    """Locks the store, and gives what unlocks it; who comes does not wait."""
    monkeypatch.setattr("evaluate_shelf.submissions.database._BUSY_SECONDS", 0.0)

    def lock() -> Callable[[], object]:
        connection = sqlite3.connect(leases.store.database.path, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        return connection.close

    return lock


def test_a_store_that_is_locked_for_a_while_costs_no_evaluation(
    queue: Queue, leases: Leases, locked: Callable[[], Callable[[], object]]
) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")

    def evaluation(job: Job, folder: Path, pulse: Pulse, pin: Pin) -> Path:
        unlock = locked()
        pulse()
        unlock()
        return copies(job, folder, pulse, pin)

    assert worked(leases, evaluation) == Tally(done=1)
    assert (queue.get(job.id).state, queue.get(job.id).attempts) == ("done", 1)


def test_a_store_that_stays_locked_leaves_the_job_to_another_attempt(
    queue: Queue, leases: Leases
) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")
    tally = worked(leases, raises(DatabaseError("store.sqlite3: database is locked")))
    assert (tally.again, tally.failed) == (1, 0)
    waits = queue.get(job.id)
    assert waits.state == "queued"
    assert "locked" not in str(waits.reason)
    assert "locked" in queue.store.events(job.id)[-1].detail


def test_a_store_in_which_not_even_that_can_be_noted_stops_no_worker(
    queue: Queue, leases: Leases, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")
    monkeypatch.setattr(leases, "fail", raising(DatabaseError("store.sqlite3: locked")))
    assert worked(leases, raises(DatabaseError("store.sqlite3: locked"))).lost == 1
    monkeypatch.undo()
    clock.forward(leases.lease_seconds + 1)
    assert worked(leases, copies).done == 1
    assert queue.get(job.id).attempts == 2


def test_a_pulse_waits_for_a_locked_store_as_long_as_the_lease_holds(
    queue: Queue,
    leases: Leases,
    clock: Clock,
    locked: Callable[[], Callable[[], object]],
) -> None:
    queue.enqueue("owner/name", TARGET, "ann")
    claim = leases.claim(TARGET, "one")
    assert claim is not None
    pulse, unlock = Renewal(leases, claim), locked()
    pulse()
    clock.forward(leases.lease_seconds - 1)
    pulse()
    clock.forward(1)
    with pytest.raises(DatabaseError):
        pulse()
    unlock()


def raising(error: Exception) -> Callable[..., object]:
    def act(*_: object, **__: object) -> object:
        raise error

    return act


def test_a_job_that_is_withdrawn_stops_its_worker(
    queue: Queue, leases: Leases, clock: Clock
) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")

    def evaluation(job: Job, folder: Path, pulse: Pulse, pin: Pin) -> Path:
        queue.withdraw(job.id, "ann")
        clock.forward(leases.lease_seconds / 2)
        pulse()
        raise AssertionError("it went on")

    assert worked(leases, evaluation).lost == 1
    assert queue.get(job.id).state == "withdrawn"


def edited(**changes: object) -> Callable[[Path], object]:
    def edit(run: Path) -> None:
        file = json.loads((run / "run.json").read_text())
        for path, value in changes.items():
            part, _, name = path.partition("__")
            if name:
                file[part][name] = value
            else:
                file[part] = value
        (run / "run.json").write_text(json.dumps(file))

    return edit


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (edited(model__name="other/name"), "another model"),
        (edited(model__revision="1" * 40), "another commit"),
        (edited(protocol__key="other"), "another protocol"),
        (edited(data__release_id="bbbb"), "other data"),
        (edited(limit=100), "other data"),
        (edited(tasks={}), "not whole"),
        (lambda run: (run / "scores.parquet").write_bytes(b"x"), "not whole"),
        (lambda run: (run / "more.txt").write_text("x"), "more.txt"),
    ],
)
def test_a_run_that_is_not_the_jobs_is_not_handed_in(
    queue: Queue, leases: Leases, change: Callable[[Path], object], why: str
) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")
    assert worked(leases, then(change)).done == 0
    assert why in str(queue.get(job.id).reason)
    assert not queue.store.submissions()


def test_a_run_with_failed_tasks_fails_its_job(queue: Queue, leases: Leases) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")

    def fail(run: Path) -> None:
        file = json.loads((run / "run.json").read_text())
        file["tasks"]["form_retrieval"] = {"status": "failed", "reason": "MemoryError"}
        (run / "run.json").write_text(json.dumps(file))

    assert worked(leases, then(fail)).failed == 1
    assert "form_retrieval: MemoryError" in str(queue.get(job.id).reason)


def test_a_check_sees_each_run_before_it_is_handed_in(queue: Queue, leases: Leases) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")

    def check(run: Path) -> Passed:
        raise Refused("the scores do not follow")

    assert worked(leases, copies, check=check).failed == 1
    assert queue.get(job.id).reason == "the scores do not follow"
    queue.enqueue("owner/name", TARGET, "ann")
    assert worked(leases, copies, check=lambda _: Passed(flags=("the same",))).done == 1
    [accepted] = queue.store.accepted_runs()
    assert accepted.flags == ("the same",)


# --- processes


def python(*lines: str) -> list[str]:
    return [sys.executable, "-c", "\n".join(lines)]


DIES = (
    "import sys",
    "from evaluate_shelf.submissions.stages import *",
    "request = sys.stdin.buffer.readline()",
    "die_with_worker()",
)
WAITS = "import threading; threading.Event().wait()"
# For ever, and no other thread of the process has a turn.
SPINS = "import re; re.match('(a+)+$', 'a' * 99 + 'b')"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills what spins")


def nothing() -> None:
    """No sign of life is needed."""


def run_in(folder: Path, command: list[str], pulse: Pulse = nothing, seconds: float = 60) -> int:
    environment = environment_in(folder, network=False)
    return supervised(command, b"{}", folder, environment, seconds=seconds, pulse=pulse, every=0.01)


def test_a_process_sees_no_token_and_no_cache_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://user:secret@proxy")
    status = run_in(
        tmp_path,
        python("import os, json; json.dump(dict(os.environ), open('seen.json', 'w'))"),
    )
    assert status == 0
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert "secret" not in json.dumps(seen)
    assert seen["HF_HUB_OFFLINE"] == "1"
    assert all(seen[name].startswith(str(tmp_path)) for name in ("HOME", "HF_HOME", "SHELF_CACHE"))
    assert "HF_TOKEN" not in environment_in(tmp_path, network=True)


def test_nothing_in_the_folder_is_imported(tmp_path: Path) -> None:
    (tmp_path / "pydantic.py").write_text("raise SystemExit(7)")
    assert run_in(tmp_path, [sys.executable, "-m", "evaluate_shelf.submissions.stages"]) == 1
    # It was the request that it found wanting.
    assert "stage" in (tmp_path / "log.txt").read_text()


def test_a_process_that_takes_too_long_is_dead(tmp_path: Path) -> None:
    with pytest.raises(TooLongError, match="more than"):
        run_in(tmp_path, python(WAITS), seconds=0.0)


def test_what_a_process_started_dies_with_it_when_the_work_is_not_wanted(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    alive, ended = threading.Event(), threading.Event()

    def listen() -> None:
        with pipe.open("rb") as stream:
            alive.set()
            stream.read()
            ended.set()

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    inner = f"held = open({str(pipe)!r}, 'wb'); {WAITS}"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"

    def pulse() -> None:
        if alive.is_set():
            raise LeaseLostError("another has it")

    with pytest.raises(LeaseLostError):
        run_in(tmp_path, python(outer), pulse)
    assert ended.wait(60)


@pytest.mark.parametrize("does", [WAITS, pytest.param(SPINS, marks=LINUX)])
def test_a_process_dies_when_its_worker_is_killed(tmp_path: Path, does: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    inner = python(*DIES, f"held = open({str(pipe)!r}, 'wb'); {does}")
    outer = python(
        "from pathlib import Path",
        "from evaluate_shelf.submissions.supervising import *",
        f"folder = Path({str(tmp_path)!r})",
        f"supervised({inner!r}, b'{{}}', folder, environment_in(folder, network=False),",
        "           seconds=600, pulse=lambda: None, every=60)",
    )
    worker = subprocess.Popen(outer, env={**os.environ, "PYTHONPATH": str(ROOT)})
    with pipe.open("rb") as stream:
        # The inner process holds the other end: it lives.
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        assert stream.read() == b""


def test_ctrl_c_while_a_process_works_kills_it_and_gives_the_job_back(
    queue: Queue, leases: Leases
) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")

    def evaluation(job: Job, folder: Path, pulse: Pulse, pin: Pin) -> Path:
        run_in(folder, python(WAITS), lambda: signal.raise_signal(signal.SIGINT))
        raise AssertionError("it went on")

    with pytest.raises(KeyboardInterrupt):
        worked(leases, evaluation)
    assert queue.get(job.id).state == "queued"


def test_a_process_is_bounded_in_memory_and_file_size(tmp_path: Path) -> None:
    status = run_in(
        tmp_path,
        python(
            *DIES,
            "bound(2**30, 10_000)",
            "try: bytearray(2**30)",
            "except MemoryError: pass",
            "else: raise SystemExit(3)",
            "try:",
            "    with open('large', 'wb') as f: f.write(bytes(20_000))",
            "except OSError: raise SystemExit(5)",
        ),
    )
    assert status == 5
    assert (tmp_path / "large").stat().st_size <= 10_000


def test_a_process_that_refuses_the_network_reaches_nobody(tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        status = run_in(
            tmp_path,
            python(
                *DIES,
                "import socket",
                f"socket.create_connection(('127.0.0.1', {port})).close()",
                "refuse_network()",
                f"socket.create_connection(('127.0.0.1', {port}))",
            ),
        )
    assert status == 1
    assert last_words(tmp_path) == "OSError: no network while a model is evaluated"


# --- models


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sentence_transformers")
    from tiny_bert import tiny_encoder

    return tiny_encoder(tmp_path_factory.mktemp("models") / "tiny")


def shipped(leases: Leases, evaluation: Evaluation, say: Callable[[str], object] = print) -> Tally:
    return work(leases, terms().target, evaluation, local=True, loop=ONCE, say=say)


def test_a_model_that_is_not_vetted_is_not_evaluated(
    queue: Queue, leases: Leases, tmp_path: Path
) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    (tmp_path / "model" / "pytorch_model.bin").write_bytes(b"a pickle")
    job = queue.enqueue(f"st:{tmp_path}/model", terms().target, "ann", allow_local=True)
    assert shipped(leases, HubEvaluation(terms())).failed == 1
    assert "no safetensors in it" in str(queue.get(job.id).reason)


@pytest.mark.slow
def test_a_model_of_the_hub_is_fetched_evaluated_offline_and_handed_in(
    queue: Queue, leases: Leases, encoder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from loopback_hub import contents
    from model_hub import COMMIT, model_hub

    with model_hub() as hub:
        hub.add("owner/tiny", contents(encoder) | {"pytorch_model.bin": b"x", "own.py": b"1 / 0"})
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setenv("HF_TOKEN", "hf_secret")
        job = queue.enqueue("owner/tiny", terms().target, "ann")
        assert shipped(leases, HubEvaluation(terms())).done == 1, queue.get(job.id).reason
        assert not {"pytorch_model.bin", "own.py"} & hub.downloaded("owner/tiny")
        assert not any("authorization" in map(str.lower, own) for own in hub.headers)
    assert queue.get(job.id).revision == COMMIT
    [accepted] = queue.store.accepted_runs()
    run = queue.store.get(accepted.id).run
    assert run is not None
    assert (run.model, run.revision) == ("owner/tiny", COMMIT)
    assert run.spec == f"st:owner/tiny@{COMMIT}"


def test_an_answer_is_believed_in_its_form_alone(queue: Queue, leases: Leases) -> None:
    class Answers(HubEvaluation):
        answer = b""

        def _stage(self, request, folder, pulse, **_):  # type: ignore[no-untyped-def]
            (folder / ANSWER).write_bytes(self.answer)
            return ANSWERS.validate_json(self.answer)

    evaluation = Answers(terms())
    evaluation.answer = ANSWERS.dump_json(Evaluated(run="../../runs"))
    job = queue.enqueue("owner/name", terms().target, "ann")
    assert shipped(leases, evaluation).done == 0
    assert "nothing is known of it" in str(queue.get(job.id).reason)


# --- many workers


@pytest.mark.slow
def test_each_model_is_in_the_table_once_although_workers_are_killed(tmp_path: Path) -> None:
    plan = Plan(models=15, workers=3, kills=8, lease_seconds=3.0, work_seconds=0.2)
    left = disturbed(plan, tmp_path)
    assert not left.problems
    assert left.claims >= plan.models
    assert left.kills > 0


# --- the command line


@pytest.fixture
def shelf(queue: Queue) -> Callable[..., str]:
    app = typer.Typer()
    app.command()(submissions)

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(app, [str(queue.store.folder), *arguments])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == 0
        return result.stdout

    return run


def test_the_command_lists_shows_and_decides(
    queue: Queue, leases: Leases, shelf: Callable[..., str], tmp_path: Path
) -> None:
    run = written_run(tmp_path / "run")
    sent = leases.store.receive(
        sending(run), digest="d" * 64, user="ann", check=lambda _: Passed(flags=("look",))
    )
    [listed] = json.loads(shelf("list", "--json"))
    assert (listed["id"], listed["state"]) == (sent.id, "received")
    assert sent.id[:12] in shelf("list")
    shelf("accept", sent.id[:8], "--user", "maria")
    again = written_run(tmp_path / "again", scores={"lcc_retrieval": 0.501, "lcc_clustering": 0.5})
    shown = json.loads(shelf("verify", sent.id, "--run", str(again), "--user", "maria", "--json"))
    assert shown["state"] == "verified"
    assert [event["state"] for event in shown["events"]] == ["received", "unverified", "verified"]
    shelf("refuse", sent.id, "--reason", "a copy", "--user", "maria")
    assert "a copy" in shelf("show", sent.id)
    assert not queue.store.accepted_runs()


def test_the_command_shows_and_ends_jobs(queue: Queue, shelf: Callable[..., str]) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")
    assert "owner/name" in shelf("jobs")
    assert json.loads(shelf("show", job.id, "--json"))["state"] == "queued"
    with pytest.raises(ShelfError, match="only who asked"):
        shelf("withdraw", job.id, "--user", "ben")
    shelf("withdraw", job.id, "--user", "ann")
    assert queue.get(job.id).state == "withdrawn"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["nothing"], "known are"),
        (["show"], "by its id"),
        (["show", "0123456789"], "no submissions"),
        (["refuse", "ID"], "--reason"),
        (["refuse", "ID", "--reason", "  "], "reason is missing"),
        (["verify", "ID"], "--run"),
        (["withdraw", "ID"], "--user"),
        (["withdraw", "ID", "--user", "ben"], "only who sent it"),
        (["enqueue"], "a model is needed"),
        (["enqueue", "owner", "--data", str(shipped_release())], "owner/name"),
        (["enqueue", "st:/etc", "--data", str(shipped_release())], "--allow-local"),
    ],
)
def test_the_command_says_what_is_wrong(
    queue: Queue,
    leases: Leases,
    shelf: Callable[..., str],
    tmp_path: Path,
    arguments: list[str],
    why: str,
) -> None:
    run = written_run(tmp_path / "run")
    sent = leases.store.receive(sending(run), digest="d" * 64, user="ann", check=passes)
    before = queue.store.events(sent.id)
    with pytest.raises(ShelfError, match=why):
        shelf(*[sent.id if word == "ID" else word for word in arguments])
    assert queue.store.events(sent.id) == before


def test_a_table_shows_no_strangers_control_characters(
    queue: Queue, shelf: Callable[..., str]
) -> None:
    job = queue.enqueue("owner/name", TARGET, "ann")
    queue.refuse(job.id, "\x1b[2Jgone\nnext", "maria")
    assert "\x1b" not in shelf("jobs")
    assert len(shelf("jobs").splitlines()) == 2
