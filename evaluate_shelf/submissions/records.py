"""What is known of submissions, and which changes of their state are allowed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, StringConstraints, TypeAdapter, ValidationError

from evaluate_shelf.aggregate.schema.facts import Facts
from evaluate_shelf.bounded import ConfigName, Line, Reason
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line
from evaluate_shelf.submissions.likeness import Digest, Known
from evaluate_shelf.submissions.refusals import quoted

State = Literal["received", "unverified", "verified", "refused", "withdrawn"]
"""Of a run: held for a maintainer; in the table without ranks; in the table; or no longer there."""


Role = Literal["check", "submitter", "maintainer", "worker", "clock"]
"""Who makes a change. The clock is a lease that has run out."""

KEPT: frozenset[State] = frozenset({"received", "unverified", "verified"})
"""States whose run is on the disk. Of the others its hash, time, user and reason are left."""

LISTED: frozenset[State] = KEPT | {"withdrawn"}
"""States of what is listed for anybody. Refused ones are told to whoever has their id."""

NOBODY = "nobody"
"""In place of who sent it, which is not kept of a run that the check refused."""

SHOWN: frozenset[State] = frozenset({"unverified", "verified"})
"""States whose run is in the table."""

MOVES: frozenset[tuple[State | None, State, Role]] = frozenset(
    {
        (None, "received", "check"),
        (None, "unverified", "check"),
        (None, "refused", "check"),
        (None, "verified", "worker"),
        ("received", "unverified", "maintainer"),
        ("received", "refused", "maintainer"),
        ("received", "withdrawn", "submitter"),
        ("unverified", "verified", "maintainer"),
        ("unverified", "refused", "maintainer"),
        ("unverified", "withdrawn", "submitter"),
        ("verified", "refused", "maintainer"),
        ("verified", "withdrawn", "submitter"),
        # Sent once more. What a maintainer refused stays refused; the store sees to that.
        ("refused", "received", "check"),
        ("refused", "unverified", "check"),
        ("refused", "refused", "check"),
        ("refused", "verified", "worker"),
        ("withdrawn", "received", "check"),
        ("withdrawn", "unverified", "check"),
        ("withdrawn", "refused", "check"),
        ("withdrawn", "verified", "worker"),
    }
)
"""All changes of a submission's state that there are: from, to, by whom."""


User = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@+-]{0,99}$")]


_USER: TypeAdapter[str] = TypeAdapter(User)


class Record(BaseModel):
    """What is kept of one thing; it does not change, and has the fields that are named."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RunFacts(Record):
    """What a run says that it is.

    Attributes
    ----------
    model, spec, revision, run_id : str
        As in `run.json`.
    release_id, config, protocol : str
        What it was scored on and how; the protocol is the hash of its settings.
    """

    model: Line
    spec: Line
    revision: Line
    run_id: Line
    release_id: Line
    config: ConfigName
    protocol: Line


class Passed(Record):
    """What a check gives of a run that it does not refuse.

    Attributes
    ----------
    flags : tuple of str
        What a maintainer has to look at, a sentence each.
    found : dict of str to JSON
        Anything that is to be shown with it, such as claimed and recomputed scores.
    known : Known or None
        What others are compared with.
    """

    flags: tuple[Reason, ...] = ()
    found: dict[str, Any] = {}
    known: Known | None = None


Check = Callable[[Path], Passed]
"""Looks at a run's folder; raises `refusals.Refused` to refuse it, with a reason for the user."""


class Submission(Record):
    """A run that was sent.

    Attributes
    ----------
    id : str
        SHA-256 of what was sent: of the run's files, or of the archive where no run was in it.
    state : State
        Where it stands.
    user : str
        Who sent it; of a worker's run, who asked for the model. `NOBODY` where the check refused
        it.
    received : float
        When, in seconds since 1970.
    reason : str or None
        Why it was refused.
    decided_by : Role
        Who brought it into its state.
    computed : bool
        Whether a worker of ours computed it.
    run : RunFacts or None
        What it says that it is; None where it is not kept.
    flags, found
        Of the check; nothing where it is not kept. A list of submissions has no `found`.
    measured : Facts or None
        What was measured when it was run again; None where it was not.
    damaged : bool
        Whether its files were found missing or damaged; sending them again puts them back.
    """

    id: Digest
    state: State
    user: User
    received: float
    reason: Reason | None
    decided_by: Role
    computed: bool
    run: RunFacts | None
    flags: tuple[Reason, ...]
    found: dict[str, Any]
    measured: Facts | None = None
    damaged: bool = False


class Event(Record):
    """A change of a state.

    Attributes
    ----------
    at : float
        When, in seconds since 1970.
    subject : str
        Id of the submission or the job.
    was, state : str
        Before (None where there was nothing) and after.
    role : Role
        In which capacity it was changed.
    who : str
        By whom; of a worker its name, which may be that of its machine. For maintainers alone.
    why : str
        Why; anybody may read it.
    detail : str
        More of that, for maintainers alone.
    """

    at: float
    subject: Digest
    was: Line | None
    state: Line
    role: Role
    who: Line
    why: Reason
    detail: Reason = ""


class AcceptedRun(NamedTuple):
    """A run that is in the table.

    Attributes
    ----------
    id : str
        Of the submission.
    folder : pathlib.Path
        Where its files are, as `evaluate_shelf.runs.reading.load_run` takes it.
    status : {'computed', 'verified', 'unverified'}
        Computed by a worker of ours; sent in, and a re-run agrees; sent in.
    user : str
        Who sent it or asked for it.
    received : float
        When, in seconds since 1970.
    flags : tuple of str
        What the check pointed out.
    measured : Facts or None
        What was measured when it was run again.
    damaged : bool
        As that of `Submission`.
    """

    id: str
    folder: Path
    status: Literal["computed", "verified", "unverified"]
    user: str
    received: float
    flags: tuple[str, ...]
    measured: Facts | None = None
    damaged: bool = False


def checked_user(user: str) -> str:
    """A user's name, if it is one.

    Raises
    ------
    ShelfError
        If it is not.
    """
    try:
        return _USER.validate_python(user)
    except ValidationError:
        raise ShelfError(
            f"user {quoted(user)}: up to 100 letters, digits and any of _ . @ + -"
        ) from None


def checked_reason(reason: str) -> str:
    """A reason on one line, if something is in it.

    Raises
    ------
    ShelfError
        If nothing is.
    """
    line = one_line(reason)
    if not line:
        raise ShelfError("a reason is missing; say in a sentence why")
    return line


def check_move(subject: str, was: State | None, state: State, role: Role) -> None:
    """Refuse a change of a submission's state that there is not.

    Raises
    ------
    ShelfError
        If it is not one of `MOVES`.

    Examples
    --------
    >>> check_move("0123456789ab", "refused", "verified", "maintainer")
    Traceback (most recent call last):
    evaluate_shelf.errors.ShelfError: submission 0123456789ab is refused; it cannot become verified
    """
    if (was, state, role) not in MOVES:
        raise ShelfError(f"submission {subject[:12]} is {was}; it cannot become {state}")
