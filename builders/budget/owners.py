"""Processes that hold reservations, and whether they still live."""

from __future__ import annotations

import os
import socket
import uuid
from dataclasses import dataclass
from pathlib import Path

LEASE_SECONDS = 120.0
"""After so long without a sign of life, a process on another system counts as dead."""

_START_FIELD = 21  # of /proc/PID/stat, counted from 0


@dataclass(frozen=True)
class Owner:
    """A process.

    Attributes
    ----------
    token : str
        Its own name, which no other process ever has.
    pid : int
    host : str
        The machine.
    system : str
        The running kernel and the space of process numbers in it: `pid` says something there alone.
        "" where the system does not tell.
    started : str
        When it was started, as the system counts, so that a later process of the same number is
        told apart; "" where the system does not tell.
    """

    token: str
    pid: int
    host: str
    system: str
    started: str


def this_process() -> Owner:
    """The process that asks, under a new name.

    Examples
    --------
    >>> own = this_process()
    >>> is_alive(own, heartbeat=0.0, now=1e9)
    True
    """
    pid = os.getpid()
    return Owner(uuid.uuid4().hex, pid, socket.gethostname(), _system(), _started(pid))


def is_here(owner: Owner) -> bool:
    """Whether an owner runs, or ran, where its process number can be looked up."""
    return (owner.host, owner.system) == (socket.gethostname(), _system())


def is_alive(owner: Owner, heartbeat: float, now: float) -> bool:
    """Whether a process may still settle what it has reserved.

    One of this system is looked up; one of another is believed for `LEASE_SECONDS` after its last
    sign of life. The clocks of two machines are taken to agree within that time: a sign of life
    from further in the future is none.

    Parameters
    ----------
    owner : Owner
    heartbeat, now : float
        Seconds since 1970.
    """
    if not is_here(owner):
        return abs(now - heartbeat) < LEASE_SECONDS
    try:
        os.kill(owner.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return _started(owner.pid) == owner.started and not _is_zombie(owner.pid)


def _system() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115
    except OSError:
        return ""


def _started(pid: int) -> str:
    fields = _stat(pid)
    return fields[_START_FIELD - 2] if len(fields) > _START_FIELD - 2 else ""


def _is_zombie(pid: int) -> bool:
    return _stat(pid)[:1] == ["Z"]


def _stat(pid: int) -> list[str]:
    """Fields of /proc/PID/stat behind the process's name, which may hold blanks and brackets."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()
