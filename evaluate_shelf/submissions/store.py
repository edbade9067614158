"""The store of submissions, where it changes: runs are taken in, decided on, and taken out."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from evaluate_shelf.aggregate.facts import facts_of
from evaluate_shelf.aggregate.schema.facts import Facts
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line
from evaluate_shelf.runs.folder import read_run
from evaluate_shelf.submissions.agreement import check_agreement
from evaluate_shelf.submissions.database import Clock, created
from evaluate_shelf.submissions.holdings import DATABASE, found_submission
from evaluate_shelf.submissions.records import (
    KEPT,
    NOBODY,
    Check,
    Passed,
    Role,
    State,
    Submission,
    check_move,
    checked_reason,
    checked_user,
)
from evaluate_shelf.submissions.refusals import Refused, presentable
from evaluate_shelf.submissions.run_files import (
    Details,
    content_id,
    details_of,
    write_through,
)
from evaluate_shelf.submissions.upkeep import Upkeep, note_change

Fill = Callable[[Path], object]
"""Puts the files of a run into an empty folder; raises Refused where none can be got out."""


class Store(Upkeep):
    """A folder with a SQLite file and a folder of runs, for many processes of one machine.

    What the table names is on the disk: a run is moved into its place before its row is kept, and
    both happen while nobody else writes. A death in between leaves a folder without a row, which
    the next sweep removes. A run whose files are lost or changed later, which its id tells, is
    marked as damaged until somebody sends it again.

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

    @classmethod
    def create(cls, folder: Path, clock: Clock = time.time) -> Store:
        """Open the store of a folder; make it where there is none, and sweep it."""
        created(folder / DATABASE)
        store = cls(folder, clock)
        store.sweep()
        return store

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
            the store already, or that a maintainer has refused, is given as it is; files of it that
            are lost or damaged are put back. A run with the run id of another that is kept is held.

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
                before = self.find(identity)
                if before is not None and _stands(before):
                    return self.mended(before, run)
                passed = check(run)
                details = details_of(run, passed)
            except Refused as error:
                return self._refuse_sent(identity, presentable(str(error)))
            state: State = "received" if hold(passed) else "unverified"
            write_through(run)
            with self.placing(run, identity) as connection:
                # Somebody may have sent it, or one with its run id, while it was looked at.
                before = found_submission(connection, identity)
                if before is not None and _stands(before):
                    return before
                first = _first_of_id(connection, details.run_id)
                if first is not None and state != "received":
                    state = "received"
                    flag = f"the run id {details.run_id} is that of submission {first[:12]}"
                    details = details_of(run, passed.model_copy(update={"flags": (flag,)}))
                why = "held for a maintainer" if state == "received" else "it passes the check"
                self.place(connection, run, identity, state, "check", user, user, details, why)
            return self.get(identity)

    @contextmanager
    def placing(self, run: Path, identity: str) -> Iterator[sqlite3.Connection]:
        """Give a transaction in which `place` is called; where it fails, the run is where it was.

        Parameters
        ----------
        run : pathlib.Path
            The run's folder.
        identity : str
            Its `content_id`.
        """
        try:
            with self.database.writing() as connection:
                yield connection
        except BaseException:
            # What cannot be undone now, the next sweep removes.
            with suppress(ShelfError, OSError):
                self._take_back(run, identity)
            raise

    def place(
        self,
        connection: sqlite3.Connection,
        run: Path,
        identity: str,
        state: State,
        role: Role,
        user: str,
        who: str,
        details: Details,
        why: str,
    ) -> None:
        """Move a run's folder into its place and write its row; within `placing`.

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
        before = found_submission(connection, identity)
        check_move(identity, before.state if before else None, state, role)
        self.put(run, identity)
        values = (details.text, details.run_id, details.found)
        _write_row(connection, (identity, state, user, None, role, role == "worker", *values))
        if details.known is not None:
            connection.execute(
                "INSERT INTO known VALUES (?, ?, ?)", (identity, details.board, details.known)
            )
        note_change(connection, before, identity, state, role, who, why)

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
        measured = _measured(run)
        return self._move(identity, "verified", "maintainer", who, why, measured)

    def _take_back(self, run: Path, identity: str) -> None:
        """Move a run that `place` has moved to where it was, unless its row is kept."""
        with self.database.writing() as connection:
            found = found_submission(connection, identity)
            place = self.run_folder(identity)
            if (found is None or found.state not in KEPT) and place.exists() and not run.exists():
                place.rename(run)

    def _refuse_sent(self, identity: str, reason: str) -> Submission:
        with self.database.writing() as connection:
            before = found_submission(connection, identity)
            if before is not None and _stands(before):
                return before
            check_move(identity, before.state if before else None, "refused", "check")
            row = (identity, "refused", NOBODY, reason, "check", False, None, None, None)
            _write_row(connection, row)
            note_change(connection, before, identity, "refused", "check", "check", reason)
        return self.get(identity)

    def _move(
        self,
        identity: str,
        state: State,
        role: Role,
        who: str,
        why: str,
        measured: Facts | None = None,
    ) -> Submission:
        checked_user(who)
        with self.database.writing() as connection:
            before = found_submission(connection, identity)
            if before is None:
                raise ShelfError(f"no submission {one_line(identity, 64)!r}")
            check_move(identity, before.state, state, role)
            connection.execute(
                "UPDATE submissions SET state = ?, decided_by = ?, reason = ? WHERE id = ?",
                (state, role, why if state == "refused" else None, identity),
            )
            if measured is not None:
                connection.execute(
                    "UPDATE submissions SET details = json_set(details, '$.measured', json(?)) "
                    "WHERE id = ?",
                    (measured.model_dump_json(), identity),
                )
            if state not in KEPT:
                connection.execute("DELETE FROM known WHERE submission = ?", (identity,))
                connection.execute(
                    "UPDATE submissions SET details = NULL, found = NULL, run_id = NULL, "
                    "damaged = 0 WHERE id = ?",
                    (identity,),
                )
            note_change(connection, before, identity, state, role, who, why)
        if state not in KEPT:
            # Only now: a row that was kept has its folder, whatever happens.
            self.remove_unnamed()
        return self.get(identity)


def _measured(run: Path) -> Facts:
    """What was measured in a run that was made anew."""
    try:
        return facts_of(read_run(run))
    except ValidationError as error:
        raise ShelfError(f"{run}: says of itself what cannot be") from error


def _stands(submission: Submission) -> bool:
    """Whether sending it once more changes nothing."""
    by_maintainer = submission.state == "refused" and submission.decided_by == "maintainer"
    return submission.state in KEPT or by_maintainer


def _first_of_id(connection: sqlite3.Connection, run_id: str) -> str | None:
    """The submission that first came with a run id, of those that are kept."""
    row = connection.execute(
        "SELECT id FROM submissions WHERE run_id = ? ORDER BY received, id LIMIT 1", (run_id,)
    ).fetchone()
    return None if row is None else str(row["id"])


def _write_row(connection: sqlite3.Connection, values: tuple[object, ...]) -> None:
    connection.execute(
        "INSERT INTO submissions (id, state, user, reason, decided_by, computed, details, run_id, "
        "found, received, looked, damaged) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, now(), now(), 0) "
        "ON CONFLICT (id) DO UPDATE SET "
        "state = excluded.state, user = excluded.user, reason = excluded.reason, "
        "decided_by = excluded.decided_by, computed = excluded.computed, "
        "details = excluded.details, run_id = excluded.run_id, found = excluded.found, "
        "received = excluded.received, looked = excluded.looked, damaged = excluded.damaged",
        values,
    )
