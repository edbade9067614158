"""The two stages of a worker's job, each in a process of its own: fetch a model, evaluate it.

`python -m evaluate_shelf.submissions.stages` reads its request from the first line of standard
input, and dies when standard input ends, which is when the worker dies. Its answer is
`answer.json` in its folder.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from evaluate_shelf.bounded import Line, Reason
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import write_json
from evaluate_shelf.printable import one_line
from evaluate_shelf.submissions.exhaustion import is_out_of_memory, speaks_of_memory
from evaluate_shelf.submissions.job_records import Commit, HubModel

ANSWER = "answer.json"
_PR_SET_PDEATHSIG = 1
# What is left to a process for saying that it has no memory.
_RESERVE_BYTES = 64 * 2**20


class _Stage(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    memory_bytes: int
    disk_bytes: int


class Fetch(_Stage):
    """Vet a model and fetch its files.

    Attributes
    ----------
    memory_bytes, disk_bytes : int
        Of the process's address space, and of any file that it writes.
    model : str
        `owner/name`, or a folder of this machine.
    commit : str or None
        Of the Hub; None for the newest.
    is_local : bool
        Whether it is a folder.
    """

    stage: Literal["fetch"] = "fetch"
    model: Line
    commit: Commit | None
    is_local: bool


class Evaluate(_Stage):
    """Evaluate a model without a network.

    Attributes
    ----------
    memory_bytes, disk_bytes : int
        As for `Fetch`.
    spec : str
        As `shelf evaluate` takes it.
    data : pathlib.Path
        A release folder.
    config, protocol : str
        Of the release; the id of the protocol.
    tasks : tuple of str
        Their ids; all but the optional ones where there is none.
    rates : bool
        Whether the rate of encoding is measured.
    """

    stage: Literal["evaluate"] = "evaluate"
    spec: Line
    data: Path
    config: Line
    protocol: Line
    tasks: tuple[Line, ...]
    rates: bool


class Fetched(BaseModel):
    """A model's canonical name and what fixes its files."""

    kind: Literal["fetched"] = "fetched"
    model: Line
    commit: Commit
    total_bytes: int


class Evaluated(BaseModel):
    """Where the run lies, seen from the stage's folder."""

    kind: Literal["evaluated"] = "evaluated"
    run: Line


class Failed(BaseModel):
    """Why there is nothing, whether another attempt may go better, and if the Hub is to blame."""

    kind: Literal["failed"] = "failed"
    reason: Reason
    again: bool
    of_hub: bool = False
    detail: Reason = ""


Answer = Annotated[Fetched | Evaluated | Failed, Field(discriminator="kind")]
REQUEST: TypeAdapter[Fetch | Evaluate] = TypeAdapter(
    Annotated[Fetch | Evaluate, Field(discriminator="stage")]
)
ANSWERS: TypeAdapter[Fetched | Evaluated | Failed] = TypeAdapter(Answer)


def main() -> None:
    """Do one stage in the current folder."""
    request = REQUEST.validate_json(sys.stdin.buffer.readline())
    die_with_worker()
    if isinstance(request, Evaluate):
        _load_libraries()
    bound(request.memory_bytes, request.disk_bytes)
    answer: Fetched | Evaluated | Failed
    try:
        answer = _fetch(request) if isinstance(request, Fetch) else _evaluate(request)
    # Rust code raises what is no Exception.
    except BaseException as error:
        use_reserve()
        if is_out_of_memory(error):
            answer = Failed(reason=short_of_memory(request.memory_bytes), again=False)
        elif isinstance(error, ShelfError):
            answer = _failed(error)
        elif isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        else:
            # Into the log, whose end is for whoever runs the worker.
            traceback.print_exc()
            answer = Failed(
                reason=_broke_off(request, error),
                again=True,
                detail=one_line(f"{type(error).__name__}: {error}", 1000),
            )
    write_json(Path(ANSWER), answer.model_dump(mode="json"))


def die_with_worker() -> None:
    """Kill this process, and what it has started, when the worker dies.

    The worker holds the other end of standard input. Native code that spins, as OpenBLAS does where
    it gets no memory, keeps the thread from running that waits for it; Linux kills all the same.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def watch() -> None:
        # Not the buffered stream: at its end the interpreter would wait for the reader's lock.
        while os.read(0, 4096):
            pass
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def bound(memory_bytes: int, disk_bytes: int) -> None:
    """Limit this process's address space and the size of any file that it writes.

    A small reserve of addresses is kept back, for `use_reserve`.
    """
    import resource

    for kind, most, reserve in (
        (resource.RLIMIT_AS, memory_bytes, _RESERVE_BYTES),
        (resource.RLIMIT_FSIZE, disk_bytes, 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        soft, hard = (
            limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            for limit in (most, most + reserve)
        )
        resource.setrlimit(kind, (soft, hard))


def use_reserve() -> None:
    """Let this process have the addresses that `bound` kept back."""
    import resource

    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def refuse_network() -> None:
    """Let no socket of this process be connected from now on; it cannot be undone."""

    def refuse(event: str, _: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
            raise OSError("no network while a model is evaluated")

    sys.addaudithook(refuse)


def _load_libraries() -> None:
    """Load what spins for ever where it gets no memory for its buffers."""
    import numpy as np  # noqa: F401
    import scipy.linalg  # noqa: F401


def _fetch(request: Fetch) -> Fetched:
    from evaluate_shelf.submissions.fetching import fetched, local_vetted

    if request.is_local:
        found = local_vetted(Path(request.model))
    else:
        found = fetched(HubModel(request.model, request.commit))
    return Fetched(model=found.model, commit=found.commit, total_bytes=found.total_bytes)


def _evaluate(request: Evaluate) -> Evaluated | Failed:
    refuse_network()

    from evaluate_shelf.evaluation import evaluate, prepare
    from evaluate_shelf.registry.protocols import load_protocol
    from evaluate_shelf.runs.names import safe_name

    runs = Path("runs")
    evaluation = prepare(
        request.data,
        request.config,
        task_ids=request.tasks,
        protocol=load_protocol(request.protocol),
        runs=runs,
        store=Path("vectors"),
        memory_bytes=min(512 * 2**20, request.memory_bytes // 4),
        rates=request.rates,
    )
    [run] = evaluate([request.spec], evaluation)
    # A task that fails is noted in the run, and the next one is begun.
    failed = [task.reason or "" for task in run.tasks.values() if task.status == "failed"]
    if any(map(speaks_of_memory, failed)):
        return Failed(reason=short_of_memory(request.memory_bytes), again=False)
    return Evaluated(run=str(runs / safe_name(run.model.name) / run.run_id))


def _failed(error: ShelfError) -> Failed:
    from evaluate_shelf.submissions.fetching import UnreachableError, WrongAnswerError

    return Failed(
        reason=one_line(str(error)),
        again=isinstance(error, WrongAnswerError),
        of_hub=isinstance(error, UnreachableError),
        detail=error.detail if isinstance(error, WrongAnswerError) else "",
    )


def _broke_off(request: Fetch | Evaluate, error: BaseException) -> str:
    """What is said of an error that nobody foresaw; its own words may be a stranger's."""
    kind = type(error).__name__
    if request.stage == "fetch":
        return f"fetching it broke off ({kind})"
    if kind == "PanicException":
        return "a library that reads its tokenizer or its weights broke off (PanicException)"
    return f"evaluating it broke off ({kind}): its tokenizer, settings and weights do not work here"


def short_of_memory(memory_bytes: int) -> str:
    """What is said of a model that a process's memory does not suffice for."""
    return f"it takes more memory than {memory_in_words(memory_bytes)}"


def memory_in_words(memory_bytes: int) -> str:
    """The memory of a stage's process.

    Examples
    --------
    >>> memory_in_words(8 * 2**30)
    'the 8,192 MiB of this worker'
    """
    return f"the {memory_bytes / 2**20:,.0f} MiB of this worker"


if __name__ == "__main__":
    main()
