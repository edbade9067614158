"""Measure builds of every synthetic config at two sizes or more, and write builds.md.

    python -m benchmarks.builds 62899 629000

Each size is built by the command line in a process of its own, into a folder that is removed
again. Memory is the sum over that process and those that it starts, read twice a second from
/proc, so this runs on Linux alone.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HEAD = """# Builds of every synthetic config

`shelf build --documents N --out DIR` with the lexical writer: the five slices and `all`, eight
pair configs, seven retrieval and instruction configs with their relevance, topic classification,
reports and figures; then `shelf verify DIR`. Made by

```sh
python -m benchmarks.builds {sizes}
```

A build of ten times the size should take at most eleven times as long, in less than 4 GiB.

"""


@dataclass(frozen=True)
class Measured:
    """What a command took.

    Attributes
    ----------
    seconds, cpu_seconds : float
        By the clock, and of all processors together.
    peak_gib : float
        The most memory that the command and its processes held at a time, in GiB.
    """

    seconds: float
    cpu_seconds: float
    peak_gib: float


def measured(command: list[str]) -> Measured:
    """Run a command to its end."""
    cpu_before = _cpu_seconds_of_children()
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, _resident_bytes(process.pid))
        time.sleep(0.5)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: status {process.returncode}")
    cpu = _cpu_seconds_of_children() - cpu_before
    return Measured(time.perf_counter() - start, cpu, peak / 2**30)


def _cpu_seconds_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _resident_bytes(pid: int) -> int:
    """Proportional memory of a process and all that it started; shared pages count once."""
    try:
        status = Path(f"/proc/{pid}/smaps_rollup").read_text()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has just ended
        return 0
    own = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("Pss:"))
    return own * 1024 + sum(_resident_bytes(int(child)) for child in children)


def row(documents: int) -> tuple[int, Measured, Measured, float]:
    """Build and verify so many documents: rows of `all`, both measurements, size in GiB."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "release"
        shelf = [sys.executable, "-m", "evaluate_shelf"]
        built = measured([*shelf, "build", "--documents", str(documents), "--out", str(out)])
        manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
        rows = sum(f["rows"] for f in manifest["data_files"].values() if f["config"] == "all")
        size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) / 2**30
        return rows, built, measured([*shelf, "verify", str(out)]), size


def main() -> None:
    """Write builds.md beside this file."""
    sizes = [int(size) for size in sys.argv[1:]] or [62_899, 629_000]
    lines = [
        "| documents of `all` | build, s | CPU, s | peak, GiB | verify, s | peak, GiB | GiB |",
        "|--:|--:|--:|--:|--:|--:|--:|",
    ]
    rows = [row(size) for size in sizes]
    for count, built, verified, size in rows:
        lines.append(
            f"| {count:,} | {built.seconds:.0f} | {built.cpu_seconds:.0f} | {built.peak_gib:.2f} "
            f"| {verified.seconds:.0f} | {verified.peak_gib:.2f} | {size:.2f} |"
        )
    (small, first, *_), (large, last, *_) = rows[0], rows[-1]
    lines.extend(
        [
            "",
            f"{large / small:.2f} times the documents took",
            f"{last.seconds / first.seconds:.2f} times the time",
            f"and {last.cpu_seconds / first.cpu_seconds:.2f} times the processor time.",
            "",
            f"Python {platform.python_version()}, {os.cpu_count()} cores.",
        ]
    )
    text = HEAD.format(sizes=" ".join(map(str, sizes))) + "\n".join(lines) + "\n"
    (Path(__file__).parent / "builds.md").write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
