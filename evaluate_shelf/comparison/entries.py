"""The scores of runs on a task, each with what its items say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from evaluate_shelf.comparison.outcomes import Outcomes, outcomes_of_items
from evaluate_shelf.errors import ItemsError
from evaluate_shelf.evaluation.kept import items_path, scoring
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.runs.reading import Run

# A run may have been scored on a machine that rounds otherwise.
_ROUNDING = 1e-9


class NamedRun(NamedTuple):
    """A run under the name that tells it from the others, with its primary scores by task."""

    name: str
    run: Run
    scores: dict[str, dict[str, Any]]


class Entry(NamedTuple):
    """A model's score on a task.

    Attributes
    ----------
    model : str
        Its name.
    score : dict
        The row of `scores.parquet`.
    outcomes : Outcomes
        What the score follows from.
    """

    model: str
    score: dict[str, Any]
    outcomes: Outcomes


def named_runs(runs: Sequence[Run], names: Sequence[str]) -> list[NamedRun]:
    """Pair runs with their names and their primary scores."""
    return [
        NamedRun(name, run, run.primary_scores()) for name, run in zip(names, runs, strict=True)
    ]


def entries_of(
    runs: Sequence[NamedRun], task: Task, data: TaskData, protocol: Protocol
) -> list[Entry]:
    """Read a task's items of all runs that have a score on it.

    Parameters
    ----------
    runs : sequence of NamedRun
        Of one release, config and protocol.
    task : Task
        The task.
    data : TaskData
        What it read.
    protocol : Protocol
        What the runs were made under.

    Returns
    -------
    list of Entry
        Best score first, equal ones by name.

    Raises
    ------
    ItemsError
        If a file of items is missing, changed or not of the form of the task, or its items give
        another score than the run has.
    """
    entries = [_entry(named, task, data, protocol) for named in runs if task.id in named.scores]
    return sorted(entries, key=lambda entry: (-entry.score["value"], entry.model))


def lacking(runs: Sequence[NamedRun], task: Task) -> dict[str, str]:
    """By name, why runs have no score on a task."""
    return {
        named.name: named.run.why_no_score(task.id) for named in runs if task.id not in named.scores
    }


def _entry(named: NamedRun, task: Task, data: TaskData, protocol: Protocol) -> Entry:
    path, score = items_path(named.run, task), named.scores[task.id]
    with scoring(path) as items:
        outcomes = outcomes_of_items(task, data, items, protocol)
        told = {"value": outcomes.value, "n_units": outcomes.n_units}
        wrong = [name for name, own in told.items() if not abs(own - score[name]) <= _ROUNDING]
        if wrong:
            command = f"shelf rescore {named.run.folder} --data {data.release.folder}"
            raise ItemsError(
                f"the run's items give {told[wrong[0]]} as {wrong[0]} of {task.id}, its scores say "
                f"{score[wrong[0]]}; `{command}` names all that differ"
            )
    return Entry(named.name, score, outcomes)
