"""The loop of a worker: claim a model, evaluate it in a bounded process, hand in its run."""

from __future__ import annotations

import contextlib
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line
from evaluate_shelf.runs.folder import RUN, SCORES
from evaluate_shelf.runs.reading import load_run
from evaluate_shelf.submissions.evaluating import Evaluation, JobFailedError
from evaluate_shelf.submissions.queue import LeaseLostError, Queue, SameJobError
from evaluate_shelf.submissions.records import Check, Claim, Job, Passed, Target
from evaluate_shelf.submissions.refusals import presentable
from evaluate_shelf.submissions.supervising import TooLongError

_IDLE_SECONDS = 30.0
_PULSES_A_LEASE = 4


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
    queue: Queue,
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
    queue : Queue
        Where the jobs are.
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
        claim = queue.claim(target, who, local=local)
        if claim is not None:
            say(f"{claim.job.asked}: attempt {claim.job.attempts}")
            _do(queue, claim, evaluation, check, tally, say)
        elif goes_on.once:
            return tally
        else:
            goes_on.wait(goes_on.idle_seconds)


def _do(
    queue: Queue,
    claim: Claim,
    evaluation: Evaluation,
    check: Check | None,
    tally: Tally,
    say: Say,
) -> None:
    job = claim.job
    try:
        with queue.store.scratch() as folder:
            run = evaluation(
                job,
                folder,
                Renewal(queue, claim),
                lambda model, commit: queue.pin(claim, model, commit),
            )
            check_is_of(run, queue.get(job.id))
            queue.renew(claim)
            passed = check(run) if check else Passed()
            submission = queue.finish(claim, run, passed)
        tally.done += 1
        say(f"{job.asked}: done, submission {submission.id[:12]}")
    except KeyboardInterrupt:
        with contextlib.suppress(LeaseLostError):
            queue.give_back(claim, "the worker was stopped")
            say(f"{job.asked}: given back")
        raise
    except LeaseLostError as error:
        tally.lost += 1
        say(f"{job.asked}: {error}")
    except (JobFailedError, SameJobError, TooLongError) as error:
        again = isinstance(error, JobFailedError) and error.again
        _fail(queue, claim, str(error), again, tally, say)
    except ShelfError as error:
        _fail(queue, claim, str(error), False, tally, say)
    except Exception as error:
        # A full disk, say: the next worker may fare better, and this one should not go on.
        _fail(queue, claim, f"the worker failed: {type(error).__name__}", True, tally, say)
        raise


def _fail(queue: Queue, claim: Claim, reason: str, again: bool, tally: Tally, say: Say) -> None:
    try:
        # The submitter reads it.
        ended = queue.fail(claim, presentable(reason), again=again)
    except LeaseLostError as error:
        tally.lost += 1
        say(f"{claim.job.asked}: {error}")
        return
    if ended.state == "failed":
        tally.failed += 1
    else:
        tally.again += 1
    say(f"{claim.job.asked}: {ended.state}: {reason}")


class Renewal:
    """Renews a claim's lease when it is called, as often as the lease needs it.

    Parameters
    ----------
    queue : Queue
        Where the job is.
    claim : Claim
        The worker's.
    """

    def __init__(self, queue: Queue, claim: Claim) -> None:
        self._queue = queue
        self._claim = claim
        self._next = 0.0

    def __call__(self) -> None:
        """Give a sign of life; raises LeaseLostError where the job is another's by now."""
        now = self._queue.store.database.clock()
        if now >= self._next:
            self._queue.renew(self._claim)
            self._next = now + self._queue.lease_seconds / _PULSES_A_LEASE


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
