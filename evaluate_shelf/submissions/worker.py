"""The loop of a worker: claim a model, evaluate it in a bounded process, hand in its run."""

from __future__ import annotations

import contextlib
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line
from evaluate_shelf.runs.folder import RUN, SCORES
from evaluate_shelf.runs.reading import load_run
from evaluate_shelf.submissions.database import DatabaseError
from evaluate_shelf.submissions.evaluating import Evaluation, JobFailedError
from evaluate_shelf.submissions.job_records import Claim, Job, Target
from evaluate_shelf.submissions.leases import LeaseLostError, Leases
from evaluate_shelf.submissions.records import Check, Passed
from evaluate_shelf.submissions.refusals import Refused, presentable

_IDLE_SECONDS = 30.0
_PULSES_A_LEASE = 4
_MORE_TRIES = 2
Given = TypeVar("Given")


Say = Callable[[str], object]


def _say_nothing(_: str) -> None:
    """Tell nobody."""


@dataclass
class Tally:
    """How the jobs of a worker ended, counted."""

    done: int = 0
    failed: int = 0
    again: int = 0
    lost: int = 0


class Loop(NamedTuple):
    """How a worker goes on.

    Attributes
    ----------
    once : bool
        Whether it ends where no job waits.
    wait : callable
        Waits so many seconds for a job.
    idle_seconds : float
        How long it waits.
    """

    once: bool = False
    wait: Callable[[float], object] = time.sleep
    idle_seconds: float = _IDLE_SECONDS


def work(
    leases: Leases,
    target: Target,
    evaluation: Evaluation,
    *,
    name: str = "",
    local: bool = False,
    check: Check | None = None,
    loop: Loop | None = None,
    say: Say = _say_nothing,
) -> Tally:
    """Take jobs until there is none, or for ever.

    Parameters
    ----------
    leases : Leases
        On the jobs.
    target : Target
        On what this worker evaluates.
    evaluation : callable
        Does it; see `evaluating.HubEvaluation`.
    name : str, default='host:process'
        The worker's, in leases and events.
    local : bool, default=False
        Whether it takes folders of this machine.
    check : callable, default=None
        Looks at each run before it is handed in, after it was seen that it is the job's.
    loop : Loop, default=None
        How to go on; for ever without it.
    say : callable
        Told what happens, a line each time.

    Returns
    -------
    Tally
        How the jobs ended.

    Raises
    ------
    KeyboardInterrupt
        After the job in hand was given back.
    """
    goes_on, tally = loop or Loop(), Tally()
    who = name or f"{platform.node() or 'worker'}:{os.getpid()}"
    while True:
        claim = leases.claim(target, who, local=local)
        if claim is not None:
            say(f"{claim.job.asked}: attempt {claim.job.attempts}")
            _do(leases, claim, evaluation, check, tally, say)
        elif goes_on.once:
            return tally
        else:
            goes_on.wait(goes_on.idle_seconds)


def _do(
    leases: Leases,
    claim: Claim,
    evaluation: Evaluation,
    check: Check | None,
    tally: Tally,
    say: Say,
) -> None:
    job = claim.job
    try:
        with leases.store.scratch() as folder:
            run = evaluation(
                job,
                folder,
                Renewal(leases, claim),
                lambda model, commit: leases.pin(claim, model, commit),
            )
            check_is_of(run, _patiently(lambda: leases.renew(claim)))
            passed = check(run) if check else Passed()
            submission = _patiently(lambda: leases.finish(claim, run, passed))
        tally.done += 1
        say(f"{job.asked}: done, submission {submission.id[:12]}")
    except KeyboardInterrupt:
        with contextlib.suppress(LeaseLostError):
            leases.give_back(claim, "the worker was stopped")
            say(f"{job.asked}: given back")
        raise
    except LeaseLostError as error:
        tally.lost += 1
        say(f"{job.asked}: {error}")
    except JobFailedError as error:
        if error.of_hub:
            _put_off(leases, claim, str(error), tally, say, error.detail)
        else:
            _fail(leases, claim, str(error), tally, say, again=error.again, detail=error.detail)
    except DatabaseError as error:
        reason = "the store could not be written"
        _fail(leases, claim, reason, tally, say, again=True, detail=str(error))
    except ShelfError as error:
        detail = error.detail if isinstance(error, Refused) else ""
        _fail(leases, claim, str(error), tally, say, again=False, detail=detail)
    except Exception as error:
        # A full disk, say: the next worker may fare better, and this one should not go on.
        reason, detail = "the worker failed", f"{type(error).__name__}: {error}"
        _fail(leases, claim, reason, tally, say, again=True, detail=detail)
        raise


def _fail(
    leases: Leases,
    claim: Claim,
    reason: str,
    tally: Tally,
    say: Say,
    *,
    again: bool,
    detail: str = "",
) -> None:
    try:
        # Anybody may read it.
        ended = leases.fail(claim, presentable(reason), again=again, detail=detail)
    except (LeaseLostError, DatabaseError) as error:
        # The lease of a job that cannot be written now runs out, and the job waits again.
        tally.lost += 1
        say(f"{claim.job.asked}: {error}")
        return
    if ended.state == "failed":
        tally.failed += 1
    else:
        tally.again += 1
    say(": ".join(filter(None, (claim.job.asked, ended.state, reason, detail))))


def _put_off(
    leases: Leases, claim: Claim, reason: str, tally: Tally, say: Say, detail: str
) -> None:
    try:
        waits = leases.put_off(claim, reason, detail)
    except (LeaseLostError, DatabaseError) as error:
        tally.lost += 1
        say(f"{claim.job.asked}: {error}")
        return
    tally.again += 1
    seconds = waits.not_before - leases.store.database.clock()
    told = f"{claim.job.asked}: waits {seconds / 60:.0f} minutes: {reason}"
    say(": ".join(filter(None, (told, detail))))


def _patiently(act: Callable[[], Given]) -> Given:
    """Do what may find the store locked, which is waited for a minute each time."""
    for _ in range(_MORE_TRIES):
        try:
            return act()
        except DatabaseError:
            continue
    return act()


class Renewal:
    """Renews a claim's lease when it is called, as often as the lease needs it.

    Parameters
    ----------
    leases : Leases
        On the jobs.
    claim : Claim
        The worker's.
    """

    def __init__(self, leases: Leases, claim: Claim) -> None:
        self._leases = leases
        self._claim = claim
        self._next = 0.0
        self._lease_until = claim.job.lease_until or 0.0

    def __call__(self) -> None:
        """Give a sign of life.

        Raises
        ------
        LeaseLostError
            If the job is another's by now.
        DatabaseError
            If the store cannot be written and the lease has run out; until then it is tried again.
        """
        clock, seconds = self._leases.store.database.clock, self._leases.lease_seconds
        now = clock()
        # Much earlier than it can be: the clock was set back, and the lease with it.
        if self._next - seconds <= now < self._next:
            return
        try:
            job = self._leases.renew(self._claim)
        except DatabaseError:
            if clock() >= self._lease_until:
                raise
            return
        self._lease_until = job.lease_until or 0.0
        self._next = self._lease_until - seconds + seconds / _PULSES_A_LEASE


def check_is_of(run: Path, job: Job) -> None:
    """See that a run is whole, complete and of the job that it is handed in for.

    Raises
    ------
    JobFailedError
        If it is not.
    """
    try:
        found = load_run(run)
        for path in found.file.files:
            found.checked(path)
    except ShelfError as error:
        raise JobFailedError(f"the run is not whole: {error}", again=True) from error
    file = found.file
    listed = {RUN, SCORES, *file.files}
    there = {path.relative_to(run).as_posix() for path in run.rglob("*") if path.is_file()}
    if there - listed:
        raise JobFailedError(f"the run holds {min(there - listed)}, which no run has", again=True)
    is_this = Target(file.data.release_id, file.data.config, file.protocol.key)
    if is_this != job.target or file.limit is not None:
        raise JobFailedError("the run is on other data, or under another protocol", again=False)
    if job.revision not in (None, file.model.revision):
        raise JobFailedError("the run is of another commit", again=False)
    if file.model.name != job.model:
        raise JobFailedError("the run is of another model", again=False)
    failed = [f"{t}: {own.reason}" for t, own in file.tasks.items() if own.status == "failed"]
    if failed:
        raise JobFailedError(
            one_line(f"{len(failed)} tasks failed; {'; '.join(failed[:3])}", 1000), again=False
        )
    if not found.scores.num_rows:
        raise JobFailedError("no task of the release could be scored", again=False)
