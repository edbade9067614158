"""A process that is watched: it ends by itself, at its time limit, or with the worker."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import evaluate_shelf
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line

Pulse = Callable[[], None]
"""A sign of life; it raises where the work is no longer wanted."""

_LOG = "log.txt"
_LONGEST_TAIL = 4096
_PASSED_ON = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LD_LIBRARY_PATH",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
)
_OF_NETWORK = ("HF_ENDPOINT", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


class TooLongError(ShelfError):
    """The process was still at work at its time limit, and was killed."""


def supervised(
    command: Sequence[str],
    request: bytes,
    folder: Path,
    environment: Mapping[str, str],
    *,
    seconds: float,
    pulse: Pulse,
    every: float,
) -> int:
    """Run a command in a session of its own until it ends.

    Parameters
    ----------
    command : sequence of str
        The command. It has to end when its standard input does: that is how it learns that the
        worker is dead.
    request : bytes
        A line, put into its standard input, which then stays open.
    folder : pathlib.Path
        Where it runs; what it prints goes to `log.txt` there.
    environment : mapping of str to str
        All variables that it sees.
    seconds : float
        How long it may take.
    pulse : callable
        Called every so often while it lives.
    every : float
        Seconds between two pulses.

    Returns
    -------
    int
        Its status; below zero the signal that ended it.

    Raises
    ------
    TooLongError
        If it took too long. Whatever is raised here or by `pulse`, the process and what it
        started are dead.
    """
    deadline = time.monotonic() + seconds
    with (folder / _LOG).open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 - a list, and no word of it is a stranger's
            list(command),
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            _hand_over(process, request)
            while True:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TooLongError(f"it takes more than {seconds / 3600:.3g} hours")
                with contextlib.suppress(subprocess.TimeoutExpired):
                    return process.wait(min(every, left))
                pulse()
        finally:
            _end(process)


def printed_last(folder: Path) -> str:
    """The end of what a process printed; '' if that was nothing."""
    try:
        with (folder / _LOG).open("rb") as stream:
            stream.seek(0, os.SEEK_END)
            stream.seek(max(0, stream.tell() - _LONGEST_TAIL))
            return stream.read().decode("utf-8", "replace")
    except OSError:
        return ""


def last_words(folder: Path) -> str:
    """The last line that a process printed, for whoever runs the worker; '' if there is none."""
    lines = printed_last(folder).strip().splitlines()
    return one_line(lines[-1], 300) if lines else ""


def environment_in(folder: Path, *, network: bool) -> dict[str, str]:
    """Variables of a process that is to know nothing of this one's user, keys and caches.

    Parameters
    ----------
    folder : pathlib.Path
        Its home, its caches and its temporary files are in there.
    network : bool
        Whether it may ask the Hub.

    Returns
    -------
    dict of str to str
        No token is among them.
    """
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    names = [*_PASSED_ON, *(_OF_NETWORK if network else ())]
    spelled = [spelling for name in names for spelling in (name, name.lower())]
    return {
        **{name: os.environ[name] for name in dict.fromkeys(spelled) if name in os.environ},
        # The package that this process runs, wherever that came from.
        "PYTHONPATH": os.pathsep.join([str(Path(evaluate_shelf.__file__).parents[1])]),
        # Nothing in the folder is imported.
        "PYTHONSAFEPATH": "1",
        "HOME": str(folder),
        "TMPDIR": str(temporary),
        "HF_HOME": str(folder / "hub"),
        "SHELF_CACHE": str(folder / "cache"),
        "HF_HUB_OFFLINE": "0" if network else "1",
        "TRANSFORMERS_OFFLINE": "0" if network else "1",
        # One way to download, whose size the system bounds.
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }


def _hand_over(process: subprocess.Popen[bytes], request: bytes) -> None:
    # A process that has ended already does not read; its status says why.
    with contextlib.suppress(BrokenPipeError):
        if process.stdin is not None:
            process.stdin.write(request.rstrip(b"\n") + b"\n")
            process.stdin.flush()


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
