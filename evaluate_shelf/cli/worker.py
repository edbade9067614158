"""`shelf worker`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_LEAST_MEMORY = 2048


def worker(
    store: Annotated[Path, typer.Option(help="The store of submissions, a folder.")],
    data: Annotated[str, typer.Option(help="A release folder, or a Hub dataset id.")],
    config: Annotated[
        str | None, typer.Option(help="Config of documents; the release's default without it.")
    ] = None,
    protocol: Annotated[str | None, typer.Option(help="shelf-1 or shelf-1-balanced.")] = None,
    once: Annotated[
        bool, typer.Option("--once", help="End when no job waits, in place of waiting for more.")
    ] = False,
    memory: Annotated[
        int, typer.Option(help="MiB of address space that a model's process may have.")
    ] = 8192,
    hours: Annotated[float, typer.Option(help="Hours that a model may take.")] = 12.0,
    rates: Annotated[
        bool, typer.Option(help="Measure how many documents a second the model takes.")
    ] = True,
    allow_local: Annotated[
        bool,
        typer.Option(
            "--allow-local", help="Take folders of this machine too (st:PATH): a private store."
        ),
    ] = False,
    name: Annotated[
        str | None, typer.Option(help="The worker's name in the store; host:process without it.")
    ] = None,
) -> None:
    """Evaluate the models that wait in a store, one after the other.

    A model is looked at before it is fetched: safetensors alone, no code of its own, modules of
    sentence-transformers from a list, four gibibytes at most. It is evaluated in a process without
    a network, without tokens and with bounded memory and time. Several workers can share a store
    on one machine. Ctrl-C gives the job in hand back. A job that breaks off three times has failed;
    while the Hub cannot be reached jobs wait, up to an hour at a time, and do not fail of it. With
    --once the status is 1 if a job failed.

    Example: shelf worker --store submissions --data release --once
    """
    import signal

    from evaluate_shelf.cli.terminal import say
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.registry.protocols import load_protocol
    from evaluate_shelf.release.needed import folder_to_evaluate
    from evaluate_shelf.submissions.evaluating import HubEvaluation, Terms, target_of
    from evaluate_shelf.submissions.flags import check_of
    from evaluate_shelf.submissions.known import known_in
    from evaluate_shelf.submissions.leases import Leases
    from evaluate_shelf.submissions.readiness import check_ready
    from evaluate_shelf.submissions.store import Store
    from evaluate_shelf.submissions.worker import Loop, work

    check_ready()
    if memory < _LEAST_MEMORY:
        raise ShelfError(f"--memory {memory}: torch alone takes {_LEAST_MEMORY} MiB of addresses")
    if not 0 < hours < 10_000:
        raise ShelfError(f"--hours {hours}: a time above 0 is needed")
    opened = Store(store)
    opened.sweep()
    folder = folder_to_evaluate(data, config)
    target = target_of(folder, config, protocol)
    terms = Terms(
        data=folder,
        target=target,
        protocol=load_protocol(protocol).id,
        memory_bytes=memory * 2**20,
        seconds=hours * 3600,
        rates=rates,
    )
    # What ends a service is as good as Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    tally = work(
        Leases(opened),
        target,
        HubEvaluation(terms),
        name=name or "",
        local=allow_local,
        check=check_of([folder], lambda board: known_in(opened, board)),
        loop=Loop(once=once),
        say=say,
    )
    say(f"{tally.done} done, {tally.failed} failed, {tally.again} to be tried again")
    if once and tally.failed:
        raise typer.Exit(1)
