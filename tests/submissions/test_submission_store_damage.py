"""What is lost or changed on the disk is seen, said, and put back; what fails leaves nothing."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from stored_runs import DIGEST, TARGET, Clock, sending, sent, store_in, written_run

from evaluate_shelf.submissions import store as store_module
from evaluate_shelf.submissions.database import DatabaseError
from evaluate_shelf.submissions.leases import Leases
from evaluate_shelf.submissions.queue import Queue
from evaluate_shelf.submissions.records import Passed
from evaluate_shelf.submissions.run_files import content_id
from evaluate_shelf.submissions.store import Store


def flip(path: Path) -> None:
    """Change a byte in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("how", ["changed", "lost"])
def test_a_damaged_run_is_said_to_be_and_heals_when_it_is_sent_again(
    store: Store, run: Path, how: str
) -> None:
    identity = sent(store, run).id
    place = store.run_folder(identity)
    if how == "changed":
        flip(place / "scores.parquet")
    else:
        shutil.rmtree(place)
    swept = store.sweep()
    assert (swept.damaged, swept.missing) == (
        ((identity,), ()) if how == "changed" else ((), (identity,))
    )
    assert store.get(identity).damaged
    assert [own.damaged for own in store.submissions()] == [True]
    assert [own.damaged for own in store.accepted_runs()] == [True]
    again = sent(store, run, "ben")
    assert (again.state, again.user, again.damaged) == ("unverified", "ann", False)
    assert content_id(place) == identity
    assert [own.damaged for own in store.accepted_runs()] == [False]
    assert [own.state for own in store.events(identity)] == ["unverified"] * 3
    assert not list((store.folder / "scratch").iterdir())


def test_a_damaged_run_that_no_sweep_has_seen_heals_too(store: Store, run: Path) -> None:
    identity = sent(store, run).id
    flip(store.run_folder(identity) / "scores.parquet")
    assert not sent(store, run).damaged
    assert content_id(store.run_folder(identity)) == identity


def test_a_run_whose_files_came_back_is_whole_again(
    store: Store, run: Path, tmp_path: Path
) -> None:
    identity = sent(store, run).id
    store.run_folder(identity).rename(tmp_path / "away")
    assert store.sweep().missing == (identity,)
    (tmp_path / "away").rename(store.run_folder(identity))
    store.sweep()
    assert not store.get(identity).damaged


def test_a_sweep_without_time_looks_at_nothing_and_the_next_at_those_it_left(
    store: Store, run: Path, tmp_path: Path
) -> None:
    flip(store.run_folder(sent(store, run).id) / "scores.parquet")
    assert store.sweep(seconds=0).damaged == ()
    assert len(store.sweep().damaged) == 1


def test_what_a_run_became_cannot_be_sent_back_by_damage(store: Store, run: Path) -> None:
    """A maintainer refused it; nothing is put back."""
    identity = sent(store, run).id
    store.refuse(identity, "not the model that it names", "maria")
    assert sent(store, run).state == "refused"
    assert not store.run_folder(identity).exists()


def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the row's statement fail as it does on a full disk."""

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store_module, "_write_row", full)


def test_a_disk_that_is_full_at_the_row_leaves_no_folder(
    store: Store, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        failing(patched)
        with pytest.raises(DatabaseError, match="full"):
            sent(store, run)
    assert list((store.folder / "runs").iterdir()) == []
    assert list((store.folder / "scratch").iterdir()) == []
    assert store.submissions() == []
    assert sent(store, run).state == "unverified"


def test_a_worker_whose_row_fails_has_its_run_still(
    store: Store, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Queue(store).enqueue("owner/name", TARGET, "ann")
    leases = Leases(store)
    claim = leases.claim(TARGET, "one")
    assert claim is not None
    with store.scratch() as folder:
        shutil.copytree(run, folder / "run")
        with monkeypatch.context() as patched:
            failing(patched)
            with pytest.raises(DatabaseError):
                leases.finish(claim, folder / "run", Passed())
        assert content_id(folder / "run") == content_id(run)
        assert leases.finish(claim, folder / "run", Passed()).state == "verified"


def test_a_run_id_that_is_kept_holds_the_next_run_with_it(
    store: Store, run: Path, tmp_path: Path
) -> None:
    """Whatever the check has seen: it may have looked before the first was kept."""
    first = sent(store, run)
    second = written_run(tmp_path / "second", scores={"lcc_retrieval": 0.9})
    held = sent(store, second, "ben")
    assert held.run is not None
    assert first.run is not None
    assert held.run.run_id == first.run.run_id
    assert held.state == "received"
    assert first.id[:12] in held.flags[0]
    assert [own.id for own in store.accepted_runs()] == [first.id]
    store.withdraw(first.id, "ann")
    store.withdraw(held.id, "ben")
    assert sent(store, second, "ben").state == "unverified"


def test_a_list_is_the_newest_in_pages_without_what_the_check_found(tmp_path: Path) -> None:
    clock = Clock()
    store = store_in(tmp_path / "timed", clock)
    ids = []
    for number in range(5):
        clock.forward(1)
        run = written_run(tmp_path / f"run{number}", f"owner/name{number}")
        submission = store.receive(
            sending(run),
            digest=DIGEST,
            user="ann",
            check=lambda _: Passed(found={"long": "x" * 100_000}),
            hold=lambda passed: False,
        )
        ids.append(submission.id)
    store.withdraw(ids[1], "ann")
    assert [own.id for own in store.newest(most=2)] == ids[:2:-1]
    assert [own.id for own in store.newest(most=2, offset=2)] == ids[2:0:-1]
    assert [own.id for own in store.newest(("withdrawn",), most=9)] == [ids[1]]
    assert (store.count(), store.count(("unverified", "received"))) == (5, 4)
    assert [own.found for own in store.submissions()] == [{}] * 5
    assert len(store.get(ids[0]).found["long"]) == 100_000
