"""The store of submissions: a table, and the runs that it names on the disk beside it."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file, sha256_of_json
from evaluate_shelf.printable import one_line
from evaluate_shelf.runs.folder import read_run
from evaluate_shelf.submissions.agreement import check_agreement
from evaluate_shelf.submissions.database import Clock, Database, created, events_of, note
from evaluate_shelf.submissions.records import (
    KEPT,
    SHOWN,
    AcceptedRun,
    Check,
    Event,
    Passed,
    Role,
    RunFacts,
    State,
    Submission,
    check_move,
    checked_reason,
    checked_user,
)
from evaluate_shelf.submissions.refusals import Refused, presentable
from evaluate_shelf.submissions.scratch import Scratch

DATABASE = "store.sqlite3"
_LONGEST_DETAILS = 2**20
_SHORTEST_PREFIX = 6

Fill = Callable[[Path], object]
"""Puts the files of a run into an empty folder; raises Refused where none can be got out."""


class Swept(NamedTuple):
    """What a sweep found.

    Attributes
    ----------
    removed : int
        Folders that no row names, and unfinished work of processes that are dead.
    missing : tuple of str
        Ids of rows whose run is not on the disk.
    """

    removed: int
    missing: tuple[str, ...]


class Store:
    """A folder with a SQLite file and a folder of runs, for many processes of one machine.

    What the table names is on the disk: a run is moved into its place before its row is kept, and
    both happen while nobody else writes. A death in between leaves a folder without a row, which
    the next sweep removes.

    Parameters
    ----------
    folder : pathlib.Path
        As `Store.create` made it.
    clock : callable, default=time.time
        The time of all that is noted, in seconds since 1970.

    Raises
    ------
    ShelfError
        If there is no store, or one of another version.
    """

    def __init__(self, folder: Path, clock: Clock = time.time) -> None:
        self.folder = folder
        self.database = Database(folder / DATABASE, clock)
        self._scratch = Scratch(folder / "scratch", self.database)

    @classmethod
    def create(cls, folder: Path, clock: Clock = time.time) -> Store:
        """Open the store of a folder; make it where there is none, and sweep it."""
        created(folder / DATABASE)
        store = cls(folder, clock)
        store.sweep()
        return store

    def scratch(self) -> AbstractContextManager[Path]:
        """An empty folder on the store's disk, removed at the end of the context."""
        return self._scratch.empty()

    def receive(
        self,
        fill: Fill,
        *,
        digest: str,
        user: str,
        check: Check,
        hold: Callable[[Passed], bool] = lambda passed: bool(passed.flags),
    ) -> Submission:
        """Take a run that somebody sends.

        Parameters
        ----------
        fill : callable
            Puts its files into an empty folder.
        digest : str
            SHA-256 of what was sent; the id where no run can be got out of it.
        user : str
            Who sends it.
        check : callable
            Looks at the run.
        hold : callable, default=whether there are flags
            Whether a run that passes waits for a maintainer.

        Returns
        -------
        Submission
            `unverified`, `received` where it is held, `refused` with the reason. One that is in
            the store already, or that a maintainer has refused, is given as it is.

        Raises
        ------
        ShelfError
            If the user's name is none, or the check cannot be made. A refusal is no exception.
        """
        checked_user(user)
        with self.scratch() as folder:
            run = folder / "run"
            run.mkdir()
            identity = digest
            try:
                fill(run)
                identity = content_id(run)
                before = self._find(identity)
                if before is not None and _stands(before):
                    return before
                passed = check(run)
                details = details_of(run, passed)
            except Refused as error:
                return self._refuse_sent(identity, user, presentable(str(error)))
            state: State = "received" if hold(passed) else "unverified"
            write_through(run)
            with self.database.writing() as connection:
                # Somebody may have sent it while it was looked at.
                before = _found(connection, identity)
                if before is not None and _stands(before):
                    return before
                why = "held for a maintainer" if state == "received" else "it passes the check"
                self.place(connection, run, identity, state, "check", user, user, details, why)
            return self.get(identity)

    def place(
        self,
        connection: sqlite3.Connection,
        run: Path,
        identity: str,
        state: State,
        role: Role,
        user: str,
        who: str,
        details: str,
        why: str,
    ) -> None:
        """Move a run's folder into its place and write its row; within a transaction.

        Parameters
        ----------
        connection : sqlite3.Connection
            Of a transaction that writes.
        run : pathlib.Path
            Its folder, on the store's disk, after `write_through`.
        identity : str
            Its `content_id`.
        state, role : State and Role
            What it becomes, and by whom.
        user, who : str
            Who sent it or asked for it, and who makes this change.
        details, why : str
            From `details_of`, and what the event says.
        """
        before = _found(connection, identity)
        check_move(identity, before.state if before else None, state, role)
        place = self._runs / identity
        if place.is_dir():
            # A death before its row was kept left it there.
            self._scratch.discard(place)
        self._runs.mkdir(exist_ok=True)
        run.rename(place)
        _sync(self._runs)
        _write_row(connection, (identity, state, user, None, role, role == "worker", details))
        self._note(connection, before, identity, state, role, who, why)

    def accept(self, identity: str, who: str) -> Submission:
        """Show a run that was held; it becomes `unverified`."""
        return self._move(identity, "unverified", "maintainer", who, "looked at and accepted")

    def refuse(self, identity: str, reason: str, who: str) -> Submission:
        """Take a run out; its hash, time and user stay, and the reason."""
        return self._move(identity, "refused", "maintainer", who, checked_reason(reason))

    def withdraw(self, identity: str, user: str) -> Submission:
        """Take a run out that this user sent.

        Raises
        ------
        ShelfError
            If another user sent it, or it is not in the store any more.
        """
        if self.get(identity).user != user:
            raise ShelfError(f"submission {identity[:12]}: only who sent it can withdraw it")
        return self._move(identity, "withdrawn", "submitter", user, "withdrawn")

    def verify(self, identity: str, run: Path, who: str) -> Submission:
        """Mark a run as verified by one that was made anew.

        Parameters
        ----------
        identity : str
            Of the submission.
        run : pathlib.Path
            The folder of the run that was made anew.
        who : str
            The maintainer.

        Raises
        ------
        ShelfError
            If they are of different models, data or protocols, or their scores do not agree.
        """
        submission = self.get(identity)
        check_move(identity, submission.state, "verified", "maintainer")
        if content_id(run) == identity:
            raise ShelfError(f"{run}: the submitted run itself; evaluate the model again")
        why = check_agreement(self.run_folder(identity), run)
        return self._move(identity, "verified", "maintainer", who, why)

    def get(self, identity: str) -> Submission:
        """One submission.

        Raises
        ------
        ShelfError
            If there is none of this id.
        """
        found = self._find(identity)
        if found is None:
            raise ShelfError(f"no submission {one_line(identity, 64)!r}")
        return found

    def submissions(self, states: Collection[State] = ()) -> list[Submission]:
        """All submissions, or those in some states, in the order in which they came."""
        with self.database.reading() as connection:
            rows = connection.execute("SELECT * FROM submissions ORDER BY received, id").fetchall()
        found = [_submission(row) for row in rows]
        return [own for own in found if not states or own.state in states]

    def events(self, identity: str) -> list[Event]:
        """What happened to a submission or a job, in order."""
        with self.database.reading() as connection:
            return events_of(connection, identity)

    def accepted_runs(self) -> list[AcceptedRun]:
        """The runs that are in the table, in the order in which they came."""
        return [
            AcceptedRun(
                own.id,
                self.run_folder(own.id),
                _status(own),
                own.user,
                own.received,
                own.flags,
            )
            for own in self.submissions(SHOWN)
        ]

    def run_folder(self, identity: str) -> Path:
        """Where the files of a submission are that is kept."""
        return self._runs / identity

    def full_id(self, prefix: str, table: Literal["submissions", "jobs"] = "submissions") -> str:
        """The id that begins so.

        Raises
        ------
        ShelfError
            If none or several do, or fewer than six digits are given.
        """
        if len(prefix) < _SHORTEST_PREFIX or set(prefix) - set("0123456789abcdef"):
            raise ShelfError(
                f"id {one_line(prefix, 64)!r}: at least {_SHORTEST_PREFIX} of its hexadecimal "
                "digits are needed"
            )
        with self.database.reading() as connection:
            rows = connection.execute(
                f"SELECT id FROM {table} WHERE substr(id, 1, ?) = ?",  # noqa: S608 - two words
                (len(prefix), prefix),
            ).fetchall()
        if len(rows) != 1:
            raise ShelfError(f"{len(rows) or 'no'} {table} with an id that begins {prefix!r}")
        return str(rows[0]["id"])

    def sweep(self) -> Swept:
        """Remove what a death left: folders without a row, and work that nobody does any more."""
        with self.database.writing() as connection:
            rows = connection.execute("SELECT id, state FROM submissions ORDER BY id").fetchall()
            kept = [row["id"] for row in rows if row["state"] in KEPT]
            found = {path.name: path for path in self._runs.glob("*")}
            removed = sorted(set(found) - set(kept))
            for name in removed:
                self._scratch.discard(found[name])
            abandoned = self._scratch.discard_abandoned()
        self._scratch.empty_trash()
        missing = tuple(name for name in kept if name not in found)
        return Swept(len(removed) + abandoned, missing)

    @property
    def _runs(self) -> Path:
        return self.folder / "runs"

    def _find(self, identity: str) -> Submission | None:
        with self.database.reading() as connection:
            return _found(connection, identity)

    def _refuse_sent(self, identity: str, user: str, reason: str) -> Submission:
        with self.database.writing() as connection:
            before = _found(connection, identity)
            if before is not None and _stands(before):
                return before
            check_move(identity, before.state if before else None, "refused", "check")
            _write_row(connection, (identity, "refused", user, reason, "check", False, None))
            self._note(connection, before, identity, "refused", "check", user, reason)
        return self.get(identity)

    def _move(self, identity: str, state: State, role: Role, who: str, why: str) -> Submission:
        checked_user(who)
        with self.database.writing() as connection:
            before = _found(connection, identity)
            if before is None:
                raise ShelfError(f"no submission {one_line(identity, 64)!r}")
            check_move(identity, before.state, state, role)
            connection.execute(
                "UPDATE submissions SET state = ?, decided_by = ?, reason = ? WHERE id = ?",
                (state, role, why if state == "refused" else None, identity),
            )
            if state not in KEPT:
                connection.execute(
                    "UPDATE submissions SET details = NULL WHERE id = ?", (identity,)
                )
            self._note(connection, before, identity, state, role, who, why)
        if state not in KEPT:
            # Only now: a row that was kept has its folder, whatever happens.
            self.sweep()
        return self.get(identity)

    @staticmethod
    def _note(
        connection: sqlite3.Connection,
        before: Submission | None,
        identity: str,
        state: State,
        role: Role,
        who: str,
        why: str,
    ) -> None:
        was = before.state if before else None
        note(
            connection,
            {"subject": identity, "was": was, "state": state, "role": role, "who": who, "why": why},
        )


def content_id(run: Path) -> str:
    """SHA-256 of all files of a folder and of their names.

    Raises
    ------
    Refused
        If nothing is in it, or something that is neither a file nor a folder.
    """
    files = {}
    for path in sorted(run.rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise Refused(f"{path.relative_to(run)}: neither a file nor a folder")
        if path.is_file():
            files[path.relative_to(run).as_posix()] = sha256_of_file(path)
    if not files:
        raise Refused("nothing was sent: there is no file in it")
    return sha256_of_json(files)


def details_of(run: Path, passed: Passed) -> str:
    """What is kept in the table of a run that passes, as JSON.

    Raises
    ------
    Refused
        If its `run.json` cannot be read, or it is too long.
    """
    try:
        file = read_run(run)
    except ShelfError as error:
        raise Refused(str(error)) from error
    facts = RunFacts(
        model=file.model.name,
        spec=file.model.spec,
        revision=file.model.revision,
        run_id=file.run_id,
        release_id=file.data.release_id,
        config=file.data.config,
        protocol=file.protocol.key,
    )
    text = json.dumps(
        {"run": facts.model_dump(), **passed.model_dump(mode="json")}, allow_nan=False
    )
    if len(text) > _LONGEST_DETAILS:
        raise Refused(f"what is known of the run is longer than {_LONGEST_DETAILS:,} characters")
    return text


def _stands(submission: Submission) -> bool:
    """Whether sending it once more changes nothing."""
    by_maintainer = submission.state == "refused" and submission.decided_by == "maintainer"
    return submission.state in KEPT or by_maintainer


def _status(submission: Submission) -> Literal["computed", "verified", "unverified"]:
    if submission.computed:
        return "computed"
    return "verified" if submission.state == "verified" else "unverified"


def _write_row(connection: sqlite3.Connection, values: tuple[object, ...]) -> None:
    connection.execute(
        "INSERT INTO submissions (id, state, user, reason, decided_by, computed, details, received)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, now()) ON CONFLICT (id) DO UPDATE SET "
        "state = excluded.state, user = excluded.user, reason = excluded.reason, "
        "decided_by = excluded.decided_by, computed = excluded.computed, "
        "details = excluded.details, received = excluded.received",
        values,
    )


def _found(connection: sqlite3.Connection, identity: str) -> Submission | None:
    row = connection.execute("SELECT * FROM submissions WHERE id = ?", (identity,)).fetchone()
    return None if row is None else _submission(row)


def _submission(row: sqlite3.Row) -> Submission:
    values = dict(row)
    details: dict[str, Any] = json.loads(values.pop("details") or "{}")
    return Submission.model_validate(
        {
            **values,
            "computed": bool(values["computed"]),
            "run": details.get("run"),
            "flags": tuple(details.get("flags", ())),
            "found": details.get("found", {}),
        }
    )


def write_through(run: Path) -> None:
    """Have the disk hold a folder's files, before a transaction in which others wait."""
    for path in sorted(run.rglob("*"), reverse=True):
        _sync(path)
    _sync(run)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
