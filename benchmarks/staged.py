"""A run of the 23 published tasks in a fresh process: time by task and stage, peak memory."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.measuring import in_fresh_process, peak_gib, table, told
from evaluate_shelf.evaluation import Reporter, evaluate, prepare, run_folder
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.registry.protocols import Protocol, load_protocol
from evaluate_shelf.runs.schema import TaskRecord

PUBLISHED = (
    "lcc_retrieval",
    "form_retrieval",
    "category_retrieval",
    "instruction_same_subject_diff_form",
    "instruction_same_form_diff_subject",
    "instruction_same_topic_diff_subject",
    "instruction_same_audience_diff_register",
    "lcc_classification",
    "form_classification",
    "lcgft_category_classification",
    "register_classification",
    "topic_classification",
    "lcc_clustering",
    "lcgft_clustering",
    "register_clustering",
    "geographic_clustering",
    "geographic_clustering_conditional",
    "same_lcc_pairs",
    "same_form_pairs",
    "same_register_pairs",
    "same_audience_pairs",
    "same_topic_pairs",
    "topic_overlap_pairs",
)
"""The published tasks: retrieval, instructions, classification, topics, clustering, pairs."""

CONTROL = "control"
CONTROL_METRICS = "control metrics"
OTHER = "other"


@dataclass(frozen=True)
class Asked:
    """What to run, as a process can be told of it.

    Attributes
    ----------
    spec : str
        The model.
    data, runs : pathlib.Path
        Release and folder of runs.
    store : pathlib.Path or None
        Folder of stored vectors.
    config : str or None
        The release's default where it is None.
    tasks : tuple of str
        Their ids.
    one_seed : bool
        Whether k-means is done at the seed of the score alone.
    limit : int or None
        Documents a split, for a trial.
    """

    spec: str
    data: Path
    runs: Path
    store: Path | None
    config: str | None = None
    tasks: tuple[str, ...] = PUBLISHED
    one_seed: bool = False
    limit: int | None = None


@dataclass(frozen=True)
class Staged:
    """What a run took.

    Attributes
    ----------
    folder : pathlib.Path
        The run.
    seconds : float
        Of the whole process, its start and its imports included.
    peak_gib : float
        The most memory that it held.
    tasks : dict of str to TaskRecord
        Time and stages of each task.
    controls : dict of str to float
        Seconds in which a task's metrics were computed for the shuffled labels.
    """

    folder: Path
    seconds: float
    peak_gib: float
    tasks: dict[str, TaskRecord]
    controls: dict[str, float] = field(default_factory=dict)

    @property
    def uncounted(self) -> float:
        """Seconds of the shuffled-label controls: probes and metrics."""
        probes = sum(record.stages.get(CONTROL, 0.0) for record in self.tasks.values())
        return probes + sum(self.controls.values())

    @property
    def undone(self) -> list[str]:
        """Tasks that have no score, with the reason."""
        return [
            f"{task} {record.status}: {record.reason}"
            for task, record in self.tasks.items()
            if record.status != "done"
        ]


def staged(asked: Asked) -> Staged:
    """Run it in a fresh process."""
    start = time.perf_counter()
    folder, peak, tasks, controls = in_fresh_process(_run, asked)
    return Staged(folder, time.perf_counter() - start, peak, tasks, controls)


def protocol_of(asked: Asked) -> Protocol:
    """The default protocol, or the same with one seed of k-means."""
    protocol = load_protocol()
    if not asked.one_seed:
        return protocol
    kmeans = protocol.kmeans.model_copy(update={"median_seeds": (protocol.kmeans.seed,)})
    return protocol.model_copy(update={"kmeans": kmeans})


def stage_table(run: Staged) -> str:
    """A row a task, a column a stage; what does not count stands in the last two columns."""
    rows = {task: _stages(run, task) for task in run.tasks}
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    last = [OTHER, CONTROL, CONTROL_METRICS]
    names = [name for name in names if name not in last] + last
    lines = [
        [task, _seconds(sum(v for name, v in row.items() if name not in last[1:]))]
        + [_seconds(row.get(name, 0.0)) for name in names]
        for task, row in rows.items()
    ]
    sums = [sum(row.get(name, 0.0) for row in rows.values()) for name in names]
    counted = sum(sums[: len(names) - 2])
    lines.append(["**all**", f"**{_seconds(counted)}**", *map(_seconds, sums)])
    return table(["task", "counted, s", *names], lines)


def _stages(run: Staged, task: str) -> dict[str, float]:
    """Seconds by stage, the control's metrics taken out of the others."""
    record, control = run.tasks[task], run.controls.get(task, 0.0)
    own = dict(record.stages)
    if "metrics" in own:
        own["metrics"] = max(own["metrics"] - control, 0.0)
    named = sum(own.values()) + control
    return {**own, OTHER: max((record.seconds or named) - named, 0.0), CONTROL_METRICS: control}


def _seconds(value: float) -> str:
    return f"{value:.1f}" if value >= 0.05 else ""


class _Teller(Reporter):
    def task(self, task: str) -> None:
        told(f"  {task}")


def _run(asked: Asked) -> tuple[Path, float, dict[str, TaskRecord], dict[str, float]]:
    """In the fresh process."""
    protocol = protocol_of(asked)
    evaluation = prepare(
        asked.data,
        asked.config,
        task_ids=asked.tasks,
        protocol=protocol,
        runs=asked.runs,
        limit=asked.limit,
        store=asked.store,
    )
    with _timed_controls() as controls:
        (run,) = evaluate([asked.spec], evaluation, _Teller())
    folder = run_folder(resolve_model(asked.spec, protocol), evaluation)
    return folder, peak_gib(), run.tasks, controls


@contextlib.contextmanager
def _timed_controls() -> Iterator[dict[str, float]]:
    """Time the metrics of the controls by task; a run's record has them among the metrics."""
    from evaluate_shelf.formulations.registry import FORMULATIONS

    seconds: dict[str, float] = {}
    before = dict(FORMULATIONS)
    for name, formulation in before.items():

        def chance(task: Any, *given: Any, own: Any = formulation.chance) -> Any:
            start = time.perf_counter()
            try:
                return own(task, *given)
            finally:
                seconds[task.id] = seconds.get(task.id, 0.0) + time.perf_counter() - start

        FORMULATIONS[name] = formulation._replace(chance=chance)
    try:
        yield seconds
    finally:
        FORMULATIONS.update(before)
