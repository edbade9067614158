"""The SQLite file of a store: short transactions of many processes, and one clock."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import brief, one_line
from evaluate_shelf.submissions.records import Event

Clock = Callable[[], float]
"""Seconds since 1970."""

VERSION = 2
_APPLICATION = 0x53484C46
_BUSY_SECONDS = 60.0
_SCHEMA = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE submissions (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    user TEXT NOT NULL,
    received REAL NOT NULL,
    reason TEXT,
    decided_by TEXT NOT NULL,
    computed INTEGER NOT NULL,
    details TEXT,
    run_id TEXT,
    damaged INTEGER NOT NULL DEFAULT 0,
    looked REAL NOT NULL DEFAULT 0,
    -- Long, and behind all that lists need.
    found TEXT
);
CREATE INDEX submissions_by_time ON submissions(received, id);
CREATE INDEX submissions_of_run ON submissions(run_id) WHERE run_id IS NOT NULL;
CREATE TABLE known (
    submission TEXT PRIMARY KEY REFERENCES submissions(id),
    board TEXT NOT NULL,
    known TEXT NOT NULL
);
CREATE INDEX known_of_board ON known(board);
CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    asked TEXT NOT NULL,
    model TEXT NOT NULL,
    revision TEXT,
    release_id TEXT NOT NULL,
    config TEXT NOT NULL,
    protocol TEXT NOT NULL,
    user TEXT NOT NULL,
    queued REAL NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    not_before REAL NOT NULL,
    holder TEXT,
    lease_until REAL,
    reason TEXT,
    submission TEXT UNIQUE REFERENCES submissions(id),
    CHECK ((state = 'claimed') = (lease_until IS NOT NULL)),
    CHECK ((state = 'done') = (submission IS NOT NULL))
);
CREATE UNIQUE INDEX one_job ON jobs(model, revision, release_id, config, protocol)
    WHERE revision IS NOT NULL AND state IN ('queued', 'claimed', 'done');
CREATE TABLE events (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    subject TEXT NOT NULL,
    was TEXT,
    state TEXT NOT NULL,
    role TEXT NOT NULL,
    who TEXT NOT NULL,
    why TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX events_of ON events(subject);
CREATE TABLE rates (key TEXT NOT NULL, at REAL NOT NULL);
CREATE INDEX rates_of ON rates(key, at);
"""


class DatabaseError(ShelfError):
    """The file cannot be read or written now: it is locked, damaged, or the disk is full."""


class Database:
    """A connection for each transaction, so that threads and processes share nothing.

    Parameters
    ----------
    path : pathlib.Path
        The file. It has to lie on a disk of this machine: SQLite's log does not work over a
        network.
    clock : callable, default=time.time
        The time of every statement: `now()` in SQL.

    Raises
    ------
    ShelfError
        If the file is missing, or not a store of this version.
    """

    def __init__(self, path: Path, clock: Clock = time.time) -> None:
        self.path = path
        self.clock = clock
        if not path.is_file():
            raise ShelfError(f"{path.parent}: no store of submissions; it has no {path.name}")
        with self.reading() as connection:
            found = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
        if (found, version) != (_APPLICATION, VERSION):
            raise ShelfError(f"{path}: not a store of submissions of version {VERSION}")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give a connection whose statements see one state of the store."""
        with self._connected() as connection:
            connection.execute("BEGIN")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give a connection that nobody writes beside; all of it is kept at the end, or nothing."""
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(_connection(self.path)) as connection:
                connection.create_function("now", 0, self.clock)
                connection.execute("PRAGMA foreign_keys = ON")
                yield connection
        except sqlite3.IntegrityError:
            raise
        except (sqlite3.OperationalError, sqlite3.DatabaseError) as error:
            if type(error) not in (sqlite3.OperationalError, sqlite3.DatabaseError):
                raise
            raise DatabaseError(f"{self.path}: {one_line(str(error), 200)}") from error


def created(path: Path) -> None:
    """Make the file with its tables, where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_suffix(".lock")):
        if path.is_file():
            return
        # Under another name until it is whole: who finds the file finds its tables.
        unfinished = path.with_suffix(".new")
        unfinished.unlink(missing_ok=True)
        with closing(_connection(unfinished)) as connection:
            connection.executescript(_SCHEMA)
            connection.execute("INSERT INTO settings VALUES ('salt', lower(hex(randomblob(16))))")
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("PRAGMA journal_mode = WAL")
        unfinished.replace(path)


def note(connection: sqlite3.Connection, event: dict[str, Any]) -> None:
    """Add an event, at the time of the database's clock.

    Parameters
    ----------
    connection : sqlite3.Connection
        Of a transaction that writes.
    event : dict
        The fields of an `Event` but `at`; `detail` may be left out.
    """
    connection.execute(
        "INSERT INTO events (at, subject, was, state, role, who, why, detail) "
        "VALUES (now(), :subject, :was, :state, :role, :who, :why, :detail)",
        {
            **event,
            "who": one_line(event["who"], 300),
            "why": one_line(event["why"]),
            "detail": one_line(event.get("detail", "")),
        },
    )


def damaged_row(what: str, row: sqlite3.Row, error: Exception) -> DatabaseError:
    """That a row is none that this version writes."""
    return DatabaseError(f"{what} {brief(row['id'])}: its row is damaged: {brief(str(error), 200)}")


def events_of(connection: sqlite3.Connection, subject: str) -> list[Event]:
    """What happened to a submission or a job, in order."""
    rows = connection.execute(
        "SELECT at, subject, was, state, role, who, why, detail FROM events "
        "WHERE subject = ? ORDER BY number",
        (subject,),
    )
    return [Event.model_validate(dict(row)) for row in rows]


def _connection(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.row_factory = sqlite3.Row
    return connection
