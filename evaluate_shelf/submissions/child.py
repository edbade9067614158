"""A process that checks one submission, and may die of it.

It reads a request from standard input and writes one answer to standard output, both JSON. It holds
no secret: the process that starts it gives it next to no environment.
"""

from __future__ import annotations

import contextlib
import json
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# Before anything that is large: a process that is out of memory has to say so.
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.submissions.exhaustion import is_out_of_memory
from evaluate_shelf.submissions.refusals import Refused


def main() -> None:
    """Answer one request."""
    request = json.loads(sys.stdin.read())
    limit_process(request["memory_bytes"], request["seconds"])
    answer = answer_of(request)
    sys.stdout.write(json.dumps(answer, allow_nan=False))
    sys.stdout.flush()


def answer_of(request: Mapping[str, Any]) -> dict[str, Any]:
    """Check what a request names.

    Parameters
    ----------
    request : mapping
        `folder`, `release`, `scores`: what `recomputed` takes.

    Returns
    -------
    dict
        One of: `checked`, what `recomputed` gives; `refused`, a reason for the user, with `detail`;
        `fault`, what is wrong here and not with the submission.
    """
    from evaluate_shelf.release.documents import Release
    from evaluate_shelf.runs.folder import RUN
    from evaluate_shelf.submissions.recomputing import recomputed
    from evaluate_shelf.submissions.run_json import run_file_of

    folder = Path(request["folder"])
    try:
        release = Release.open(Path(request["release"]))
        file = run_file_of((folder / RUN).read_bytes())
        return {"checked": recomputed(folder, file, release, scores=request["scores"])}
    except Refused as error:
        return {"refused": str(error), "detail": error.detail}
    except ShelfError as error:
        return {"fault": str(error)}
    except Exception as error:
        if is_out_of_memory(error):
            return {"refused": "checking it takes more memory than there is", "detail": repr(error)}
        # What no check foresaw is refused all the same, and whoever runs the check is told.
        return {"refused": "the check of it failed", "detail": traceback.format_exc()[-4000:]}


def limit_process(memory_bytes: int, seconds: int) -> None:
    """Bound this process: memory, processor time, size of a file, no core on the disk.

    Where a system does not have such a limit it is left out; the process that waits for this one
    holds the clock.
    """
    try:
        import resource
    except ImportError:
        return
    for name, value in (
        ("RLIMIT_AS", memory_bytes),
        ("RLIMIT_CPU", seconds),
        ("RLIMIT_FSIZE", 64 * 2**20),
        ("RLIMIT_CORE", 0),
    ):
        with contextlib.suppress(AttributeError, ValueError, OSError):
            resource.setrlimit(getattr(resource, name), (value, value))


if __name__ == "__main__":
    main()
