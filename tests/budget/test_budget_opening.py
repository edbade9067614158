"""What a ledger is begun with, and what it refuses when it is opened again."""

from __future__ import annotations

import datetime as dt
import errno
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from small_ledger import SEED, TERMS, answer_to, small_commission, small_orders, small_plan

from builders.budget.commission import Commission, commission_of, differences
from builders.budget.entries import Reservation
from builders.budget.failures import LockedError, NoRoomError, ledger_failures
from builders.budget.folder import ledger_file, plan_file
from builders.budget.ledger import Ledger
from builders.budget.opening import open_ledger
from builders.budget.owners import this_process
from builders.budget.reading import read_answers, read_plan
from builders.budget.schema import TABLES, VERSION
from builders.budget.tariff import Tariff
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry import config_folder
from evaluate_shelf.registry.prices import Price, load_prices
from evaluate_shelf.registry.taxonomy import load_taxonomy

OpenLedger = Callable[..., Ledger]


def refused(tmp_path: Path, commission: object) -> str:
    with pytest.raises(ShelfError) as caught:
        open_ledger(tmp_path / "corpus", commission, list, {})  # type: ignore[arg-type]
    return str(caught.value)


def test_every_order_is_in_it_once_and_is_drawn_once(open_small: OpenLedger) -> None:
    plan = small_plan()
    open_small().close()
    again = open_small()
    ids = [own for (own,) in again.query("SELECT id FROM orders ORDER BY place")]
    assert ids == [order.id for _, order in small_orders(plan)]
    again.close()


def test_nothing_but_the_ledger_and_the_plan_is_left(
    open_small: OpenLedger, tmp_path: Path
) -> None:
    open_small().close()
    assert sorted(own.name for own in (tmp_path / "corpus").iterdir()) == [
        "ledger.sqlite",
        "plan.json",
    ]
    plan = read_plan(tmp_path / "corpus")
    assert plan.orders == len(small_orders(small_plan()))
    assert plan.commission == small_commission(small_plan())


def test_the_same_commission_gives_the_same_plan_file(
    open_small: OpenLedger, tmp_path: Path
) -> None:
    for corpus in ("one", "two"):
        open_small(corpus=corpus).close()
    one, two = (plan_file(tmp_path / corpus).read_bytes() for corpus in ("one", "two"))
    assert one == two


def test_how_a_generator_is_reached_may_change(open_small: OpenLedger) -> None:
    open_small().close()
    plan = small_plan()
    moved = [
        row.model_copy(update={"base_url": "http://127.0.0.1:10/v1", "concurrency": 9})
        for row in plan.generators
    ]
    open_small(plan=plan.model_copy(update={"generators": tuple(moved)})).close()


def test_another_seed_plan_taxonomy_or_price_is_refused_by_name(
    open_small: OpenLedger, tmp_path: Path
) -> None:
    open_small().close()
    plan = small_plan()
    assert "seed: 42, now 43" in refused(tmp_path, small_commission(plan, seed=43))
    smaller = refused(tmp_path, small_commission(small_plan(6)))
    assert "plan.slices.v0_4_core.specifications: 2, now 1" in smaller
    assert "not shrink" in smaller
    (tmp_path / "prices.yaml").write_text(
        "- {model: m-a, usd_per_million_input_tokens: 1, usd_per_million_output_tokens: 2,"
        " date: 2026-03-01, source: 'https://example.org'}"
    )
    price = load_prices(tmp_path / "prices.yaml")["m-a"]
    tariffs = {"a": Tariff(price), "b": Tariff(None)}
    dearer = refused(tmp_path, commission_of(plan, load_taxonomy(), SEED, tariffs))
    assert "prices.a" in dearer
    assert "prices.b" not in dearer
    shutil.copytree(config_folder() / "taxonomy", tmp_path / "labels")
    words = (tmp_path / "labels" / "audience.yaml").read_text()
    (tmp_path / "labels" / "audience.yaml").write_text(words.replace("- Children", "- Infants"))
    other = commission_of(
        plan,
        load_taxonomy(tmp_path / "labels"),
        SEED,
        {own.name: Tariff(None) for own in plan.generators},
    )
    assert "taxonomy: " in refused(tmp_path, other)


def priced(**changes: object) -> Commission:
    price = Price(
        model="m-a",
        usd_per_million_input_tokens=1.0,
        usd_per_million_output_tokens=2.0,
        batch_discount=0.5,
        date=dt.date(2026, 3, 1),
        source="https://example.org/prices",
    )
    tariffs = {"a": Tariff(price.model_copy(update=changes)), "b": Tariff(None)}
    return commission_of(small_plan(), load_taxonomy(), SEED, tariffs)


@pytest.mark.parametrize(
    ("changes", "matters"),
    [
        ({"date": dt.date(2026, 4, 1)}, False),
        ({"source": "https://example.org/other"}, False),
        ({"usd_per_million_input_tokens": 1.5}, True),
        ({"usd_per_million_output_tokens": None}, True),
        ({"batch_discount": 0.4}, True),
    ],
)
def test_a_price_is_another_where_it_costs_another(
    changes: dict[str, object], matters: bool
) -> None:
    assert bool(differences(priced(), priced(**changes))) == matters


def test_what_differs_is_nothing_for_the_same() -> None:
    own = small_commission(small_plan())
    assert differences(own, own) == ()


def test_a_cap_can_be_raised_but_not_below_what_is_spent(open_small: OpenLedger) -> None:
    ledger = open_small({"": 1000, "a": 500})
    with ledger.transaction():
        own = ledger.reserve("a", lambda order: 300, TERMS)
        assert isinstance(own, Reservation)
    with pytest.raises(ShelfError, match="the cap of a cannot be"):
        open_small({"": 2000, "a": 299})
    assert ledger.budget().cap == 1000
    ledger.set_caps({"": 2000, "a": 300})
    assert (ledger.budget().cap, ledger.budget("a").cap) == (2000, 300)
    # A cap that is not named again stays.
    other = open_small({})
    assert (other.budget().cap, other.budget("a").cap) == (2000, 300)
    other.close()
    ledger.close()


def test_sqlite_itself_refuses_to_pass_a_cap(open_small: OpenLedger) -> None:
    ledger = open_small({"": 100})
    order = small_orders(small_plan())[0][1]
    with pytest.raises(sqlite3.IntegrityError), ledger.transaction():
        ledger.reserved(order, 101)
    assert ledger.budget().reserved == 0


def test_two_processes_begin_it_at_once(tmp_path: Path) -> None:
    plan = small_plan()
    problems: list[BaseException] = []

    def begin() -> None:
        try:
            open_ledger(
                tmp_path / "corpus", small_commission(plan), lambda: small_orders(plan), {}
            ).close()
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=begin) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    connection = sqlite3.connect(ledger_file(tmp_path / "corpus"))
    [(count,)] = connection.execute("SELECT count(*) FROM orders")
    connection.close()
    assert count == len(small_orders(plan))


def test_a_draw_that_fails_leaves_no_half_ledger(open_small: OpenLedger, tmp_path: Path) -> None:
    plan = small_plan()

    def some() -> object:
        yield small_orders(plan)[0]
        raise ShelfError("too few")

    with pytest.raises(ShelfError, match="too few"):
        open_ledger(tmp_path / "corpus", small_commission(plan), some, {})  # type: ignore[arg-type]
    ledger = open_small()
    [(count,)] = ledger.query("SELECT count(*) FROM orders")
    assert count == len(small_orders(plan))
    ledger.close()


def edited(tmp_path: Path, *statements: str) -> None:
    connection = sqlite3.connect(ledger_file(tmp_path / "corpus"))
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (f"PRAGMA user_version = {VERSION + 1}", "update SHELF"),
        ("PRAGMA application_id = 1", "is no ledger"),
        ("UPDATE budgets SET settled = settled + 1", "not the sum"),
        ("UPDATE orders SET state = 'answered'", "do not belong together"),
        ("DELETE FROM meta", "damaged"),
    ],
)
def test_a_ledger_that_is_newer_foreign_or_edited(
    open_small: OpenLedger, tmp_path: Path, statement: str, said: str
) -> None:
    open_small().close()
    edited(tmp_path, statement)
    with pytest.raises(ShelfError, match=said) as caught:
        open_small()
    assert "ledger.sqlite" in str(caught.value)


@pytest.mark.parametrize("how", ["missing", "empty", "without tables", "dangling"])
def test_a_ledger_that_is_gone_is_not_begun_again(
    open_small: OpenLedger, tmp_path: Path, how: str
) -> None:
    open_small().close()
    file = ledger_file(tmp_path / "corpus")
    file.unlink()
    if how == "empty":
        file.touch()
    elif how == "without tables":
        connection = sqlite3.connect(file)
        connection.execute("PRAGMA user_version = 1")
        connection.close()
    elif how == "dangling":
        file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ShelfError, match="is missing or empty"):
        open_small()
    assert not (tmp_path / "elsewhere").exists()
    if how == "missing":
        assert not file.exists()


def test_an_empty_file_is_begun_where_nothing_was_begun_before(
    open_small: OpenLedger, tmp_path: Path
) -> None:
    (tmp_path / "corpus").mkdir()
    ledger_file(tmp_path / "corpus").touch()
    open_small().close()


def test_a_ledger_of_two_names_is_not_written(open_small: OpenLedger, tmp_path: Path) -> None:
    open_small().close()
    other = tmp_path / "other"
    shutil.copytree(tmp_path / "corpus", other, copy_function=os.link)
    for corpus in ("corpus", "other"):
        with pytest.raises(ShelfError, match="hard links"):
            open_small(corpus=corpus)
    shutil.rmtree(other)
    open_small().close()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda place: place.symlink_to("/dev/null")])
def test_what_is_no_file_is_no_ledger(
    open_small: OpenLedger, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    (tmp_path / "corpus").mkdir()
    make(ledger_file(tmp_path / "corpus"))
    with pytest.raises(ShelfError, match="is no file"):
        open_small()


def objects_of_a_ledger() -> list[tuple[str, str]]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLES)
    rows = connection.execute("SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL")
    found = [(kind, name) for kind, name in rows if kind != "table"]
    connection.close()
    return found


@pytest.mark.parametrize(("kind", "name"), objects_of_a_ledger())
def test_a_trigger_or_an_index_that_is_dropped_is_missed(
    open_small: OpenLedger, tmp_path: Path, kind: str, name: str
) -> None:
    open_small().close()
    edited(tmp_path, f"DROP {kind} {name}")
    with pytest.raises(ShelfError, match=f"{kind} {name}"):
        open_small()


@pytest.mark.parametrize(
    "statements",
    [
        [
            "DROP TRIGGER attempt_begun",
            "CREATE TRIGGER attempt_begun AFTER INSERT ON attempts BEGIN SELECT 1; END",
        ],
        ["CREATE TRIGGER mine AFTER INSERT ON answers BEGIN DELETE FROM meta; END"],
        ["CREATE TABLE mine (name TEXT)"],
        ["ALTER TABLE budgets RENAME COLUMN cap TO most"],
    ],
)
def test_tables_and_triggers_that_are_others(
    open_small: OpenLedger, tmp_path: Path, statements: list[str]
) -> None:
    open_small().close()
    edited(tmp_path, *statements)
    with pytest.raises(ShelfError, match="not as SHELF has made it"):
        open_small()


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        (["DELETE FROM answers", "UPDATE orders SET state = 'waiting'"], "answers to 2 calls"),
        (
            [
                "DELETE FROM answers WHERE attempt = 1",
                "UPDATE orders SET state = 'waiting' WHERE place = 1",
                "UPDATE budgets SET settled = 7 WHERE generator IN ('a', '')",
                "DELETE FROM attempts WHERE number = 1",
            ],
            "1 are missing",
        ),
    ],
)
def test_answers_or_calls_that_were_deleted_are_missed(
    open_small: OpenLedger, tmp_path: Path, statements: list[str], said: str
) -> None:
    ledger = open_small()
    for _ in range(2):
        with ledger.transaction():
            own = ledger.reserve("a", lambda order: 10, TERMS)
            assert isinstance(own, Reservation)
            ledger.settle(own.attempt, answer_to(own.order), 7)
    ledger.close()
    kept = ("attempt_kept", "answer_kept")
    connection = sqlite3.connect(ledger_file(tmp_path / "corpus"))
    triggers = [
        sql
        for (name, sql) in connection.execute("SELECT name, sql FROM sqlite_master")
        if name in kept
    ]
    connection.close()
    # Whoever puts the triggers back is found out too.
    edited(tmp_path, *(f"DROP TRIGGER {name}" for name in kept), *statements, *triggers)
    with pytest.raises(ShelfError, match=said):
        open_small()
    with pytest.raises(ShelfError, match=said):
        list(read_answers(tmp_path / "corpus"))


@pytest.mark.parametrize(
    ("code", "kind", "number"),
    [
        (sqlite3.SQLITE_FULL, NoRoomError, errno.ENOSPC),
        (sqlite3.SQLITE_IOERR_WRITE, NoRoomError, errno.EIO),
        (sqlite3.SQLITE_IOERR_SHORT_READ, NoRoomError, errno.EIO),
        (sqlite3.SQLITE_BUSY, LockedError, None),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, LockedError, None),
    ],
)
def test_only_a_full_disk_is_told_as_one(code: int, kind: type, number: int | None) -> None:
    error = sqlite3.OperationalError("trouble")
    error.sqlite_errorcode, error.sqlite_errorname = code, "SQLITE_X"
    with pytest.raises(kind) as caught, ledger_failures(Path("ledger.sqlite")):
        raise error
    assert getattr(caught.value, "errno", None) == number


def test_another_database_is_not_touched(open_small: OpenLedger, tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    edited(tmp_path, "CREATE TABLE photographs (name TEXT)")
    before = ledger_file(tmp_path / "corpus").read_bytes()
    with pytest.raises(ShelfError, match="is no ledger"):
        open_small()
    assert ledger_file(tmp_path / "corpus").read_bytes() == before


@pytest.mark.parametrize("where", [0, 5000, -3000])
def test_a_damaged_file(open_small: OpenLedger, tmp_path: Path, where: int) -> None:
    open_small().close()
    data = bytearray(ledger_file(tmp_path / "corpus").read_bytes())
    place = where % len(data)
    data[place : place + 2000] = b"\xff" * 2000
    ledger_file(tmp_path / "corpus").write_bytes(data)
    with pytest.raises(ShelfError, match=r"ledger\.sqlite"):
        open_small()


def test_a_file_that_is_cut_short(open_small: OpenLedger, tmp_path: Path) -> None:
    open_small().close()
    data = ledger_file(tmp_path / "corpus").read_bytes()
    ledger_file(tmp_path / "corpus").write_bytes(data[: len(data) // 2])
    with pytest.raises(ShelfError, match="damaged"):
        open_small()


def test_text_in_place_of_a_ledger(open_small: OpenLedger, tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    ledger_file(tmp_path / "corpus").write_text("not a database at all\n" * 100)
    with pytest.raises(ShelfError, match="damaged"):
        open_small()


def test_another_machine_that_worked_on_it_just_now(open_small: OpenLedger, tmp_path: Path) -> None:
    open_small().close()
    ledger = open_small()
    ledger.close()
    edited(
        tmp_path,
        "INSERT INTO owners VALUES ('t', 1, 'elsewhere', 'other', '1', unixepoch())",
    )
    with pytest.raises(ShelfError, match="process 1 on elsewhere"):
        open_small()
    edited(tmp_path, "UPDATE owners SET heartbeat = unixepoch() + 60")
    with pytest.raises(ShelfError, match="process 1 on elsewhere"):
        open_small()
    edited(tmp_path, "UPDATE owners SET heartbeat = unixepoch() - 1000")
    open_small().close()


@pytest.mark.parametrize("seconds", [-130, 130, 365 * 86_400])
def test_what_another_machine_holds_is_taken_over_when_its_lease_is_over(
    open_small: OpenLedger, tmp_path: Path, seconds: int
) -> None:
    ledger = open_small()
    with ledger.transaction():
        reserved = ledger.reserve("a", lambda order: 5, TERMS)
    assert isinstance(reserved, Reservation)
    edited(
        tmp_path,
        f"UPDATE owners SET host = 'elsewhere', heartbeat = unixepoch() + {seconds}",
    )
    other = open_small()
    assert other.live().calls == 1
    other.close()
    ledger.close()


OPENING = """
import os
import sys
from pathlib import Path
from small_ledger import small_commission, small_orders, small_plan
from builders.budget.opening import open_ledger
plan = small_plan(2000)
orders, commission = small_orders(plan), small_commission(plan)
if len(sys.argv) > 2:
    os.setgroups([])
    os.setuid(int(sys.argv[2]))
try:
    open_ledger(Path(sys.argv[1]), commission, lambda: orders, {})
except Exception as error:
    print(f"{type(error).__name__}: {error}")
else:
    print("open")
"""


def opened_elsewhere(folder: Path, *arguments: str, **process: object) -> str:
    root = Path(__file__).parents[2]
    paths = [str(root), str(root / "tests" / "support")]
    done = subprocess.run(
        [sys.executable, "-c", OPENING, str(folder), *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        **process,  # type: ignore[call-overload]
    )
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def test_a_full_disk_leaves_no_half_ledger(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))

    said = opened_elsewhere(folder, preexec_fn=limit)
    assert said.startswith("NoRoomError")
    assert "ledger.sqlite" in said
    assert opened_elsewhere(folder) == "open\n"


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    # The folder of the tests may be closed to others.
    folder = Path(tempfile.mkdtemp(prefix="shelf-read-only-"))
    try:
        folder.chmod(0o555)
        # To whom the whole disk is open, no folder is closed.
        other = ["65534"] if os.getuid() == 0 else []
        for place in (folder, folder / "corpus"):
            said = opened_elsewhere(place, *other)
            assert said.startswith(("ShelfError", "PermissionError")), said
            assert str(folder) in said
        assert not list(folder.iterdir())
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_the_process_that_runs_is_alive(open_small: OpenLedger) -> None:
    one, two = open_small(), open_small()
    with one.transaction():
        reserved = one.reserve("a", lambda order: 5, TERMS)
    assert isinstance(reserved, Reservation)
    assert two.live().calls == 0
    with one.transaction():
        one.settle(reserved.attempt, answer_to(reserved.order), 4)
    assert two.budget().settled == 4
    one.close()
    two.close()


def test_the_reservations_of_a_process_that_was_killed_become_lost(
    open_small: OpenLedger, tmp_path: Path
) -> None:
    ledger = open_small()
    with ledger.transaction():
        first = ledger.reserve("a", lambda order: 5, TERMS)
    assert isinstance(first, Reservation)
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    with ledger.transaction():
        ledger.change("UPDATE owners SET pid = ? WHERE token = ?", dead.pid, ledger.owner.token)
    other = open_small()
    abandoned = other.live()
    assert (abandoned.calls, abandoned.nano_usd) == (1, 5)
    assert other.budget().unknown == 5
    with other.transaction():
        again = other.reserve("a", lambda order: 5, TERMS)
    assert isinstance(again, Reservation)
    assert again.order == first.order
    # The first one lives after all, and its answer is kept.
    with ledger.transaction():
        ledger.settle(first.attempt, answer_to(first.order, "first"), 3)
    with other.transaction():
        other.settle(again.attempt, answer_to(again.order, "second"), 2)
    assert other.query("SELECT text FROM answers") == [("first",)]
    assert (other.budget().settled, other.budget().unknown) == (5, 0)
    other.close()
    ledger.close()


def test_a_later_process_of_the_same_number_is_another() -> None:
    own = this_process()
    assert own.token != this_process().token
    if own.started:
        from dataclasses import replace

        from builders.budget.owners import is_alive

        assert not is_alive(replace(own, started="1"), 0.0, 0.0)


def test_the_plan_file_is_canonical_json(open_small: OpenLedger, tmp_path: Path) -> None:
    open_small().close()
    text = plan_file(tmp_path / "corpus").read_text()
    value = json.loads(text)
    assert text == json.dumps(value, ensure_ascii=False, indent=2) + "\n"
