"""A death at any line of the store's code leaves in the table what is on the disk."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from stored_runs import TARGET, passes, sending, written_run

import evaluate_shelf.submissions as package
from evaluate_shelf.runs.reading import load_run
from evaluate_shelf.submissions.leases import Leases
from evaluate_shelf.submissions.queue import Queue
from evaluate_shelf.submissions.records import KEPT, Passed
from evaluate_shelf.submissions.run_files import content_id
from evaluate_shelf.submissions.store import Store

_CODE = tuple(
    str(Path(package.__file__).with_name(f"{name}.py"))
    for name in ("store", "holdings", "run_files", "queue", "jobs", "leases", "database", "scratch")
)
DIGEST = "d" * 64
Act = Callable[[Store, Path], object]


def dies_at(line: int, work: Callable[[], object]) -> bool:
    """Do some work in a process that dies at the so-manieth line of the store; whether it did."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    # Only the forked process comes here; it must not return into pytest.
    seen = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal seen
        if frame.f_code.co_filename not in _CODE:
            return None
        if event == "line":
            seen += 1
            if seen == line:
                os._exit(9)
        return trace

    status = 1
    try:
        sys.settrace(trace)
        work()
        status = 0
    finally:
        os._exit(status)


def check_consistent(store: Store) -> None:
    """What is in the table is on the disk, whole; once swept, nothing else is."""
    kept = {own.id for own in store.submissions() if own.state in KEPT}
    for identity in kept:
        assert content_id(store.run_folder(identity)) == identity
        load_run(store.run_folder(identity))
    for own in store.submissions():
        assert store.events(own.id)[-1].state == own.state
        assert own.state in KEPT or (own.run, own.found) == (None, {})
    for job in Queue(store).jobs():
        assert store.events(job.id)[-1].state == job.state
        assert job.state != "done" or job.submission in kept
    store.sweep()
    runs = store.folder / "runs"
    assert {path.name for path in runs.glob("*")} == kept
    assert not list((store.folder / "scratch").glob("*"))


def receive(store: Store, run: Path) -> object:
    return store.receive(sending(run), digest=DIGEST, user="ann", check=passes)


def receive_flagged(store: Store, run: Path) -> object:
    return store.receive(
        sending(run), digest=DIGEST, user="ann", check=lambda _: Passed(flags=("look",))
    )


def refuse(store: Store, run: Path) -> object:
    return store.refuse(content_id(run), "why", "maria")


def withdraw(store: Store, run: Path) -> object:
    return store.withdraw(content_id(run), "ann")


def work_off(store: Store, run: Path) -> object:
    leases = Leases(store)
    Queue(store).enqueue("owner/name", TARGET, "ann")
    claim = leases.claim(TARGET, "worker")
    if claim is None:
        return None
    with store.scratch() as folder:
        shutil.copytree(run, folder / "run")
        leases.pin(claim, "owner/name", "0" * 40)
        leases.renew(claim)
        return leases.finish(claim, folder / "run", Passed())


CASES = {
    "receive": (None, receive, "unverified"),
    "receive flagged": (None, receive_flagged, "received"),
    "refuse": (receive, refuse, "refused"),
    "withdraw": (receive, withdraw, "withdrawn"),
    "work off": (None, work_off, "verified"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_death_at_some_lines_leaves_a_store_that_holds(tmp_path: Path, case: str) -> None:
    assert deaths(tmp_path, *CASES[case], every=23) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_death_at_every_fourth_line_leaves_a_store_that_holds(tmp_path: Path, case: str) -> None:
    assert deaths(tmp_path, *CASES[case], every=4) > 25


def deaths(tmp_path: Path, before: Act | None, act: Act, ends: str, every: int) -> int:
    """Die at every so-manieth line, one after the other; gives how often."""
    run = written_run(tmp_path / "run")
    clean, place = tmp_path / "clean", tmp_path / "store"
    Store.create(clean)
    if before:
        before(Store(clean), run)
    for line in itertools.count(1, every):
        shutil.copytree(clean, place)
        died = dies_at(line, lambda: act(Store(place), run))
        store = Store(place)
        check_consistent(store)
        if died and [own.state for own in store.submissions()] != [ends]:
            do_again(store, act, run)
            check_consistent(store)
        assert [own.state for own in store.submissions()] == [ends]
        shutil.rmtree(place)
        if not died:
            return line // every
    raise AssertionError("it never comes to its end")


def do_again(store: Store, act: Act, run: Path) -> None:
    """Whoever comes next can do the same; a worker when the dead one's lease has run out."""
    [lapsed] = [job.lease_until for job in Queue(store).jobs(("claimed",))] or [None]
    act(store if lapsed is None else Store(store.folder, lambda: lapsed), run)
