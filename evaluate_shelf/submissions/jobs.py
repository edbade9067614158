"""The rows of jobs, as a transaction sees and changes them."""

from __future__ import annotations

import sqlite3

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line
from evaluate_shelf.submissions.database import damaged_row, note
from evaluate_shelf.submissions.job_records import Job, JobState, Target, check_job_move
from evaluate_shelf.submissions.records import Role


def job_of(row: sqlite3.Row) -> Job:
    """The job of a row."""
    try:
        return Job.model_validate({key: row[key] for key in Job.model_fields})
    except ValueError as error:
        raise damaged_row("job", row, error) from error


def found_job(connection: sqlite3.Connection, identity: str) -> Job | None:
    """One job; None where there is none of this id."""
    row = connection.execute("SELECT * FROM jobs WHERE id = ?", (identity,)).fetchone()
    return None if row is None else job_of(row)


def one_job(connection: sqlite3.Connection, identity: str) -> Job:
    """One job.

    Raises
    ------
    ShelfError
        If there is none of this id.
    """
    found = found_job(connection, identity)
    if found is None:
        raise ShelfError(f"no job {one_line(identity, 64)!r}")
    return found


def job_of_commit(
    connection: sqlite3.Connection, model: str, commit: str | None, target: Target
) -> Job | None:
    """The job that is of a commit and neither failed nor withdrawn."""
    row = connection.execute(
        "SELECT * FROM jobs WHERE model = ? AND revision = ? AND release_id = ? AND config = ? "
        "AND protocol = ? AND state IN ('queued', 'claimed', 'done')",
        (model, commit, *target),
    ).fetchone()
    return None if row is None else job_of(row)


def end_claim(
    connection: sqlite3.Connection, identity: str, state: JobState, reason: str | None
) -> None:
    """Bring a job into a state in which nobody has it."""
    connection.execute(
        "UPDATE jobs SET state = ?, holder = NULL, lease_until = NULL, reason = ? WHERE id = ?",
        (state, reason, identity),
    )


def note_job(
    connection: sqlite3.Connection,
    identity: str,
    was: JobState | None,
    state: JobState,
    role: Role,
    who: str,
    why: str,
    detail: str = "",
) -> None:
    """Add the event of a change of a job's state.

    Raises
    ------
    ShelfError
        If there is no such change.
    """
    check_job_move(identity, was, state, role)
    note(
        connection,
        {
            "subject": identity,
            "was": was,
            "state": state,
            "role": role,
            "who": who,
            "why": why,
            "detail": detail,
        },
    )
