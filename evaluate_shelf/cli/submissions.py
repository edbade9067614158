"""`shelf submissions`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from evaluate_shelf.submissions.job_records import Job
    from evaluate_shelf.submissions.records import Event, Submission
    from evaluate_shelf.submissions.store import Store

_ACTIONS = ("list", "jobs", "show", "accept", "refuse", "verify", "withdraw", "enqueue")


def submissions(
    store: Annotated[Path, typer.Argument(help="The store of submissions, a folder.")],
    action: Annotated[str, typer.Argument(help=", ".join(_ACTIONS) + ".")] = "list",
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="ID", help="Of a run or a job, six digits at least; for enqueue a model."
        ),
    ] = None,
    reason: Annotated[str | None, typer.Option(help="For refuse: why, for the submitter.")] = None,
    run: Annotated[Path | None, typer.Option(help="For verify: the run made anew.")] = None,
    user: Annotated[
        str | None, typer.Option(help="Who does it; your login without it. Withdraw needs it.")
    ] = None,
    data: Annotated[
        str | None, typer.Option(help="For enqueue: a release folder, or a Hub dataset id.")
    ] = None,
    config: Annotated[
        str | None, typer.Option(help="For enqueue: the release's default without it.")
    ] = None,
    protocol: Annotated[
        str | None, typer.Option(help="For enqueue: shelf-1 or shelf-1-balanced.")
    ] = None,
    allow_local: Annotated[
        bool, typer.Option("--allow-local", help="For enqueue: take st:PATH, a folder here.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List what was sent to a store, and decide on it.

    list shows runs, jobs the models that wait or were evaluated, show one of either with all that
    happened to it. accept lets a run that was held into the table as unverified; verify compares
    it with a run made anew and marks it as verified; refuse takes it out, and keeps its hash, user,
    time and reason alone. withdraw is the submitter's. enqueue makes the store if there is none.

    Example: shelf submissions STORE refuse 0123456789ab --reason "not the model that it names"
    """
    from evaluate_shelf.cli.terminal import show_json
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.submissions.queue import Queue
    from evaluate_shelf.submissions.store import Store

    if action not in _ACTIONS:
        raise ShelfError(f"{action!r:.60}: known are {', '.join(_ACTIONS)}")
    if action == "enqueue":
        _show(_enqueued(store, subject, data, config, protocol, _who(user), allow_local), [], json)
        return
    opened = Store(store)
    if action in ("list", "jobs"):
        records: Sequence[Any] = opened.submissions() if action == "list" else Queue(opened).jobs()
        if json:
            show_json([record.model_dump(mode="json") for record in records])
        else:
            _print_table(
                _rows_of_runs(records) if action == "list" else _rows_of_jobs(records), 100
            )
        return
    if subject is None:
        raise ShelfError(f"{action}: name a run or a job by its id; `list` and `jobs` show them")
    record = _acted(opened, action, subject, reason, run, user)
    _show(record, opened.events(record.id), json)


def _acted(
    store: Store,
    action: str,
    prefix: str,
    reason: str | None,
    run: Path | None,
    user: str | None,
) -> Submission | Job:
    """Do what is asked for; gives the run or the job as it is then."""
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.submissions.queue import Queue

    queue = Queue(store)
    identity, is_job = _identified(store, prefix)
    if action == "show":
        return queue.get(identity) if is_job else store.get(identity)
    if action == "withdraw":
        if user is None:
            raise ShelfError("withdraw: --user is missing, who sent it")
        return queue.withdraw(identity, user) if is_job else store.withdraw(identity, user)
    if action == "refuse":
        if reason is None:
            raise ShelfError("refuse: --reason is missing, a sentence for the submitter")
        refuse = queue.refuse if is_job else store.refuse
        return refuse(identity, reason, _who(user))
    if is_job:
        raise ShelfError(f"{action}: {prefix} is a job; only runs are accepted and verified")
    if action == "accept":
        return store.accept(identity, _who(user))
    if run is None:
        raise ShelfError("verify: --run is missing, the folder of the run made anew")
    return store.verify(identity, run, _who(user))


def _identified(store: Store, prefix: str) -> tuple[str, bool]:
    """The full id, and whether it is a job's."""
    from evaluate_shelf.errors import ShelfError

    try:
        return store.full_id(prefix), False
    except ShelfError as of_runs:
        try:
            return store.full_id(prefix, "jobs"), True
        except ShelfError:
            raise of_runs from None


def _enqueued(
    folder: Path,
    model: str | None,
    data: str | None,
    config: str | None,
    protocol: str | None,
    user: str,
    allow_local: bool,
) -> Job:
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.release.needed import folder_to_evaluate
    from evaluate_shelf.submissions.evaluating import target_of
    from evaluate_shelf.submissions.job_records import LOCAL
    from evaluate_shelf.submissions.queue import Queue
    from evaluate_shelf.submissions.store import Store

    if model is None or data is None:
        raise ShelfError("enqueue: a model is needed, and --data with a release")
    if model.startswith(LOCAL) and not allow_local:
        raise ShelfError(
            f"{model!r:.120}: a folder of this machine is taken with --allow-local, as "
            f"{LOCAL}PATH, by a worker with --allow-local; a model of the Hub is named owner/name"
        )
    target = target_of(folder_to_evaluate(data, config), config, protocol)
    queue = Queue(Store.create(folder))
    return queue.enqueue(model, target, user, allow_local=allow_local)


def _who(user: str | None) -> str:
    import getpass

    return user or getpass.getuser()


def _show(record: Submission | Job, events: Sequence[Event], json: bool) -> None:
    from evaluate_shelf.cli.terminal import show_json

    values = record.model_dump(mode="json")
    if json:
        show_json({**values, "events": [event.model_dump(mode="json") for event in events]})
        return
    found = values.pop("found", {})
    run = values.pop("run", None)
    values["state"] = _state(values["state"])
    rows = [(name, _cell(value)) for name, value in {**values, **(run or {})}.items()]
    _print_table([(name, value) for name, value in rows if value])
    if found:
        sys.stdout.write(f"\n{len(found)} more fields with --json: {', '.join(sorted(found))}\n")
    if events:
        sys.stdout.write("\n")
        _print_table(
            [("WHEN", "STATE", "BY", "WHO", "WHY")]
            + [(_time(own.at), _state(own.state), own.role, own.who, _told(own)) for own in events]
        )


def _state(state: str) -> str:
    """A state as people call it."""
    return "held" if state == "received" else state


def _told(event: Event) -> str:
    return f"{event.why} ({event.detail})" if event.detail else event.why


def _rows_of_runs(records: Sequence[Submission]) -> Sequence[tuple[str, ...]]:
    return [("ID", "RECEIVED", "STATE", "USER", "MODEL", "NOTE")] + [
        (
            own.id[:12],
            _time(own.received),
            "computed" if own.computed and own.state == "verified" else _state(own.state),
            own.user,
            own.run.model if own.run else "",
            own.reason or "; ".join(own.flags),
        )
        for own in records
    ]


def _rows_of_jobs(records: Sequence[Job]) -> Sequence[tuple[str, ...]]:
    return [("ID", "ASKED", "STATE", "USER", "MODEL", "ATTEMPTS", "NOTE")] + [
        (
            own.id[:12],
            _time(own.queued),
            own.state,
            own.user,
            own.asked,
            str(own.attempts),
            own.reason or (f"run {own.submission[:12]}" if own.submission else own.holder or ""),
        )
        for own in records
    ]


def _print_table(rows: Sequence[Sequence[str]], longest: int = 2000) -> None:
    from evaluate_shelf.printable import shortened
    from evaluate_shelf.text_columns import aligned

    # Names and reasons are strangers' words.
    shown = [[shortened(cell, longest) for cell in row] for row in rows]
    if shown:
        sys.stdout.writelines(f"{line}\n" for line in aligned(shown))


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return "" if value is None else str(value)


def _time(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
