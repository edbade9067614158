"""What is the worker's trouble, or the Hub's, and never the model's."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest
import typer
from job_terms import terms
from model_hub import ModelHub, model_hub
from stored_runs import Clock, store_in
from typer.testing import CliRunner

from evaluate_shelf.cli.worker import worker
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.submissions import evaluating, readiness
from evaluate_shelf.submissions.evaluating import HubEvaluation
from evaluate_shelf.submissions.fetching import UnreachableError, fetched
from evaluate_shelf.submissions.job_records import HubModel
from evaluate_shelf.submissions.leases import Leases
from evaluate_shelf.submissions.model_files import RefusedModelError
from evaluate_shelf.submissions.queue import Queue
from evaluate_shelf.submissions.worker import Loop, Tally, work

MODEL = HubModel("owner/name", None)
FILES = {
    "config.json": b"{}",
    "tokenizer.json": b"{}",
    "model.safetensors": b"\x02\0\0\0\0\0\0\0{}",
}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def leases(tmp_path: Path, clock: Clock) -> Leases:
    return Leases(store_in(tmp_path / "store", clock), lease_seconds=1000)


def once(leases: Leases) -> Tally:
    own = terms(seconds=300.0)
    return work(leases, own.target, HubEvaluation(own), loop=Loop(once=True))


def asked_instead(monkeypatch: pytest.MonkeyPatch, hub: ModelHub) -> None:
    """Let this process ask that Hub."""
    from huggingface_hub import constants

    files = f"{hub.url}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr(constants, "ENDPOINT", hub.url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", files)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_fault_of_the_hub_is_none_of_the_model(
    monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    with model_hub() as hub:
        asked_instead(monkeypatch, hub)
        hub.add("owner/name", FILES, status=status)
        with pytest.raises(UnreachableError, match=str(status)) as raised:
            fetched(MODEL)
    assert hub.url not in str(raised.value)


@pytest.mark.parametrize("place", ["http://127.0.0.1:{port}", "http://hub.invalid"])
def test_a_hub_that_cannot_be_reached_is_none_of_the_model(
    leases: Leases, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", place.format(port=closed_port()))
    queue = Queue(leases.store)
    job = queue.enqueue("owner/name", terms().target, "ann")
    assert once(leases) == Tally(again=1)
    waits = queue.get(job.id)
    assert (waits.state, waits.attempts) == ("queued", 0)
    assert waits.not_before > leases.store.database.clock()
    # Anybody may read the reason; what the client said is for maintainers.
    assert not any(word in str(waits.reason) for word in ("rrno", "127.0", "invalid", "http"))
    assert queue.store.events(job.id)[-1].detail


def test_a_hub_that_goes_away_between_two_files_is_none_of_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone(*_: object, **__: object) -> str:
        from huggingface_hub.errors import LocalEntryNotFoundError

        raise LocalEntryNotFoundError("no connection, and not in the cache")

    with model_hub() as hub:
        asked_instead(monkeypatch, hub)
        hub.add("owner/name", FILES)
        monkeypatch.setattr("huggingface_hub.hf_hub_download", gone)
        with pytest.raises(UnreachableError):
            fetched(MODEL)


def test_a_full_disk_is_no_fault_of_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    with model_hub() as hub:
        asked_instead(monkeypatch, hub)
        hub.add("owner/name", FILES)
        monkeypatch.setattr("huggingface_hub.hf_hub_download", full)
        with pytest.raises(ShelfError) as raised:
            fetched(MODEL)
    assert not isinstance(raised.value, UnreachableError | RefusedModelError)


@pytest.mark.parametrize("missing", readiness.NEEDED)
def test_a_worker_that_can_evaluate_nothing_says_so_and_claims_nothing(
    leases: Leases, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    job = Queue(leases.store).enqueue("owner/name", terms().target, "ann")
    monkeypatch.setitem(sys.modules, missing, None)
    result = ran(leases)
    assert isinstance(result, ShelfError)
    assert missing.replace("_", "-") in str(result)
    assert "pip install" in str(result)
    now = Queue(leases.store).get(job.id)
    assert (now.state, now.attempts) == ("queued", 0)


@pytest.mark.parametrize(("again", "status"), [(False, 1), (True, 0)])
def test_a_worker_that_ends_tells_by_its_status_whether_a_job_failed(
    leases: Leases, monkeypatch: pytest.MonkeyPatch, again: bool, status: int
) -> None:
    def fails(*_: object) -> Path:
        raise evaluating.JobFailedError("it is not evaluated", again=again)

    monkeypatch.setattr(readiness, "NEEDED", ())
    monkeypatch.setattr(HubEvaluation, "__call__", fails)
    # Its folder's own clock, as the command has it.
    Queue(leases.store).enqueue("owner/name", terms().target, "ann")
    assert ran(leases) == status


def ran(leases: Leases) -> int | BaseException:
    """The status of `shelf worker --once` on a store, or what it raised."""
    app = typer.Typer()
    app.command()(worker)
    store = ["--store", str(leases.store.folder), "--data", str(shipped_release())]
    result = CliRunner().invoke(app, [*store, "--config", "all", "--once"])
    if result.exception and not isinstance(result.exception, SystemExit):
        return result.exception
    return result.exit_code


STAGE = """
from evaluate_shelf.submissions import stages
class PanicException(BaseException): pass
def breaks(request): raise {error}
stages._fetch = breaks
stages.main()
"""


@pytest.mark.parametrize(
    "error",
    [
        "PanicException('Precompiled: Error(\"Cannot parse precompiled_charsmap\")')",
        "ValueError('/srv/secret/x: bad')",
        "RecursionError('deep')",
    ],
)
def test_what_breaks_off_each_time_has_failed_after_the_third(
    leases: Leases, clock: Clock, monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    code = STAGE.format(error=error)
    monkeypatch.setattr(evaluating, "_STAGE", (sys.executable, "-c", code))
    queue = Queue(leases.store)
    job = queue.enqueue("owner/name", terms().target, "ann")
    for attempt in (1, 2, 3):
        tally = once(leases)
        ended = queue.get(job.id)
        assert ended.attempts == attempt
        assert (tally.failed, tally.again) == ((1, 0) if attempt == 3 else (0, 1))
        clock.now = max(clock.now, ended.not_before)
    assert ended.state == "failed"
    assert "broke off" in str(ended.reason)
    assert "3 attempts" in str(ended.reason)
    # A library's words may be a stranger's, or name folders of this machine.
    assert "charsmap" not in str(ended.reason)
    assert "secret" not in str(ended.reason)
    assert error.partition("(")[0] in queue.store.events(job.id)[-1].detail
    assert once(leases) == Tally()
