"""The best published score of each task, as something to hold a run against."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import NamedTuple

from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.runs.reading import Run


class Published(NamedTuple):
    """The best of so many published models on a task."""

    value: float
    name: str
    n: int


@functools.cache
def best_published(config: str) -> dict[str, Published]:
    """The best published primary score by task.

    Parameters
    ----------
    config : str
        Its scores count where there are any of a task, else those of all corpora.

    Examples
    --------
    >>> 0.5 < best_published("all")["lcc_classification"].value < 0.95
    True
    """
    runs = reported_runs()
    return _best(runs) | _best(run for run in runs if run.file.data.config == config)


def _best(runs: Iterable[Run]) -> dict[str, Published]:
    found: dict[str, Published] = {}
    for run in runs:
        for task, row in run.primary_scores().items():
            before = found.get(task)
            name, n = run.file.model.name, 1 + (before.n if before else 0)
            if before is not None and before.value >= row["value"]:
                found[task] = before._replace(n=n)
            else:
                found[task] = Published(row["value"], name, n)
    return found
