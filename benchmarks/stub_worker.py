"""A worker whose evaluations write a copy of a run in place of making one.

    python -m benchmarks.stub_worker STORE --template RUN --lease SECONDS --work SECONDS

It takes jobs until it is killed. `benchmarks.worker_queue` starts and kills such workers.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluate_shelf.submissions.evaluating import Pin
    from evaluate_shelf.submissions.job_records import Job, Target
    from evaluate_shelf.submissions.supervising import Pulse

ATTEMPTS = 50
_MODULE = "benchmarks.stub_worker"


def target_here() -> Target:
    """What models are evaluated on: all documents of the release that ships."""
    from evaluate_shelf.quickstart import shipped_release
    from evaluate_shelf.submissions.evaluating import target_of

    return target_of(shipped_release(), "all", None)


class StubEvaluation:
    """Evaluates nothing: a process writes the template's run under the job's name.

    Parameters
    ----------
    template : pathlib.Path
        A finished run.
    work_seconds : float
        The longest that it takes; how long follows from the model's name.
    """

    def __init__(self, template: Path, work_seconds: float) -> None:
        self._template = template
        self._work_seconds = work_seconds

    def __call__(self, job: Job, folder: Path, pulse: Pulse, pin: Pin) -> Path:
        """See `evaluate_shelf.submissions.evaluating.Evaluation`."""
        from evaluate_shelf.submissions.evaluating import JobFailedError
        from evaluate_shelf.submissions.supervising import environment_in, last_words, supervised

        commit = f"{int(job.id[:8], 16):040x}"
        pin(job.asked, commit)
        request = {
            "template": str(self._template),
            "model": job.asked,
            "commit": commit,
            "seconds": self._work_seconds * int(job.id[:4], 16) / 0xFFFF,
        }
        status = supervised(
            [sys.executable, "-m", _MODULE, "--stub"],
            json.dumps(request).encode(),
            folder,
            environment_in(folder, network=False),
            seconds=300,
            pulse=pulse,
            every=0.5,
        )
        if status:
            raise JobFailedError(f"status {status}: {last_words(folder)}", again=True)
        return folder / "run"


def _stub() -> None:
    from evaluate_shelf.submissions.stages import die_with_worker

    request = json.loads(sys.stdin.buffer.readline())
    die_with_worker()
    shutil.copytree(request["template"], "run")
    path = Path("run/run.json")
    file = json.loads(path.read_text(encoding="utf-8"))
    file["model"] |= {
        "name": request["model"],
        "spec": f"st:{request['model']}@{request['commit']}",
        "revision": request["commit"],
    }
    if request["seconds"]:
        time.sleep(request["seconds"])
    path.write_text(json.dumps(file), encoding="utf-8")


def _work(store: Path, template: Path, lease_seconds: float, work_seconds: float) -> None:
    from evaluate_shelf.submissions.leases import Leases
    from evaluate_shelf.submissions.store import Store
    from evaluate_shelf.submissions.worker import Loop, work

    opened = Store(store)
    opened.sweep()
    work(
        Leases(opened, lease_seconds=lease_seconds, most_attempts=ATTEMPTS),
        target_here(),
        StubEvaluation(template, work_seconds),
        name=f"worker-{os.getpid()}",
        loop=Loop(idle_seconds=0.2),
    )


def main() -> None:
    """Be a worker, or one of its evaluations."""
    if sys.argv[1:] == ["--stub"]:
        _stub()
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("store", type=Path)
    parser.add_argument("--template", type=Path, required=True)
    parser.add_argument("--lease", type=float, required=True)
    parser.add_argument("--work", type=float, required=True)
    asked = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _work(asked.store, asked.template, asked.lease, asked.work)


if __name__ == "__main__":
    main()
