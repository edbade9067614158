"""Models that wait to be evaluated: they are asked for here, and taken back or refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_json
from evaluate_shelf.printable import one_line
from evaluate_shelf.submissions.holdings import Holdings
from evaluate_shelf.submissions.job_records import (
    LOCAL,
    HubModel,
    Job,
    JobState,
    Target,
    check_job_move,
    hub_model,
)
from evaluate_shelf.submissions.jobs import (
    end_claim,
    found_job,
    job_of,
    job_of_commit,
    note_job,
    one_job,
)
from evaluate_shelf.submissions.records import checked_reason, checked_user
from evaluate_shelf.submissions.refusals import quoted

_LONGEST_PATH = 250


class Queue:
    """The jobs of a store, for those who ask and decide; `leases.Leases` is for workers.

    Parameters
    ----------
    store : Holdings
        Where they are kept.
    """

    def __init__(self, store: Holdings) -> None:
        self.store = store
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
            known = job_of_commit(connection, named.name, named.commit, target)
            known = known or found_job(connection, identity)
            if known is None:
                connection.execute(
                    "INSERT INTO jobs (id, asked, model, revision, release_id, config, protocol, "
                    "user, queued, state, attempts, fence, not_before) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, now(), 'queued', 0, 0, now())",
                    (identity, model, named.name, named.commit, *target, user),
                )
                note_job(connection, identity, None, "queued", "submitter", user, "asked for")
                return one_job(connection, identity)
            if not _may_be_asked_again(connection, known):
                return known
            connection.execute(
                "UPDATE jobs SET state = 'queued', user = ?, queued = now(), not_before = now(), "
                "attempts = 0, model = ?, revision = ?, reason = NULL, submission = NULL "
                "WHERE id = ?",
                (user, named.name, named.commit, known.id),
            )
            note_job(
                connection, known.id, known.state, "queued", "submitter", user, "asked for again"
            )
            return one_job(connection, known.id)

    def withdraw(self, identity: str, user: str) -> Job:
        """Take a job back that this user asked for; a worker that has it stops.

        Raises
        ------
        ShelfError
            If another user asked for it, or it is neither queued nor claimed.
        """
        with self._database.writing() as connection:
            job = one_job(connection, identity)
            if job.user != user:
                raise ShelfError(f"job {identity[:12]}: only who asked for it can withdraw it")
            check_job_move(identity, job.state, "withdrawn", "submitter")
            end_claim(connection, identity, "withdrawn", None)
            note_job(connection, identity, job.state, "withdrawn", "submitter", user, "withdrawn")
            return one_job(connection, identity)

    def refuse(self, identity: str, reason: str, who: str) -> Job:
        """Take a job out as a maintainer; it has failed with that reason."""
        why = checked_reason(reason)
        with self._database.writing() as connection:
            job = one_job(connection, identity)
            check_job_move(identity, job.state, "failed", "maintainer")
            end_claim(connection, identity, "failed", why)
            note_job(connection, identity, job.state, "failed", "maintainer", who, why)
            return one_job(connection, identity)

    def get(self, identity: str) -> Job:
        """One job.

        Raises
        ------
        ShelfError
            If there is none of this id.
        """
        with self._database.reading() as connection:
            return one_job(connection, identity)

    def jobs(self, states: Collection[JobState] = ()) -> list[Job]:
        """All jobs, or those in some states, in the order in which they were asked for."""
        with self._database.reading() as connection:
            rows = connection.execute("SELECT * FROM jobs ORDER BY queued, rowid").fetchall()
        return [job for job in map(job_of, rows) if not states or job.state in states]


def _named(model: str, allow_local: bool) -> HubModel:
    if not model.startswith(LOCAL):
        return hub_model(model)
    if not allow_local:
        raise ShelfError(
            f"model {quoted(model)}: a folder of this machine, which is not taken; name a "
            "model of the Hub as owner/name, without st:"
        )
    if len(model) > _LONGEST_PATH or one_line(model) != model:
        raise ShelfError(f"model {quoted(model)}: not the path of a folder")
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
