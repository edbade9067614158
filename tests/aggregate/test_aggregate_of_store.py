"""What a store of submissions keeps of a re-run, and of when runs came, reaches the table."""

from __future__ import annotations

import json
from pathlib import Path

from stored_runs import Clock, passes, sending, store_in, written_run

from evaluate_shelf.aggregate.schema import Aggregate
from evaluate_shelf.aggregate.schema.rows import Row
from evaluate_shelf.submissions.records import Passed
from evaluate_shelf.submissions.store import Store
from space.serving.sources import Runs


def shown(store: Store) -> tuple[Aggregate, Row]:
    found = Runs((), (), store).first()
    [board] = [own for own in found.boards if not own.reported]
    [row] = board.rows
    return found, row


def sent(store: Store, run: Path) -> str:
    """The id of a run that somebody sends."""
    return store.receive(sending(run), digest="0" * 64, user="ann", check=passes).id


def claiming(run: Path, dollars: float) -> Path:
    value = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**value, "money_usd": dollars}))
    return run


def test_a_verified_row_shows_what_the_rerun_measured(tmp_path: Path) -> None:
    store = store_in(tmp_path / "store")
    run = claiming(written_run(tmp_path / "run", parameters=7), 0.0)
    identity = sent(store, run)
    found, row = shown(store)
    assert (row.status, row.facts_from, row.money_usd) == ("unverified", "claim", 0.0)
    assert found.models[row.model].parameters == 7
    again = claiming(written_run(tmp_path / "again", parameters=33), 2.5)
    store.verify(identity, again, "maria")
    found, row = shown(store)
    assert (row.status, row.facts_from, row.money_usd) == ("verified", "re-run", 2.5)
    assert found.models[row.model].parameters == 33
    measured = store.get(identity).measured
    assert measured is not None
    assert measured.parameters == 33


def test_the_first_of_two_runs_with_one_id_is_shown(tmp_path: Path) -> None:
    clock = Clock()
    store = store_in(tmp_path / "store", clock)
    for n, dollars in enumerate((5.0, 1.0, 2.0, 3.0, 9.0)):
        clock.forward(1)
        identity = sent(store, claiming(written_run(tmp_path / str(n)), dollars))
        if store.get(identity).state == "received":
            store.accept(identity, "maria")
        found, row = shown(store)
        assert row.money_usd == 5.0
        assert len(found.left_out) == (1 if n else 0)


def test_what_was_pointed_out_stays_with_a_run_that_was_accepted(tmp_path: Path) -> None:
    store = store_in(tmp_path / "store")
    flag = "the same answers as other (run 1) on 2 of 2 tasks"
    held = store.receive(
        sending(written_run(tmp_path / "run")),
        digest="0" * 64,
        user="ann",
        check=lambda _: Passed(flags=(flag,)),
    )
    store.accept(held.id, "maria")
    assert shown(store)[1].flagged == flag
    again = written_run(tmp_path / "again", parameters=33)
    store.verify(held.id, again, "maria")
    assert shown(store)[1].flagged == flag


def test_a_run_that_nothing_was_said_of_has_no_flag(tmp_path: Path) -> None:
    store = store_in(tmp_path / "store")
    sent(store, written_run(tmp_path / "run"))
    assert shown(store)[1].flagged is None
