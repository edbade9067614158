"""Open the ledger of a corpus, or begin it: whole, or not at all."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from builders.budget.caps import ALL
from builders.budget.checks import check_kind, check_place, check_schema, check_whole
from builders.budget.commission import Commission, commission_in, differences
from builders.budget.failures import damaged, ledger_failures
from builders.budget.folder import FORMAT, ledger_file, plan_file
from builders.budget.growth import digest_of, former_digests, grow, is_grown
from builders.budget.ledger import Ledger
from builders.budget.migration import migrate
from builders.budget.order_text import orders_digest, text_of
from builders.budget.owners import Owner, is_alive, is_here, this_process
from builders.budget.reading import read_plan
from builders.budget.schema import APPLICATION, VERSION, statements
from builders.orders import Order
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import write_json

_LONGEST_WAIT = 60.0  # seconds for another process's transaction
_LONGEST_BEGIN = 600.0  # while another process fills a new ledger


def open_ledger(
    corpus: Path,
    commission: Commission,
    orders: Callable[[], Iterable[tuple[int, Order]]],
    caps: Mapping[str, int],
) -> Ledger:
    """Open the ledger of a corpus; begin it if there is none.

    Parameters
    ----------
    corpus : pathlib.Path
        A folder; it is made if it is missing.
    commission : Commission
        Has to be the one that the corpus was begun with.
    orders : callable
        Draws every order with its step; asked for a new ledger alone.
    caps : mapping of str to int
        Nanodollars by generator and by `ALL`; a cap that is not named stays as it was.

    Raises
    ------
    ShelfError
        If the ledger is of another commission (what differs is named), of a newer SHELF, damaged,
        edited, hard-linked, gone from beside its `plan.json`, or in use on another machine; or if
        a cap is less than what is spent.
    OSError
        If it cannot be written.
    """
    corpus.mkdir(parents=True, exist_ok=True)
    file = ledger_file(corpus)
    may_be_new = check_place(corpus)
    with ledger_failures(file):
        connection = sqlite3.connect(file, timeout=_LONGEST_BEGIN, isolation_level=None)
        try:
            _prepare(connection, file, may_be_new)
            ledger = Ledger(connection, file, this_process())
            _begin(ledger, commission, orders)
            kept = _kept_commission(ledger)
            if not is_grown(kept, commission):
                _check_same(file, kept, commission)
            check_schema(connection, file)
            check_whole(connection, file)
            _check_alone(ledger)
            kept = _grown(ledger, kept, commission, orders)
            connection.execute(f"PRAGMA busy_timeout = {int(_LONGEST_WAIT * 1000)}")
            ledger.set_caps(caps)
            with ledger.transaction():
                ledger.sign_in()
            _write_plan(corpus, ledger, kept)
        except BaseException:
            connection.close()
            raise
    return ledger


def _prepare(connection: sqlite3.Connection, file: Path, may_be_new: bool) -> None:
    check_kind(connection, file, may_be_new=may_be_new)
    # Changing the mode of a new file is refused at once while another process does the same.
    deadline = time.monotonic() + _LONGEST_WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
    connection.execute("PRAGMA synchronous = FULL")
    migrate(connection)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA trusted_schema = OFF")


def _begin(
    ledger: Ledger, commission: Commission, orders: Callable[[], Iterable[tuple[int, Order]]]
) -> None:
    if ledger.query("SELECT 1 FROM sqlite_master"):
        return
    with ledger.transaction():
        # Another process may have begun it while this one waited.
        if ledger.query("SELECT 1 FROM sqlite_master"):
            return
        for statement in statements():
            ledger.change(statement)
        ledger.change(f"PRAGMA application_id = {APPLICATION}")
        ledger.change(f"PRAGMA user_version = {VERSION}")
        for name in (ALL, *(row.name for row in commission.plan.generators)):
            ledger.change("INSERT INTO budgets (generator) VALUES (?)", name)
        for step, order in orders():
            ledger.change(
                "INSERT INTO orders (id, step, slice, generator, content) VALUES (?, ?, ?, ?, ?)",
                order.id,
                step,
                order.slice,
                order.generator,
                text_of(order),
            )
        texts = (str(text) for (text,) in ledger.query("SELECT content FROM orders ORDER BY id"))
        ledger.change("INSERT INTO meta VALUES ('orders_sha256', ?)", orders_digest(texts))
        ledger.change("INSERT INTO meta VALUES ('commission', ?)", commission.model_dump_json())


def _kept_commission(ledger: Ledger) -> Commission:
    rows = ledger.query("SELECT value FROM meta WHERE name = 'commission'")
    if not rows:
        raise damaged(ledger.file, "it does not say what was commissioned")
    return commission_in(rows[0][0], f"{ledger.file}, commission")


def _grown(
    ledger: Ledger,
    kept: Commission,
    commission: Commission,
    orders: Callable[[], Iterable[tuple[int, Order]]],
) -> Commission:
    """The commission that the ledger has now, its orders added to where the plan is larger."""
    if not is_grown(kept, commission):
        return kept
    with ledger.transaction():
        # Another process may have done it while this one waited.
        kept = _kept_commission(ledger)
        if is_grown(kept, commission):
            grow(ledger, commission, orders())
            return commission
    _check_same(ledger.file, kept, commission)
    return kept


def _check_same(file: Path, kept: Commission, commission: Commission) -> None:
    changed = differences(kept, commission)
    if changed:
        raise ShelfError(
            f"{file}: was begun with something else: {'; '.join(changed)}. Give what it was begun "
            "with, or another --out; a corpus can grow by --documents, but not shrink"
        )


def _check_alone(ledger: Ledger) -> None:
    """SQLite's WAL is shared memory: processes of two machines would not see each other."""
    for *row, heartbeat in ledger.query(
        "SELECT token, pid, host, system, started, heartbeat FROM owners"
    ):
        owner = Owner(*row)
        if not is_here(owner) and is_alive(owner, heartbeat, ledger.now()):
            raise ShelfError(
                f"{ledger.file}: process {owner.pid} on {owner.host} worked on it "
                f"{max(0, ledger.now() - heartbeat):.0f} seconds ago; a ledger is used on one "
                "machine at a time. Wait two minutes if that process has ended"
            )


def _write_plan(corpus: Path, ledger: Ledger, commission: Commission) -> None:
    digest = digest_of(ledger)
    [(count,)] = ledger.query("SELECT count(*) FROM orders")
    value = {
        "format": FORMAT,
        "orders": count,
        "orders_sha256": digest,
        "commission": commission.values(),
    }
    if not plan_file(corpus).exists() or _is_former(plan_file(corpus), ledger):
        write_json(plan_file(corpus), value)


def _is_former(file: Path, ledger: Ledger) -> bool:
    """Whether a plan is the ledger's own of before it grew."""
    former = former_digests(ledger)
    return bool(former) and read_plan(file.parent).orders_sha256 in former
