"""What a store of submissions holds, to be read: its records, and the runs that they name."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any, Literal

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line
from evaluate_shelf.submissions.database import Clock, Database, damaged_row, events_of
from evaluate_shelf.submissions.records import SHOWN, AcceptedRun, Event, State, Submission

DATABASE = "store.sqlite3"
_SHORTEST_PREFIX = 6
_LIST = "id, state, user, received, reason, decided_by, computed, details, damaged"


class Holdings:
    """A store's folder, for whoever changes nothing in it.

    Parameters
    ----------
    folder : pathlib.Path
        As `store.Store.create` made it.
    clock : callable, default=time.time
        The time of all that is noted, in seconds since 1970.

    Raises
    ------
    ShelfError
        If there is no store, or one of another version.
    """

    def __init__(self, folder: Path, clock: Clock = time.time) -> None:
        self.folder = folder
        self.runs = folder / "runs"
        self.database = Database(folder / DATABASE, clock)

    def get(self, identity: str) -> Submission:
        """One submission.

        Raises
        ------
        ShelfError
            If there is none of this id.
        """
        found = self.find(identity)
        if found is None:
            raise ShelfError(f"no submission {one_line(identity, 64)!r}")
        return found

    def find(self, identity: str) -> Submission | None:
        """One submission; None where there is none of this id."""
        with self.database.reading() as connection:
            return found_submission(connection, identity)

    def submissions(self, states: Collection[State] = ()) -> list[Submission]:
        """All submissions, or those in some states, in the order in which they came.

        What the check found is left out of them; `get` has it.
        """
        where, values = _in_states(states)
        with self.database.reading() as connection:
            rows = connection.execute(
                f"SELECT {_LIST} FROM submissions {where} ORDER BY received, id",  # noqa: S608
                values,
            ).fetchall()
        return [_submission(row) for row in rows]

    def newest(
        self, states: Collection[State] = (), *, most: int, offset: int = 0
    ) -> list[Submission]:
        """As `submissions`, the newest first, so many of them after an offset."""
        where, values = _in_states(states)
        with self.database.reading() as connection:
            rows = connection.execute(
                f"SELECT {_LIST} FROM submissions {where} "  # noqa: S608 - words of this module
                "ORDER BY received DESC, id DESC LIMIT ? OFFSET ?",
                (*values, most, offset),
            ).fetchall()
        return [_submission(row) for row in rows]

    def count(self, states: Collection[State] = ()) -> int:
        """How many submissions there are, or how many in some states."""
        where, values = _in_states(states)
        with self.database.reading() as connection:
            row = connection.execute(
                f"SELECT count(*) AS n FROM submissions {where}",  # noqa: S608
                values,
            ).fetchone()
        return int(row["n"])

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
                own.measured,
                own.damaged,
            )
            for own in self.submissions(SHOWN)
        ]

    def run_folder(self, identity: str) -> Path:
        """Where the files of a submission are that is kept."""
        return self.runs / identity

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


def found_submission(connection: sqlite3.Connection, identity: str) -> Submission | None:
    """One submission as a transaction sees it; None where there is none of this id."""
    row = connection.execute(
        f"SELECT {_LIST}, found FROM submissions WHERE id = ?",  # noqa: S608
        (identity,),
    ).fetchone()
    return None if row is None else _submission(row)


def _in_states(states: Collection[State]) -> tuple[str, tuple[str, ...]]:
    """The condition of a statement, and its values."""
    if not states:
        return "", ()
    return f"WHERE state IN ({', '.join('?' * len(states))})", tuple(sorted(states))


def _submission(row: sqlite3.Row) -> Submission:
    values = dict(row)
    try:
        details: dict[str, Any] = json.loads(values.pop("details") or "{}")
        found = json.loads(values.pop("found", None) or "{}")
        return Submission.model_validate(
            {
                **values,
                "computed": bool(values["computed"]),
                "run": details.get("run"),
                "flags": tuple(details.get("flags", ())),
                "found": found,
                "measured": details.get("measured"),
                "damaged": bool(values["damaged"]),
            }
        )
    except (ValueError, AttributeError, TypeError) as error:
        raise damaged_row("submission", row, error) from error


def _status(submission: Submission) -> Literal["computed", "verified", "unverified"]:
    if submission.computed:
        return "computed"
    return "verified" if submission.state == "verified" else "unverified"
