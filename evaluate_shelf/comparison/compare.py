"""Compare models on every task that they share, and on the mean over tasks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluate_shelf.comparison.correction import corrected, number_of_tests
from evaluate_shelf.comparison.drafts import Draft, draft_of_mean, draft_of_task
from evaluate_shelf.comparison.entries import NamedRun, entries_of, lacking, named_runs
from evaluate_shelf.comparison.refusals import check_comparable
from evaluate_shelf.comparison.results import Comparison, MeanContest, TaskContest
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation.kept import check_can_be_scored, config_read, protocol_of
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.leaderboard.boards import names_of, tasks_of_the_mean
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task, load_tasks
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run


def compare_models(
    runs: Sequence[Run], release: Release, *, tasks: Sequence[str] | None = None
) -> Comparison:
    """Tell which models differ, from what their runs kept of every item.

    Two models are compared on the same items: their scores, the interval of the difference and the
    tests come from resamples that both share. Models are told apart by p-values that Holm's method
    corrects for all differences of all tasks that are compared.

    Parameters
    ----------
    runs : sequence of Run
        At least two, computed here, of one release, config, protocol and limit.
    release : Release
        What they were scored on.
    tasks : sequence of str, default=None
        Ids of the tasks; without it, all that two of the runs have a score on, the optional ones
        only where there are no others.

    Returns
    -------
    Comparison
        The same for the same runs, in whatever order they are given.

    Raises
    ------
    ShelfError
        If the runs cannot be compared, or are of another release; if their files were changed;
        if a task is unknown; or if no task has two scores.
    """
    check_comparable(runs)
    # Scores, not the order in which runs are named, decide what stands first.
    ordered = sorted(runs, key=lambda run: (run.file.model.name, run.file.run_id))
    for run in ordered:
        check_can_be_scored(run, release)
    protocol = protocol_of(ordered[0])
    named = named_runs(ordered, names_of(ordered))
    compared = _tasks(named, tasks)
    drafts = _drafts(named, compared, release, protocol)
    level, file = protocol.bootstrap.level, ordered[0].file
    return Comparison(
        release_id=release.manifest.release_id,
        config=file.data.config,
        protocol=f"{protocol.id}, version {protocol.version}",
        limit=file.limit,
        level=level,
        replicates=protocol.bootstrap.replicates,
        seed=protocol.bootstrap.seed,
        n_tests=number_of_tests(drafts),
        tasks=tuple(
            TaskContest(
                task=task.id,
                formulation=task.formulation,
                facet=task.facet,
                metric=task.primary_metric,
                control=task.control,
                contest=contest,
                lacking=lacking(named, task),
            )
            for task, contest in zip(compared, corrected(drafts, level), strict=True)
        ),
        mean=_mean(named, compared, protocol),
    )


def _tasks(named: Sequence[NamedRun], asked: Sequence[str] | None) -> list[Task]:
    wanted = None if asked is None else {task_named(identity).id for identity in asked}
    found = [
        task
        for task in load_tasks().values()
        if (wanted is None or task.id in wanted) and sum(task.id in own.scores for own in named) > 1
    ]
    if not found:
        which = "no task" if wanted is None else f"none of {', '.join(sorted(wanted))}"
        raise ShelfError(f"{which} has scores of two of these runs; nothing can be compared")
    if wanted is None:
        return [task for task in found if not task.optional] or found
    return found


def _drafts(
    named: Sequence[NamedRun], tasks: Sequence[Task], release: Release, protocol: Protocol
) -> list[Draft]:
    run = named[0].run
    read: dict[str, TaskData] = {}
    drafts = []
    for task in tasks:
        config = config_read(run, release, task)
        data = read.setdefault(config, TaskData(release, config, run.file.limit))
        entries = entries_of(named, task, data, protocol)
        drafts.append(draft_of_task(entries, task.id, protocol.bootstrap))
    return drafts


def _mean(
    named: Sequence[NamedRun], tasks: Sequence[Task], protocol: Protocol
) -> MeanContest | None:
    counted = {task.id for task in tasks if not (task.control or task.optional)}
    chosen = tasks_of_the_mean([counted & set(own.scores) for own in named])
    order = [task.id for task in tasks if task.id in chosen]
    having = [own for own in named if chosen <= set(own.scores)]
    if len(order) < 2 or len(having) < 2:
        return None
    scores = np.array([[own.scores[task]["value"] for own in having] for task in order])
    means = scores.mean(axis=0)
    best = sorted(range(len(having)), key=lambda model: (-means[model], having[model].name))
    draft = draft_of_mean(
        [having[model].name for model in best], order, scores[:, best], protocol.bootstrap
    )
    [contest] = corrected([draft], protocol.bootstrap.level)
    lacks = {
        own.name: tuple(task for task in order if task not in own.scores)
        for own in named
        if not chosen <= set(own.scores)
    }
    return MeanContest(tasks=tuple(order), contest=contest, lacking=lacks)
