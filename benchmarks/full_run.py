"""Measure the 23 published tasks from stored vectors, and a second run, and print Markdown.

    python -m benchmarks.full_run --data RELEASE [--work FOLDER] > benchmarks/full_run.md

RELEASE is a folder that `shelf build` made. With --work, vectors that are stored there already are
not computed again.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from benchmarks.measuring import machine, megabytes, seconds_of, spread, table, told
from benchmarks.models import HashedWords
from benchmarks.staged import PUBLISHED, Asked, Staged, stage_table, staged
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.release.documents import Release

MODEL = f"{HashedWords.__module__}:{HashedWords.__name__}"
ENCODING = ("retrieval", "instruction_retrieval", "pair_classification")
LIMIT_SECONDS, LIMIT_GIB, LIMIT_AGAIN = 360, 4, 3
PAGE = """# The published tasks from stored vectors

{count} tasks on config `{config}`: {sizes}. Vectors of {dimension} dimensions in float32, the
counts of a text's hashed words times a fixed random matrix (`{model}`), in SHELF's store before
anything is timed. Made by

```sh
python -m benchmarks.full_run --data RELEASE
```

{summary}

Not counted are the shuffled-label controls (probes, and metrics of every task) and the seeds of
k-means besides that of the score; they are timed. *Process* is the wall-clock time of a fresh
process with its start, its imports and the model's loading; the memory is the most that this
process held. The run folder is that of the complete run. {notes}

## One seed of k-means, by task and stage

Seconds. *Encode* is what reading the store takes, the check of its SHA-256 included; a ranking is
made once for the three retrievals, in the first of them.

{one}

## Complete: {seeds} seeds of k-means

{complete}

{machine}
"""


def stored(asked: Asked) -> None:
    """Fill the store with all vectors that the tasks read."""
    registry = load_tasks()
    wanted = tuple(task for task in asked.tasks if registry[task].formulation in ENCODING)
    with tempfile.TemporaryDirectory() as folder:
        staged(replaced(asked, runs=Path(folder), tasks=wanted))


def replaced(asked: Asked, **changes: object) -> Asked:
    """The same with other values."""
    return Asked(**{**vars(asked), **changes})


def fresh(asked: Asked) -> Staged:
    """Run into a folder that is not there yet."""
    shutil.rmtree(asked.runs, ignore_errors=True)
    return staged(asked)


def again(asked: Asked, repeats: int) -> list[float]:
    """Seconds of `shelf evaluate` where all tasks of the run are done."""
    command = [sys.executable, "-m", "evaluate_shelf", "evaluate", asked.spec]
    command += ["--data", str(asked.data), "--runs", str(asked.runs)]
    command += ["--config", asked.config] if asked.config else []
    command += ["--limit", str(asked.limit)] if asked.limit else []
    for task in asked.tasks:
        command += ["--task", task]
    return [seconds_of(command) for _ in range(repeats)]


def summary(one: Staged, complete: Staged, second: list[float]) -> str:
    """The measurements beside their limits."""
    counted = one.seconds - one.uncounted
    peak = max(one.peak_gib, complete.peak_gib)
    return table(
        ["", "measured", "limit"],
        [
            ["one seed, controls not counted, s", f"{counted:.1f}", f"{LIMIT_SECONDS}"],
            ["one seed, process, s", f"{one.seconds:.1f}", ""],
            ["of these the controls, s", f"{one.uncounted:.1f}", ""],
            ["one seed, memory, GiB", f"{one.peak_gib:.2f}", f"{LIMIT_GIB}"],
            ["complete, process, s", f"{complete.seconds:.1f}", ""],
            ["of these the controls, s", f"{complete.uncounted:.1f}", ""],
            ["more than with one seed, controls not counted, s", _more(one, complete), ""],
            ["complete, memory, GiB", f"{peak:.2f}", f"{LIMIT_GIB}"],
            ["a second run, all done, s (least / median)", spread(second), f"{LIMIT_AGAIN}"],
            ["run folder, MB", f"{megabytes(complete.folder):.1f}", ""],
        ],
    )


def _more(one: Staged, complete: Staged) -> str:
    return f"{complete.seconds - complete.uncounted - one.seconds + one.uncounted:.1f}"


def sizes(data: Path, config: str, limit: int | None) -> str:
    """Documents of each split."""
    rows = Release.open(data).manifest.rows_of(config)
    named = ", ".join(f"{count:,} in {split}" for split, count in rows.items())
    trial = f", A TRIAL OF {limit} DOCUMENTS A SPLIT" if limit else ""
    return f"{sum(rows.values()):,} documents ({named}){trial}"


def page(data: Path, config: str | None, work: Path, limit: int | None, repeats: int) -> str:
    """Measure everything and say what came out."""
    from evaluate_shelf.formulations.clustering import kmeans_seeds
    from evaluate_shelf.registry.protocols import load_protocol

    name = config or Release.open(data).manifest.default_config
    asked = Asked(MODEL, data, work / "complete", work / "store", name, limit=limit)
    told("vectors are computed and stored")
    stored(asked)
    told("one seed")
    one = fresh(replaced(asked, runs=work / "one-seed", one_seed=True))
    told("complete")
    complete = fresh(asked)
    told("again")
    second = again(asked, repeats)
    return PAGE.format(
        count=len(PUBLISHED),
        config=name,
        sizes=sizes(data, name, limit),
        dimension=HashedWords.dimension,
        model=MODEL,
        summary=summary(one, complete, second),
        notes=sentence(one.undone),
        one=stage_table(one),
        seeds=len(kmeans_seeds(load_protocol())),
        complete=stage_table(complete),
        machine=machine(),
    )


def sentence(undone: Iterable[str]) -> str:
    """What was not scored, if anything."""
    listed = "; ".join(undone)
    return f"NOT SCORED: {listed}." if listed else "Every task has a score."


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of a release")
    parser.add_argument("--config", help="its default config without it")
    parser.add_argument("--work", type=Path, help="folder of vectors and runs, kept")
    parser.add_argument("--limit", type=int, help="documents a split, for a trial")
    parser.add_argument("--repeats", type=int, default=5, help="of the second run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = (given.work or Path(temporary)).resolve()
        print(page(given.data.resolve(), given.config, work, given.limit, given.repeats))


if __name__ == "__main__":
    main()
