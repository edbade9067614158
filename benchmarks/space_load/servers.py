"""Servers in processes of their own: their start, their memory, their processor time."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import REPOSITORY

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
_SECONDS_TO_END = 10.0
# Fields of /proc/PID/stat behind the name: the parent; ticks, its own and of those it waited for.
_PARENT, _TICKS = 1, slice(11, 15)


class Server(NamedTuple):
    """A server that runs.

    Attributes
    ----------
    address : str
        Where, without a slash at its end.
    process : int
        Its number.
    seconds : float
        From its start until it said its address.
    """

    address: str
    process: int
    seconds: float


@contextmanager
def started(command: Sequence[str]) -> Iterator[Server]:
    """A server, from the line that says its address until the block ends.

    Parameters
    ----------
    command : sequence of str
        Arguments for Python.

    Yields
    ------
    Server

    Raises
    ------
    RuntimeError
        If it ends before it has said an address; the message has its last words.
    """
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=REPOSITORY,
        env={
            **os.environ,
            "PYTHONPATH": str(REPOSITORY),
            "PYTHONUNBUFFERED": "1",
            "GRADIO_ANALYTICS_ENABLED": "False",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        said: deque[str] = deque(maxlen=20)
        for line in process.stdout:
            said.append(line)
            if found := _ADDRESS.search(line):
                break
        else:
            raise RuntimeError(f"{' '.join(command)} ended: {''.join(said)}")
        # What is not read would stop it one day.
        threading.Thread(target=deque, args=(process.stdout, 0), daemon=True).start()
        yield Server(found[0], process.pid, time.perf_counter() - began)
    finally:
        process.terminate()
        try:
            process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A folder under `python -m http.server`; gives the address, without a slash at its end."""
    with started(static_command(folder)) as server:
        yield server.address


def static_command(folder: Path) -> list[str]:
    """What serves a folder, as `started` takes it."""
    return ["-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(folder)]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def peak_gib(process: int) -> float:
    """The most that a process and those that it started have held, each for itself, in GiB.

    Those that have ended are not counted.
    """
    return sum(map(_high_water_kib, processes_of(process))) / 2**20


def cpu_seconds(process: int) -> float:
    """Processor time of a process and those that it started, those that ended included."""
    ticks = sum(sum(map(int, _stat(own)[_TICKS])) for own in processes_of(process))
    return ticks / os.sysconf("SC_CLK_TCK")


def processes_of(process: int) -> list[int]:
    """A process and those that it started, and theirs, as far as they run; itself first."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdecimal() and (fields := _stat(int(path.name))):
            children.setdefault(int(fields[_PARENT]), []).append(int(path.name))
    found = [process]
    for own in found:
        found.extend(children.get(own, ()))
    return found


def _stat(process: int) -> list[str]:
    """Fields of a process behind its name; empty where it has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return []


def _high_water_kib(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text("utf-8")
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line[:6] == "VmHWM:"), 0)
