"""Measure what is left of a queue of models whose workers are killed at random.

    python -m benchmarks.worker_queue

Queues 200 models, starts 8 worker processes on one store, and kills one after the other with
SIGKILL, by a schedule that follows from a seed, starting another in its place, until every model is
done. A model's evaluation is a process that writes a small real run: that of `tf` on a task of the
release that ships, under the model's name. Then the store is compared with what was asked for: each
model once in the table, nothing lost, nothing twice. Prints Markdown; the status is 1 where
anything is amiss.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.stub_worker import target_here
from builders.draws import Draws

if TYPE_CHECKING:
    from evaluate_shelf.submissions.job_records import JobState
    from evaluate_shelf.submissions.queue import Queue
    from evaluate_shelf.submissions.store import Store

TASK = "lcc_retrieval"
_POLL_SECONDS = 0.05
PAGE = """# {models} queued models, {workers} workers, `kill -9` at random

Each worker is a process; one after the other was killed, by a schedule from seed {seed}, and
another started in its place. An evaluation is a process that writes a small real run and takes up
to {work:.1f} s. A lease lasts {lease:.0f} s. Made by

```sh
python -m benchmarks.worker_queue
```

| | |
|---|--:|
{table}

{machine}
"""


class Plan(NamedTuple):
    """What is queued, and how it is disturbed.

    Attributes
    ----------
    models, workers : int
        How many.
    kills : int
        How many workers are killed, at most; fewer where all is done before.
    seed : int
        Of the schedule.
    lease_seconds : float
        Of a worker's claim.
    work_seconds : float
        The longest that an evaluation takes.
    """

    models: int = 200
    workers: int = 8
    kills: int = 100
    seed: int = 6
    lease_seconds: float = 6.0
    work_seconds: float = 0.4


class Strike(NamedTuple):
    """The end of a worker.

    Attributes
    ----------
    after : int
        How many models are done before.
    at_work : bool
        Whether it is one that has a job.
    which : float
        Which one of those, as a share of them.
    pause : float
        Seconds from the choice to the end.
    """

    after: int
    at_work: bool
    which: float
    pause: float


class Left(NamedTuple):
    """What is left in the end.

    Attributes
    ----------
    seconds : float
        From the first worker's start to the last model's end.
    kills : int
        Workers that were killed.
    killed_at_work : int
        Those that had a job.
    claims : int
        How often a job was claimed.
    leases_ended : int
        How often one was taken from a worker that was not heard of.
    problems : tuple of str
        What is amiss; empty where each model is in the table once.
    """

    seconds: float
    kills: int
    killed_at_work: int
    claims: int
    leases_ended: int
    problems: tuple[str, ...]


def disturbed(plan: Plan, work: Path) -> Left:
    """Queue models, run workers, kill them, and look at what is left.

    Parameters
    ----------
    plan : Plan
        What to do.
    work : pathlib.Path
        An empty folder.
    """
    from evaluate_shelf.submissions.queue import Queue
    from evaluate_shelf.submissions.store import Store

    store = Store.create(work / "store")
    queue, target = Queue(store), target_here()
    template = _template(work / "template")
    asked = [f"team-{number % 7}/model-{number:03d}" for number in range(plan.models)]
    for number, name in enumerate(asked):
        queue.enqueue(name, target, f"user-{number % 11}")
    command = [
        *(sys.executable, "-m", "benchmarks.stub_worker", str(work / "store")),
        *("--template", str(template), "--lease", str(plan.lease_seconds)),
        *("--work", str(plan.work_seconds)),
    ]
    began = time.perf_counter()
    running = [_started(command) for _ in range(plan.workers)]
    waiting = _schedule(plan)
    killed_at_work = 0
    ended: list[str] = []
    try:
        while (done := len(queue.jobs(("done", "failed")))) < plan.models:
            time.sleep(_POLL_SECONDS)
            for place, process in enumerate(running):
                if process.poll() is not None:
                    ended.append(f"a worker ended by itself, with status {process.returncode}")
                    running[place] = _started(command)
            if not waiting or done < waiting[0].after:
                continue
            holders = _holders(queue)
            busy = [n for n, own in enumerate(running) if f"worker-{own.pid}" in holders]
            places = busy if waiting[0].at_work else range(plan.workers)
            if places:
                strike = waiting.pop(0)
                time.sleep(strike.pause)
                place = places[int(strike.which * len(places))]
                running[place].kill()
                running[place].wait()
                killed_at_work += f"worker-{running[place].pid}" in _holders(queue)
                running[place] = _started(command)
        seconds = time.perf_counter() - began
    finally:
        for process in running:
            process.kill()
            process.wait()
    kills = plan.kills - len(waiting)
    problems = (*ended, *_problems(store, asked))
    return Left(seconds, kills, killed_at_work, *_events(store), problems)


def _holders(queue: Queue) -> set[str | None]:
    """Names of the workers that have a job, or died with it a moment ago."""
    claimed: tuple[JobState, ...] = ("claimed",)
    return {job.holder for job in queue.jobs(claimed)}


def _schedule(plan: Plan) -> list[Strike]:
    """When workers are killed, the first first."""
    draws = Draws(plan.seed, "worker_queue")
    strikes = [
        Strike(
            draws.integer(plan.models),
            # Starting takes longer than a job: most who are killed should have one.
            draws.happens(0.8),
            draws.uniform(),
            plan.work_seconds * draws.uniform(),
        )
        for _ in range(plan.kills)
    ]
    return sorted(strikes)


def _problems(store: Store, asked: Sequence[str]) -> tuple[str, ...]:
    """What is amiss in a store in which all of these models should be, once each."""
    from evaluate_shelf.errors import ShelfError
    from evaluate_shelf.runs.reading import load_run
    from evaluate_shelf.submissions.queue import Queue

    found: list[str] = []
    swept = store.sweep()
    found.extend(f"row without a folder: {name}" for name in swept.missing)
    accepted = store.accepted_runs()
    names: Counter[str] = Counter()
    for run in accepted:
        try:
            loaded = load_run(run.folder)
            for path in loaded.file.files:
                loaded.checked(path)
            names[loaded.file.model.name] += 1
        except ShelfError as error:
            found.append(str(error))
    found.extend(f"in the table {n} times: {name}" for name, n in names.items() if n > 1)
    found.extend(f"lost: {name}" for name in sorted(set(asked) - set(names)))
    found.extend(f"never asked for: {name}" for name in sorted(set(names) - set(asked)))
    folders = {path.name for path in (store.folder / "runs").iterdir()}
    if folders != {run.id for run in accepted}:
        found.append("the folders are not those of the table")
    left = [path.name for path in (store.folder / "scratch").iterdir()]
    found.extend(f"left behind: {name}" for name in sorted(left))
    for job in Queue(store).jobs():
        ended = [event for event in store.events(job.id) if event.state == "done"]
        if job.state != "done" or len(ended) != 1:
            found.append(f"{job.asked}: {job.state}, done {len(ended)} times: {job.reason}")
    return tuple(found)


def _events(store: Store) -> tuple[int, int]:
    """How often jobs were claimed, and how often a lease ran out."""
    from evaluate_shelf.submissions.queue import Queue

    events = [event for job in Queue(store).jobs() for event in store.events(job.id)]
    return (
        sum(event.state == "claimed" for event in events),
        sum(event.role == "clock" for event in events),
    )


def _started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        cwd=Path(__file__).parents[1],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )


def _template(folder: Path) -> Path:
    """A real run of `tf` on one task."""
    from evaluate_shelf.evaluation import evaluate, prepare, run_folder
    from evaluate_shelf.models.resolve import resolve_model
    from evaluate_shelf.quickstart import shipped_release
    from evaluate_shelf.registry.protocols import load_protocol

    asked = prepare(
        shipped_release(), "all", task_ids=[TASK], protocol=load_protocol(), runs=folder
    )
    evaluate(["tf"], asked)
    return run_folder(resolve_model("tf", asked.protocol), asked)


def _page(plan: Plan, left: Left) -> str:
    from benchmarks.measuring import machine

    rows = {
        "models asked for": plan.models,
        "models in the table, once each": plan.models if not left.problems else "see below",
        "workers killed": left.kills,
        "of them with a job in hand": left.killed_at_work,
        "claims": left.claims,
        "leases that ran out": left.leases_ended,
        "lost, twice, or left behind": len(left.problems),
        "seconds": f"{left.seconds:.0f}",
    }
    page = PAGE.format(
        models=plan.models,
        workers=plan.workers,
        seed=plan.seed,
        work=plan.work_seconds,
        lease=plan.lease_seconds,
        table="\n".join(f"| {name} | {value} |" for name, value in rows.items()),
        machine=machine(),
    )
    return page + "".join(f"- {problem}\n" for problem in left.problems)


def main() -> None:
    """Print the page."""
    standard = Plan()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--models", type=int, default=standard.models)
    parser.add_argument("--workers", type=int, default=standard.workers)
    parser.add_argument("--kills", type=int, default=standard.kills)
    parser.add_argument("--seed", type=int, default=standard.seed)
    parser.add_argument("--lease", type=float, default=standard.lease_seconds)
    parser.add_argument("--work", type=float, default=standard.work_seconds)
    asked = parser.parse_args()
    plan = standard._replace(
        models=asked.models,
        workers=asked.workers,
        kills=asked.kills,
        seed=asked.seed,
        lease_seconds=asked.lease,
        work_seconds=asked.work,
    )
    with tempfile.TemporaryDirectory() as place:
        left = disturbed(plan, Path(place))
    print(_page(plan, left))
    sys.exit(1 if left.problems else 0)


if __name__ == "__main__":
    main()
