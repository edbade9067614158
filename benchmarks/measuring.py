"""What the benchmarks have in common: time, memory, the machine, tables."""

from __future__ import annotations

import math
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context
from pathlib import Path
from typing import ParamSpec, TypeVar

Given = TypeVar("Given")
Arguments = ParamSpec("Arguments")

REPOSITORY = Path(__file__).resolve().parents[1]
LIBRARIES = ("numpy", "scipy", "scikit-learn", "pyarrow")


@dataclass(frozen=True)
class Timed:
    """What some work took.

    Attributes
    ----------
    seconds, cpu_seconds : float
        By the clock, and of all processors together.
    """

    seconds: float
    cpu_seconds: float


def timed(work: Callable[[], Given]) -> tuple[Given, Timed]:
    """Do some work and time it."""
    clock, cpu = time.perf_counter(), time.process_time()
    given = work()
    return given, Timed(time.perf_counter() - clock, time.process_time() - cpu)


def peak_gib() -> float:
    """The most memory that this process has held so far, in GiB."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        # What getrusage says begins with the memory of the process that started this one.
        kib = next(int(line.split()[1]) for line in status.splitlines() if line[:6] == "VmHWM:")
    except (OSError, StopIteration):
        kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        kib //= 1024 if sys.platform == "darwin" else 1
    return kib / 2**20


def in_fresh_process(
    function: Callable[Arguments, Given], *given: Arguments.args, **named: Arguments.kwargs
) -> Given:
    """Call a function of a module in a process that has done nothing yet."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *given, **named).result()


def seconds_of(command: Sequence[str]) -> float:
    """Run a command in the repository's folder, to its end, and time it; NaN where it fails."""
    start = time.perf_counter()
    ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    spent = time.perf_counter() - start
    if ended.returncode:
        # What was measured before, perhaps for many minutes, is printed all the same.
        told(f"{' '.join(command)}: status {ended.returncode}\n{ended.stderr}")
        return math.nan
    return spent


def megabytes(folder: Path) -> float:
    """Size of all files of a folder, in MB of a million bytes."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def machine(*libraries: str) -> str:
    """A sentence on the machine, its load, Python and the libraries that matter."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    parts = [f"Python {platform.python_version()}", f"{cores} cores"]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        parts.append(f"{size / 2**30:.0f} GiB")
    parts.append(_processor())
    if hasattr(os, "getloadavg"):
        parts.append(f"load {os.getloadavg()[0]:.1f} at the end")
    found = ((name, _version(name)) for name in dict.fromkeys([*LIBRARIES, *libraries]))
    parts.extend(f"{name} {number}" for name, number in found if number)
    return ", ".join(parts) + "."


def spread(values: Sequence[float], digits: int = 2) -> str:
    """The least of several measurements, and their median."""
    return f"{min(values):,.{digits}f} / {statistics.median(values):,.{digits}f}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table whose first column is text and whose others are numbers.

    Examples
    --------
    >>> print(table(["task", "s"], [["lcc_retrieval", "1.2"]]))
    | task | s |
    |---|--:|
    | lcc_retrieval | 1.2 |
    """
    lines = [f"| {' | '.join(header)} |", "|---" + "|--:" * (len(header) - 1) + "|"]
    lines.extend(f"| {' | '.join(row)} |" for row in rows)
    return "\n".join(lines)


def told(message: str) -> None:
    """Say on standard error what is being done; standard output is the page."""
    print(f"[{time.strftime('%H:%M:%S')}] {message}", file=sys.stderr, flush=True)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
