"""Which ends of a process are those of one without memory."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from job_terms import terms
from stored_runs import Clock, store_in

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.submissions import evaluating
from evaluate_shelf.submissions.evaluating import HubEvaluation, Terms
from evaluate_shelf.submissions.exhaustion import end_of, is_out_of_memory, speaks_of_memory
from evaluate_shelf.submissions.job_records import Job
from evaluate_shelf.submissions.leases import Leases
from evaluate_shelf.submissions.queue import Queue
from evaluate_shelf.submissions.records import Event
from evaluate_shelf.submissions.stages import ANSWER, ANSWERS, Failed, Fetch
from evaluate_shelf.submissions.supervising import environment_in, printed_last, supervised
from evaluate_shelf.submissions.worker import Loop, Tally, work

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits addresses")


class PanicException(BaseException):
    """Stands for what a tokenizer raises."""


class SafetensorError(Exception):
    """Stands for what a reader of weights raises."""


EXHAUSTED: dict[str, BaseException] = {
    "python": MemoryError(),
    "numpy": MemoryError("Unable to allocate 3.2 GiB for an array with shape (4, 5)"),
    "interpreter": SystemError("error return without exception set"),
    "import": SystemError("<function _find_and_load> returned NULL without setting an exception"),
    "loader": ImportError("libtorch_cpu.so: failed to map segment from shared object"),
    "loader with its cause": ImportError("x.so: cannot map: Cannot allocate memory"),
    "ctypes": OSError("libgomp.so.1: failed to map segment from shared object"),
    "mmap": OSError(errno.ENOMEM, "Cannot allocate memory"),
    "fork": OSError(errno.ENOMEM, os.strerror(errno.ENOMEM), "/bin/true"),
    "torch": RuntimeError(
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate "
        "memory: you tried to allocate 4294967296 bytes. Error code 12 (Cannot allocate memory)"
    ),
    "torch elsewhere": RuntimeError(
        "[enforce fail at alloc_cpu.cpp:80] data. DefaultCPUAllocator: not enough memory: you "
        "tried to allocate 400 bytes."
    ),
    "a card": RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB"),
    "c++": RuntimeError("std::bad_alloc"),
    "a thread": RuntimeError("can't start new thread"),
    "rust": PanicException("memory allocation of 393216 bytes failed"),
    "rust threads": PanicException(
        "ThreadPoolBuildError { kind: IOError(Os { code: 11, message: "
        '"Resource temporarily unavailable" }) }'
    ),
    "weights": SafetensorError('IO(Os { code: 12, message: "Cannot allocate memory" })'),
}

OTHERS: dict[str, BaseException] = {
    "a missing module": ModuleNotFoundError("No module named 'torch'"),
    "a full table of the loader": ImportError(
        "libgomp.so.1: cannot allocate memory in static TLS block"
    ),
    "a disk that runs nothing": ImportError(
        "x.so: failed to map segment from shared object: Operation not permitted"
    ),
    "a full disk": OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    "a file": FileNotFoundError(errno.ENOENT, "No such file", "/out of memory"),
    "a shape": RuntimeError("mat1 and mat2 shapes cannot be multiplied (1x2 and 3x4)"),
    "a stranger's words": ValueError("'MemoryError: out of memory' is no activation"),
    "a key": KeyError("std::bad_alloc"),
    "the interpreter": SystemError("bad argument to internal function"),
    "a refusal": ShelfError("the model takes more than it may"),
    "ctrl-c": KeyboardInterrupt(),
}


def raised(error: BaseException) -> BaseException:
    try:
        raise error
    except BaseException as caught:
        return caught


def wrapped(error: BaseException) -> BaseException:
    """What a loader makes of an error: it says what it was loading."""
    try:
        try:
            raise error
        except BaseException as cause:
            raise ShelfError("model 'st:x': not loaded") from cause
    except ShelfError as caught:
        return caught


def replaced(error: BaseException) -> BaseException:
    """What comes of an error while it is handled, and hides it."""
    try:
        try:
            raise error
        except BaseException:
            raise AttributeError("partially initialized module 'torch'") from None
    except AttributeError as caught:
        return caught


def among_others(error: BaseException) -> BaseException:
    return BaseExceptionGroup("two threads", [ValueError("x"), error])


WAYS = (raised, wrapped, replaced, among_others, lambda error: wrapped(wrapped(error)))


@pytest.mark.parametrize("name", EXHAUSTED)
@pytest.mark.parametrize("way", WAYS)
def test_it_is_memory_however_it_comes(
    name: str, way: Callable[[BaseException], BaseException]
) -> None:
    assert is_out_of_memory(way(EXHAUSTED[name]))


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("way", WAYS)
def test_other_errors_are_not_of_memory(
    name: str, way: Callable[[BaseException], BaseException]
) -> None:
    assert not is_out_of_memory(way(OTHERS[name]))


def test_causes_that_go_in_a_circle_come_to_an_end() -> None:
    first, second = ValueError("x"), ValueError("y")
    first.__cause__, second.__cause__ = second, first
    assert not is_out_of_memory(first)


@pytest.mark.parametrize("error", EXHAUSTED.values(), ids=list(EXHAUSTED))
def test_a_traceback_that_was_printed_says_as_much(error: BaseException) -> None:
    assert speaks_of_memory(f"Traceback\n  File x\n{type(error).__name__}: {error}\n")


@pytest.mark.parametrize(
    ("status", "said", "end"),
    [
        (-signal.SIGABRT, "terminate called after throwing 'std::bad_alloc'", "memory"),
        (-signal.SIGABRT, "memory allocation of 8 bytes failed\nnote: run with it", "memory"),
        (-signal.SIGABRT, "thread 1 not created: Resource temporarily unavailable", "memory"),
        (-signal.SIGSEGV, "Traceback\nMemoryError", "memory"),
        (-signal.SIGKILL, "", "memory"),
        (1, "SystemError: <built-in> returned NULL without setting an exception", "memory"),
        (1, "ImportError: a.so: failed to map segment from shared object", "memory"),
        (-signal.SIGSEGV, "", "crash"),
        (-signal.SIGABRT, "Assertion `x' failed.", "crash"),
        (-signal.SIGBUS, "", "crash"),
        (-signal.SIGTERM, "", "other"),
        (-signal.SIGINT, "KeyboardInterrupt", "other"),
        (1, "OSError: [Errno 28] No space left on device", "other"),
        (0, "", "other"),
    ],
)
def test_how_a_process_ended_says_why(status: int, said: str, end: str) -> None:
    assert end_of(status, said) == end


# --- jobs


@pytest.fixture
def leases(tmp_path: Path) -> Leases:
    return Leases(store_in(tmp_path / "store", Clock()))


def worked(leases: Leases, model: str, own: Terms) -> tuple[Tally, Job, Event]:
    """How a job ended, as what it is then, and the last that was noted of it."""
    queue = Queue(leases.store)
    job = queue.enqueue(model, own.target, "ann", allow_local=True)
    tally = work(leases, own.target, HubEvaluation(own), local=True, loop=Loop(once=True))
    return tally, queue.get(job.id), leases.store.events(job.id)[-1]


SHORT = "it takes more memory than the 512 MiB of this worker"


@pytest.mark.parametrize(
    ("dies", "again", "reason", "detail"),
    [
        ("os.abort()  # std::bad_alloc", False, SHORT, "signal 6"),
        ("os.kill(os.getpid(), signal.SIGKILL)", False, SHORT, "signal 9"),
        ("raise SystemError('error return without exception set')", False, SHORT, "status 1"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", False, "the model's download crashed", "signal"),
        ("os.kill(os.getpid(), signal.SIGTERM)", True, "ended by signal 15", "at node7"),
        ("sys.exit(3)", True, "ended with status 3", "at node7"),
    ],
)
def test_a_job_whose_process_dies_is_tried_again_only_where_that_may_help(
    leases: Leases,
    monkeypatch: pytest.MonkeyPatch,
    dies: str,
    again: bool,
    reason: str,
    detail: str,
) -> None:
    says = dies.partition("# ")[2]
    code = (
        "import os, signal, sys\n"
        f"print({says!r}, 'at node7, /srv/secret/x', file=sys.stderr, flush=True)\n{dies}"
    )
    monkeypatch.setattr(evaluating, "_STAGE", (sys.executable, "-c", code))
    monkeypatch.setattr(evaluating, "_FETCH_MEMORY", 512 * 2**20)
    tally, job, event = worked(leases, "owner/name", terms(seconds=300.0))
    assert (tally.again, tally.failed) == (int(again), int(not again))
    assert job.state == ("queued" if again else "failed")
    assert reason in str(job.reason)
    # What it printed is for maintainers.
    assert "node7" not in str(job.reason)
    assert detail in event.detail


@LINUX
@pytest.mark.parametrize("name", ["interpreter", "loader", "torch", "rust"])
def test_a_stage_answers_although_it_has_no_memory(tmp_path: Path, name: str) -> None:
    """Its memory is used up when the error comes; a reserve is left for the answer."""
    error = EXHAUSTED[name]
    code = f"""
from evaluate_shelf.submissions import stages
class PanicException(BaseException): pass
held = []
def fails(request):
    for size in (2**24, 2**16, 2**10):
        try:
            while True: held.append(bytearray(size))
        except MemoryError: pass
    raise {type(error).__name__}({str(error)!r})
stages._fetch = fails
stages.main()
"""
    memory, disk = 400_000_000, 1_000_000
    request = Fetch(memory_bytes=memory, disk_bytes=disk, model="a/b", commit=None, is_local=False)
    supervised(
        (sys.executable, "-c", code),
        request.model_dump_json().encode(),
        tmp_path,
        environment_in(tmp_path, network=False),
        seconds=60,
        pulse=lambda: None,
        every=1,
    )
    assert (tmp_path / ANSWER).is_file(), printed_last(tmp_path)
    answer = ANSWERS.validate_json((tmp_path / ANSWER).read_bytes())
    assert isinstance(answer, Failed)
    assert (answer.again, answer.reason) == (
        False,
        "it takes more memory than the 381 MiB of this worker",
    )


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sentence_transformers")
    from tiny_bert import tiny_encoder

    return tiny_encoder(tmp_path_factory.mktemp("models") / "tiny")


@LINUX
@pytest.mark.slow
@pytest.mark.parametrize("mebibytes", [300, 500, 800])
def test_a_model_that_needs_more_memory_than_there_is_fails_with_that_reason(
    leases: Leases, encoder: Path, mebibytes: int
) -> None:
    """Where it ends differs with the limit, and from time to time; what is said does not."""
    tally, job, _ = worked(
        leases, f"st:{encoder}", terms(seconds=300.0, memory_bytes=mebibytes * 2**20)
    )
    assert (tally.failed, tally.again) == (1, 0)
    assert job.reason == f"it takes more memory than the {mebibytes} MiB of this worker"
