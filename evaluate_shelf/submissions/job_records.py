"""What a store keeps of models that are asked for: jobs, their states, and who may change them."""

from __future__ import annotations

import re
from typing import Annotated, Literal, NamedTuple

from pydantic import StringConstraints

from evaluate_shelf.bounded import ConfigName, Line, Reason
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.submissions.likeness import Digest
from evaluate_shelf.submissions.records import Record, Role, User
from evaluate_shelf.submissions.refusals import quoted

JobState = Literal["queued", "claimed", "done", "failed", "withdrawn"]
"""Of a model that waits to be evaluated."""


JOB_MOVES: frozenset[tuple[JobState | None, JobState, Role]] = frozenset(
    {
        (None, "queued", "submitter"),
        ("queued", "claimed", "worker"),
        ("claimed", "queued", "worker"),
        ("claimed", "done", "worker"),
        ("claimed", "failed", "worker"),
        ("claimed", "queued", "clock"),
        ("claimed", "failed", "clock"),
        ("queued", "withdrawn", "submitter"),
        ("claimed", "withdrawn", "submitter"),
        ("queued", "failed", "maintainer"),
        ("claimed", "failed", "maintainer"),
        ("failed", "queued", "submitter"),
        ("withdrawn", "queued", "submitter"),
        # Only where its run was withdrawn; the queue sees to that.
        ("done", "queued", "submitter"),
    }
)
"""All changes of a job's state that there are: from, to, by whom."""


Commit = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]


LOCAL = "st:"
"""What a local model's name begins with; a path follows."""


_HUB_MODEL = re.compile(
    r"([A-Za-z0-9][A-Za-z0-9_.-]{0,95}/[A-Za-z0-9][A-Za-z0-9_.-]{0,95})(?:@([0-9a-f]{40}))?"
)


class Target(NamedTuple):
    """What a model is to be evaluated on, and how.

    Attributes
    ----------
    release_id, config, protocol : str
        Of the manifest; a config of documents; the hash of the protocol's settings.
    """

    release_id: str
    config: str
    protocol: str


class Job(Record):
    """A model that is to be evaluated.

    Attributes
    ----------
    id : str
        SHA-256 of the model, the revision that was asked for, and the target.
    asked : str
        As it was asked for: `owner/name`, `owner/name@commit`, or `st:PATH`.
    model : str
        Its name without a revision.
    revision : str or None
        The commit that it stands for; None until it is known.
    release_id, config, protocol : str
        The target.
    user : str
        Who asked.
    queued : float
        When, in seconds since 1970.
    state : JobState
        Where it stands.
    attempts : int
        How often it was claimed and neither given back nor done.
    not_before : float
        When it may be claimed.
    holder : str or None
        The worker that has it.
    lease_until : float or None
        Until when.
    reason : str or None
        Why the last attempt failed.
    submission : str or None
        Id of the run that came of it.
    """

    id: Digest
    asked: Line
    model: Line
    revision: Commit | None
    release_id: Line
    config: ConfigName
    protocol: Line
    user: User
    queued: float
    state: JobState
    attempts: int
    not_before: float
    holder: Line | None
    lease_until: float | None
    reason: Reason | None
    submission: Digest | None

    @property
    def target(self) -> Target:
        """What it is to be evaluated on."""
        return Target(self.release_id, self.config, self.protocol)


class Claim(NamedTuple):
    """A worker's right to finish a job, until its lease runs out.

    Attributes
    ----------
    job : Job
        As it was when it was claimed.
    fence : int
        Counts the claims of a job; an earlier one is worth nothing.
    """

    job: Job
    fence: int


class HubModel(NamedTuple):
    """A model of the Hub, `owner/name`, and a commit or None."""

    name: str
    commit: str | None


def hub_model(text: str) -> HubModel:
    """Take the text that names a model of the Hub apart.

    Raises
    ------
    ShelfError
        If it is not `owner/name` or `owner/name@commit` with forty hexadecimal digits.

    Examples
    --------
    >>> hub_model("intfloat/e5-small")
    HubModel(name='intfloat/e5-small', commit=None)
    """
    found = _HUB_MODEL.fullmatch(text)
    # The Hub takes no such names either; as part of a path they would lead elsewhere.
    if found is None or re.search(r"--|\.\.|[-.](/|@|$)|\.git(@|$)", text):
        raise ShelfError(
            f"model {quoted(text)}: a model is named owner/name or owner/name@commit, "
            "with the forty digits of the commit"
        )
    return HubModel(found[1], found[2])


def check_job_move(subject: str, was: JobState | None, state: JobState, role: Role) -> None:
    """As `check_move`, for a job and `JOB_MOVES`."""
    if (was, state, role) not in JOB_MOVES:
        raise ShelfError(f"job {subject[:12]} is {was}; it cannot become {state}")
