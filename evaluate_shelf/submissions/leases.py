"""Leases on jobs: one worker at a time has a job, for as long as it gives signs of life."""

from __future__ import annotations

import itertools
import sqlite3
from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line
from evaluate_shelf.submissions.job_records import LOCAL, Claim, Job, JobState, Target
from evaluate_shelf.submissions.jobs import end_claim, job_of, job_of_commit, note_job, one_job
from evaluate_shelf.submissions.records import Passed, Role, Submission, checked_reason
from evaluate_shelf.submissions.refusals import presentable
from evaluate_shelf.submissions.run_files import content_id, details_of, write_through
from evaluate_shelf.submissions.store import Store

LEASE_SECONDS = 600.0
"""How long a worker may be silent before its job is another's."""

MOST_ATTEMPTS = 3
"""How often a job is claimed before it has failed."""

LONGEST_WAIT = 3600.0
"""The longest pause before the Hub is asked again that could not be reached."""

_FIRST_PAUSE = 60.0
_PUT_OFF = "waits for the Hub"


class LeaseLostError(ShelfError):
    """The job is no longer this worker's: its lease ran out, or the job was withdrawn."""


class SameJobError(ShelfError):
    """Another job is of the same model and commit, on the same data."""


class Leases:
    """The jobs of a store, for those who work them off.

    Parameters
    ----------
    store : Store
        Where the jobs are kept, and where the runs go.
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
                "SELECT id FROM jobs WHERE state = 'queued' "
                "AND (not_before <= now() OR not_before > now() + ?) "
                "AND release_id = ? AND config = ? AND protocol = ? "
                "AND (? OR substr(asked, 1, 3) <> ?) ORDER BY queued, rowid LIMIT 1",
                (LONGEST_WAIT, *target, local, LOCAL),
            ).fetchone()
            if row is None:
                return None
            connection.execute(
                "UPDATE jobs SET state = 'claimed', attempts = attempts + 1, fence = fence + 1, "
                "holder = ?, lease_until = now() + ? WHERE id = ?",
                (one_line(worker, 300), self.lease_seconds, row["id"]),
            )
            job = one_job(connection, row["id"])
            fence = connection.execute("SELECT fence FROM jobs WHERE id = ?", (job.id,)).fetchone()
            note_job(
                connection, job.id, "queued", "claimed", "worker", worker, f"attempt {job.attempts}"
            )
            return Claim(job, int(fence["fence"]))

    def renew(self, claim: Claim) -> Job:
        """Give a sign of life; gives the job as it is now.

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
            return one_job(connection, claim.job.id)

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
            other = job_of_commit(connection, model, commit, job.target)
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
        with self.store.placing(run, identity) as connection:
            job = _held(connection, claim)
            who = _holder(job)
            why = f"computed for job {job.id[:12]}"
            self.store.place(
                connection, run, identity, "verified", "worker", job.user, who, details, why
            )
            connection.execute(
                "UPDATE jobs SET state = 'done', submission = ?, lease_until = NULL, "
                "holder = NULL, reason = NULL WHERE id = ?",
                (identity, job.id),
            )
            note_job(connection, job.id, "claimed", "done", "worker", who, f"run {identity[:12]}")
        return self.store.get(identity)

    def fail(self, claim: Claim, reason: str, *, again: bool, detail: str = "") -> Job:
        """End an attempt without a run.

        Parameters
        ----------
        claim : Claim
            The worker's.
        reason : str
            Why, for the submitter; anybody may read it.
        again : bool
            Whether another attempt may go better. After a pause it is claimed again, unless it
            was claimed as often as it may be.
        detail : str, default=''
            What only maintainers may read.

        Raises
        ------
        LeaseLostError
            As `renew`.
        """
        why = checked_reason(presentable(reason))
        with self._database.writing() as connection:
            job = _held(connection, claim)
            pause = _FIRST_PAUSE * 4 ** (job.attempts - 1)
            self._end_attempt(
                connection, job, "worker", why, again=again, pause=pause, detail=detail
            )
            return one_job(connection, job.id)

    def put_off(self, claim: Claim, reason: str, detail: str = "") -> Job:
        """Let a job wait because the Hub could not be reached.

        That is no attempt: it is not counted, and the job never fails of it. The wait is a minute,
        and twice as long each time in a row, up to an hour.

        Parameters
        ----------
        claim : Claim
            The worker's.
        reason : str
            What was asked of the Hub; anybody may read it.
        detail : str, default=''
            What only maintainers may read.

        Raises
        ------
        LeaseLostError
            As `renew`.
        """
        why = checked_reason(presentable(f"{_PUT_OFF}: {reason}"))
        with self._database.writing() as connection:
            job = _held(connection, claim)
            pause = min(LONGEST_WAIT, _FIRST_PAUSE * 2.0 ** _put_off_in_a_row(connection, job.id))
            end_claim(connection, job.id, "queued", why)
            connection.execute(
                "UPDATE jobs SET attempts = attempts - 1, not_before = now() + ? WHERE id = ?",
                (pause, job.id),
            )
            note_job(connection, job.id, "claimed", "queued", "worker", _holder(job), why, detail)
            return one_job(connection, job.id)

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
            who = _holder(job)
            note_job(connection, job.id, "claimed", "queued", "worker", who, checked_reason(why))

    def _end_leases(self, connection: sqlite3.Connection) -> None:
        rows = connection.execute(
            "SELECT * FROM jobs WHERE state = 'claimed' "
            "AND (lease_until <= now() OR lease_until > now() + ?)",
            # The clock was set back since: no lease reaches so far.
            (max(self.lease_seconds, LEASE_SECONDS),),
        ).fetchall()
        why = f"its worker was not heard of for {self.lease_seconds:.0f} seconds"
        for job in map(job_of, rows):
            self._end_attempt(connection, job, "clock", why, again=True)

    def _end_attempt(
        self,
        connection: sqlite3.Connection,
        job: Job,
        role: Role,
        why: str,
        *,
        again: bool,
        pause: float = 0.0,
        detail: str = "",
    ) -> None:
        state: JobState = "queued" if again and job.attempts < self.most_attempts else "failed"
        if again and state == "failed":
            why = checked_reason(f"{why}; so ended the last of {job.attempts} attempts")
        # The reason stands on public pages; who had the job is in the event, for maintainers.
        end_claim(connection, job.id, state, why)
        connection.execute("UPDATE jobs SET not_before = now() + ? WHERE id = ?", (pause, job.id))
        note_job(connection, job.id, job.state, state, role, _holder(job), why, detail)


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
    return job_of(row)


def _put_off_in_a_row(connection: sqlite3.Connection, identity: str) -> int:
    """How often a job's last claims ended because the Hub could not be reached, 16 at most."""
    ends = connection.execute(
        "SELECT why FROM events WHERE subject = ? AND state <> 'claimed' "
        "ORDER BY number DESC LIMIT 16",
        (identity,),
    )
    return sum(1 for _ in itertools.takewhile(lambda own: own["why"].startswith(_PUT_OFF), ends))


def _holder(job: Job) -> str:
    return job.holder or "worker"
