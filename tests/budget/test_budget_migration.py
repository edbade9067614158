"""A ledger of version 1 goes on: with all that it holds, and with what it could not say before."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from first_ledger import made_first
from small_ledger import TERMS, answer_to

from builders.budget.batches import reserve_batch
from builders.budget.entries import Reservation
from builders.budget.folder import ledger_file
from builders.budget.ledger import Ledger
from builders.budget.migration import migrate
from builders.budget.reading import read_answers
from builders.budget.schema import VERSION
from builders.budget.stops import why_stopped

OpenLedger = Callable[..., Ledger]
HELD = (
    "SELECT * FROM orders ORDER BY place",
    "SELECT number, order_id, state, bound, charged, batch, reason FROM attempts ORDER BY number",
    "SELECT * FROM answers ORDER BY order_id",
    "SELECT generator, cap, reserved, settled, unknown FROM budgets ORDER BY rowid",
    "SELECT name, value FROM meta ORDER BY name",
    "SELECT number, key, generator, endpoint_id, over FROM batches ORDER BY number",
)


def reserved(ledger: Ledger, generator: str = "a") -> Reservation:
    found = ledger.reserve(generator, lambda order: 100, TERMS)
    assert isinstance(found, Reservation)
    return found


@pytest.fixture
def file(open_small: OpenLedger, tmp_path: Path) -> Path:
    """A ledger of version 1 with something of everything."""
    ledger = open_small({"": 10_000, "a": 5_000})
    for generator, flags in (("a", ()), ("a", ("over", "usage")), ("b", ("empty",))):
        with ledger.transaction():
            own = reserved(ledger, generator)
            ledger.settle(own.attempt, dataclasses.replace(answer_to(own.order), flags=flags), 70)
    with ledger.transaction():
        ledger.lose(reserved(ledger).attempt, "cut")
        ledger.release(reserved(ledger, "b").attempt, "refused", failed=True)
    with ledger.transaction():
        reserve_batch(
            ledger, "b", lambda order: 100, TERMS, most_orders=2, shares=1,
            key_of=lambda orders, name: f"key {name}",
        )  # fmt: skip
    ledger.close()
    place = ledger_file(tmp_path / "corpus")
    made_first(place)
    return place


def held(file: Path) -> list[object]:
    connection = sqlite3.connect(file)
    found = [connection.execute(sql).fetchall() for sql in HELD]
    connection.close()
    return found


def test_nothing_that_it_holds_is_changed(file: Path, open_small: OpenLedger) -> None:
    before = held(file)
    open_small({}).close()
    assert held(file) == before
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA user_version").fetchall() == [(VERSION,)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def test_it_can_be_read_before(file: Path, tmp_path: Path) -> None:
    assert len(list(read_answers(tmp_path / "corpus"))) == 3
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA user_version").fetchall() == [(1,)]
    connection.close()


def test_it_goes_on_and_can_book_more_than_was_set_aside(
    file: Path, open_small: OpenLedger
) -> None:
    ledger = open_small({})
    with ledger.transaction():
        own = reserved(ledger, "b")
        ledger.settle(own.attempt, answer_to(own.order), 20_000)
    assert ledger.budget().charged == 3 * 70 + 100 + 20_000
    with pytest.raises(sqlite3.IntegrityError), ledger.transaction():
        ledger.reserved(own.order, 1)
    ledger.close()
    open_small({}).close()


def test_a_generator_whose_text_was_too_long_is_stopped(file: Path, open_small: OpenLedger) -> None:
    ledger = open_small({})
    assert why_stopped(ledger, "a") is not None
    assert why_stopped(ledger, "b") is None
    ledger.close()


def test_a_batch_under_way_may_have_been_made(file: Path, open_small: OpenLedger) -> None:
    ledger = open_small({})
    assert ledger.query("SELECT input_file FROM batches") == [("",)]
    ledger.close()


def test_a_migration_that_fails_leaves_the_ledger_as_it_was(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file.read_bytes()
    connection = sqlite3.connect(file, isolation_level=None)
    monkeypatch.setattr("builders.budget.migration.statements", lambda: ["CREATE TABLE attempts "])
    with pytest.raises((sqlite3.Error, ValueError)):
        migrate(connection)
    connection.close()
    assert file.read_bytes() == before


def test_a_new_ledger_is_left_alone(open_small: OpenLedger) -> None:
    ledger = open_small()
    before = ledger.query("SELECT sql FROM sqlite_master")
    migrate(ledger._connection)
    assert ledger.query("SELECT sql FROM sqlite_master") == before
    ledger.close()
