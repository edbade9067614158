"""Models that wait to be evaluated: each is one job, which one worker at a time holds on lease."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_json
from evaluate_shelf.printable import one_line
from evaluate_shelf.submissions.database import note
from evaluate_shelf.submissions.records import (
    LOCAL,
    Claim,
    HubModel,
    Job,
    JobState,
    Passed,
    Role,
    Submission,
    Target,
    check_job_move,
    checked_reason,
    checked_user,
    hub_model,
)
from evaluate_shelf.submissions.store import Store, content_id, details_of, write_through

LEASE_SECONDS = 600.0
"""How long a worker may be silent before its job is another's."""

MOST_ATTEMPTS = 3
"""How often a job is claimed before it has failed."""

_FIRST_PAUSE = 60.0
_LONGEST_PATH = 250


class LeaseLostError(ShelfError):
    """The job is no longer this worker's: its lease ran out, or the job was withdrawn."""


class SameJobError(ShelfError):
    """Another job is of the same model and commit, on the same data."""


class Queue:
    """The jobs of a store.

    Parameters
    ----------
    store : Store
        Where they are kept, and where the runs go.
    lease_seconds : float, default=600
        How long a claim holds from the last sign of life.
    most_attempts : int, default=3
        How often a job is claimed before it has failed.
    """

    def __init__(
        self,
        store: Store,
        *,
        lease_seconds: float = LEASE_SECONDS,
        most_attempts: int = MOST_ATTEMPTS,
    ) -> None:
        self.store = store
        self.lease_seconds = lease_seconds
        self.most_attempts = most_attempts
        self._database = store.database

    def enqueue(self, model: str, target: Target, user: str, *, allow_local: bool = False) -> Job:
        """Ask for a model to be evaluated.

        Parameters
        ----------
        model : str
            `owner/name` or `owner/name@commit`; with `allow_local` also `st:FOLDER`.
        target : Target
            On what, and how.
        user : str
            Who asks.
        allow_local : bool, default=False
            Whether a folder of this machine may be named.

        Returns
        -------
        Job
            The one that is there already where there is one: queued, claimed or done. One that
            failed or was withdrawn is queued again.

        Raises
        ------
        ShelfError
            If the name is none, or a maintainer refused the run that came of it.
        """
        checked_user(user)
        named = _named(model, allow_local)
        identity = sha256_of_json({"model": [named.name, named.commit], "target": list(target)})
        with self._database.writing() as connection:
            known = _of_commit(connection, named.name, named.commit, target)
            known = known or _found(connection, identity)
            if known is None:
                connection.execute(
                    "INSERT INTO jobs (id, asked, model, revision, release_id, config, protocol, "
                    "user, queued, state, attempts, fence, not_before) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, now(), 'queued', 0, 0, now())",
                    (identity, model, named.name, named.commit, *target, user),
                )
                _note(connection, identity, None, "queued", "submitter", user, "asked for")
                return _one(connection, identity)
            if not _may_be_asked_again(connection, known):
                return known
            connection.execute(
                "UPDATE jobs SET state = 'queued', user = ?, queued = now(), not_before = now(), "
                "attempts = 0, model = ?, revision = ?, reason = NULL, submission = NULL "
                "WHERE id = ?",
                (user, named.name, named.commit, known.id),
            )
            _note(connection, known.id, known.state, "queued", "submitter", user, "asked for again")
            return _one(connection, known.id)

    def claim(self, target: Target, worker: str, *, local: bool = False) -> Claim | None:
        """Take the job that waits longest; None where none waits.

        Leases that have run out end first: their jobs wait again, or have failed where they were
        claimed too often.

        Parameters
        ----------
        target : Target
            What the worker evaluates on; other jobs are left to others.
        worker : str
            Its name.
        local : bool, default=False
            Whether it takes folders of this machine too.
        """
        with self._database.writing() as connection:
            self._end_leases(connection)
            row = connection.execute(
                "SELECT id FROM jobs WHERE state = 'queued' AND not_before <= now() "
                "AND release_id = ? AND config = ? AND protocol = ? "
                "AND (? OR substr(asked, 1, 3) <> ?) ORDER BY queued, rowid LIMIT 1",
                (*target, local, LOCAL),
            ).fetchone()
            if row is None:
                return None
            connection.execute(
                "UPDATE jobs SET state = 'claimed', attempts = attempts + 1, fence = fence + 1, "
                "holder = ?, lease_until = now() + ? WHERE id = ?",
                (one_line(worker, 300), self.lease_seconds, row["id"]),
            )
            job = _one(connection, row["id"])
            fence = connection.execute("SELECT fence FROM jobs WHERE id = ?", (job.id,)).fetchone()
            _note(
                connection, job.id, "queued", "claimed", "worker", worker, f"attempt {job.attempts}"
            )
            return Claim(job, int(fence["fence"]))

    def renew(self, claim: Claim) -> None:
        """Give a sign of life.

        Raises
        ------
        LeaseLostError
            If the job is not this worker's any more.
        """
        with self._database.writing() as connection:
            _held(connection, claim)
            connection.execute(
                "UPDATE jobs SET lease_until = now() + ? WHERE id = ?",
                (self.lease_seconds, claim.job.id),
            )

    def pin(self, claim: Claim, model: str, commit: str) -> None:
        """Note which commit is evaluated, under the name that the Hub gives the model.

        Raises
        ------
        SameJobError
            If another job is of it.
        LeaseLostError
            As `renew`.
        """
        with self._database.writing() as connection:
            job = _held(connection, claim)
            other = _of_commit(connection, model, commit, job.target)
            if other is not None and other.id != job.id:
                raise SameJobError(f"{model} is at commit {commit}, which is job {other.id[:12]}")
            connection.execute(
                "UPDATE jobs SET model = ?, revision = ? WHERE id = ?", (model, commit, job.id)
            )

    def finish(self, claim: Claim, run: Path, passed: Passed) -> Submission:
        """Hand in a job's run: it is put into the store, and the job is done, both or neither.

        Parameters
        ----------
        claim : Claim
            The worker's.
        run : pathlib.Path
            The run's folder, on the store's disk; it is moved away.
        passed : Passed
            What a check of it gave.

        Raises
        ------
        LeaseLostError
            If the lease has run out, even if nobody else has the job yet.
        """
        identity, details = content_id(run), details_of(run, passed)
        write_through(run)
        with self._database.writing() as connection:
            job = _held(connection, claim)
            who = job.holder or "worker"
            why = f"computed for job {job.id[:12]}"
            self.store.place(
                connection, run, identity, "verified", "worker", job.user, who, details, why
            )
            connection.execute(
                "UPDATE jobs SET state = 'done', submission = ?, lease_until = NULL, "
                "holder = NULL, reason = NULL WHERE id = ?",
                (identity, job.id),
            )
            _note(connection, job.id, "claimed", "done", "worker", who, f"run {identity[:12]}")
        return self.store.get(identity)

    def fail(self, claim: Claim, reason: str, *, again: bool) -> Job:
        """End an attempt without a run.

        Parameters
        ----------
        claim : Claim
            The worker's.
        reason : str
            Why, for the submitter.
        again : bool
            Whether another attempt may go better. After a pause it is claimed again, unless it
            was claimed as often as it may be.

        Raises
        ------
        LeaseLostError
            As `renew`.
        """
        why = checked_reason(reason)
        with self._database.writing() as connection:
            job = _held(connection, claim)
            pause = _FIRST_PAUSE * 4 ** (job.attempts - 1)
            self._end_attempt(connection, job, why, again, pause, "worker", job.holder or "worker")
            return _one(connection, job.id)

    def give_back(self, claim: Claim, why: str) -> None:
        """Let another worker have the job at once; the attempt does not count.

        Raises
        ------
        LeaseLostError
            As `renew`.
        """
        with self._database.writing() as connection:
            job = _held(connection, claim)
            connection.execute(
                "UPDATE jobs SET state = 'queued', attempts = attempts - 1, not_before = now(), "
                "holder = NULL, lease_until = NULL WHERE id = ?",
                (job.id,),
            )
            who = job.holder or "worker"
            _note(connection, job.id, "claimed", "queued", "worker", who, checked_reason(why))

    def withdraw(self, identity: str, user: str) -> Job:
        """Take a job back that this user asked for; a worker that has it stops.

        Raises
        ------
        ShelfError
            If another user asked for it, or it is neither queued nor claimed.
        """
        with self._database.writing() as connection:
            job = _one(connection, identity)
            if job.user != user:
                raise ShelfError(f"job {identity[:12]}: only who asked for it can withdraw it")
            check_job_move(identity, job.state, "withdrawn", "submitter")
            _close(connection, identity, "withdrawn", None)
            _note(connection, identity, job.state, "withdrawn", "submitter", user, "withdrawn")
            return _one(connection, identity)

    def refuse(self, identity: str, reason: str, who: str) -> Job:
        """Take a job out as a maintainer; it has failed with that reason."""
        why = checked_reason(reason)
        with self._database.writing() as connection:
            job = _one(connection, identity)
            check_job_move(identity, job.state, "failed", "maintainer")
            _close(connection, identity, "failed", why)
            _note(connection, identity, job.state, "failed", "maintainer", who, why)
            return _one(connection, identity)

    def get(self, identity: str) -> Job:
        """One job.

        Raises
        ------
        ShelfError
            If there is none of this id.
        """
        with self._database.reading() as connection:
            return _one(connection, identity)

    def jobs(self, states: Collection[JobState] = ()) -> list[Job]:
        """All jobs, or those in some states, in the order in which they were asked for."""
        with self._database.reading() as connection:
            rows = connection.execute("SELECT * FROM jobs ORDER BY queued, rowid").fetchall()
        return [job for job in map(_job, rows) if not states or job.state in states]

    def _end_leases(self, connection: sqlite3.Connection) -> None:
        rows = connection.execute(
            "SELECT * FROM jobs WHERE state = 'claimed' AND lease_until <= now()"
        ).fetchall()
        for job in map(_job, rows):
            why = f"worker {job.holder} was not heard of for {self.lease_seconds:.0f} seconds"
            self._end_attempt(connection, job, why, True, 0.0, "clock", job.holder or "worker")

    def _end_attempt(
        self,
        connection: sqlite3.Connection,
        job: Job,
        why: str,
        again: bool,
        pause: float,
        role: Role,
        who: str,
    ) -> None:
        state: JobState = "queued" if again and job.attempts < self.most_attempts else "failed"
        check_job_move(job.id, job.state, state, role)
        _close(connection, job.id, state, why)
        connection.execute("UPDATE jobs SET not_before = now() + ? WHERE id = ?", (pause, job.id))
        _note(connection, job.id, job.state, state, role, who, why)


def _named(model: str, allow_local: bool) -> HubModel:
    if not model.startswith(LOCAL):
        return hub_model(model)
    if not allow_local:
        raise ShelfError(f"model {one_line(model, 120)!r}: folders of this machine are not taken")
    if len(model) > _LONGEST_PATH or one_line(model) != model:
        raise ShelfError(f"model {one_line(model, 120)!r}: not the path of a folder")
    return HubModel(model, None)


def _may_be_asked_again(connection: sqlite3.Connection, job: Job) -> bool:
    if job.submission is None:
        return job.state in ("failed", "withdrawn")
    row = connection.execute(
        "SELECT state, reason FROM submissions WHERE id = ?", (job.submission,)
    ).fetchone()
    if row["state"] == "refused":
        raise ShelfError(f"{job.asked}: its run was refused by a maintainer: {row['reason']}")
    return bool(row["state"] == "withdrawn")


def _held(connection: sqlite3.Connection, claim: Claim) -> Job:
    """The job of a claim that still holds."""
    row = connection.execute(
        "SELECT * FROM jobs WHERE id = ? AND fence = ? AND state = 'claimed' "
        "AND lease_until > now()",
        (claim.job.id, claim.fence),
    ).fetchone()
    if row is None:
        raise LeaseLostError(
            f"job {claim.job.id[:12]}: no longer this worker's; its lease ran out, or it was "
            "withdrawn"
        )
    return _job(row)


def _close(
    connection: sqlite3.Connection, identity: str, state: JobState, reason: str | None
) -> None:
    connection.execute(
        "UPDATE jobs SET state = ?, holder = NULL, lease_until = NULL, reason = ? WHERE id = ?",
        (state, reason, identity),
    )


def _of_commit(
    connection: sqlite3.Connection, model: str, commit: str | None, target: Target
) -> Job | None:
    """The job that is of a commit and neither failed nor withdrawn."""
    row = connection.execute(
        "SELECT * FROM jobs WHERE model = ? AND revision = ? AND release_id = ? AND config = ? "
        "AND protocol = ? AND state IN ('queued', 'claimed', 'done')",
        (model, commit, *target),
    ).fetchone()
    return None if row is None else _job(row)


def _found(connection: sqlite3.Connection, identity: str) -> Job | None:
    row = connection.execute("SELECT * FROM jobs WHERE id = ?", (identity,)).fetchone()
    return None if row is None else _job(row)


def _one(connection: sqlite3.Connection, identity: str) -> Job:
    found = _found(connection, identity)
    if found is None:
        raise ShelfError(f"no job {one_line(identity, 64)!r}")
    return found


def _job(row: sqlite3.Row) -> Job:
    return Job.model_validate({key: row[key] for key in Job.model_fields})


def _note(
    connection: sqlite3.Connection,
    identity: str,
    was: JobState | None,
    state: JobState,
    role: Role,
    who: str,
    why: str,
) -> None:
    check_job_move(identity, was, state, role)
    note(
        connection,
        {"subject": identity, "was": was, "state": state, "role": role, "who": who, "why": why},
    )
