"""A run's score on a task, in parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import pyarrow as pa

from evaluate_shelf.diagnostics.breakdown.by_class import class_strata
from evaluate_shelf.diagnostics.breakdown.circularity import why_circular
from evaluate_shelf.diagnostics.breakdown.facts import Facts
from evaluate_shelf.diagnostics.breakdown.parts import (
    Parts,
    by_difficulty,
    by_generator,
    by_length,
    by_query_class,
    by_relation,
)
from evaluate_shelf.diagnostics.breakdown.recorded import check_recorded
from evaluate_shelf.diagnostics.breakdown.results import LEAST_ITEMS, TOO_FEW, Breakdown, Stratum
from evaluate_shelf.diagnostics.breakdown.subsets import Items, Measured, Rows, items_of_run
from evaluate_shelf.diagnostics.breakdown.top_ten import DEFINITION, relation_strata
from evaluate_shelf.errors import ShelfError, UnsupportedError
from evaluate_shelf.evaluation.kept import (
    check_can_be_scored,
    config_read,
    items_path,
    protocol_of,
    scoring,
)
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run

By = Literal["length", "words", "generator", "model", "difficulty", "relation", "class"]
"""What a score can be broken down by; `generator` is by family, `model` by each generator."""

BY: tuple[By, ...] = get_args(By)

_RANKINGS = ("retrieval", "instruction_retrieval")
_PREDICTIONS = ("classification", "multilabel_classification")
_NO_CLASS = {
    "clustering": "inside one class all documents have one label: there is nothing to tell apart",
    "conditional_clustering": "inside one label there is nothing to tell apart",
    "pair_classification": "the two documents of a pair may be of two classes",
}


class Breakdowns:
    """Breaks a run's scores down; what is found out about documents is kept between tasks.

    Parameters
    ----------
    run : Run
        A finished run that was computed here.
    release : Release
        What it was scored on.

    Raises
    ------
    ShelfError
        If the run has no items, is from another release, or was made under a protocol that this
        installation does not have.
    """

    def __init__(self, run: Run, release: Release) -> None:
        if run.reported:
            raise ShelfError(
                f"{run.file.model.name}: its scores are reported ({run.reported}) and were not "
                "computed here; without items there is nothing to break down"
            )
        check_can_be_scored(run, release)
        self._run, self._release = run, release
        self._protocol = protocol_of(run)
        config = run.file.data.config
        self._data: dict[tuple[str, int | None], TaskData] = {}
        self._of_documents = Facts(self._data_of(config, run.file.limit), self._protocol)
        # Pairs of a smoke run may have documents that it did not look at.
        self._of_pairs = Facts(self._data_of(config, None), self._protocol, of_all_splits=True)

    def of(self, task: Task, by: By) -> Breakdown:
        """Break the score of a task down; see `breakdown`."""
        run = self._run
        record = run.file.tasks.get(task.id)
        if record is None or record.status != "done":
            known = ", ".join(one.id for one in tasks_of(run))
            raise ShelfError(
                f"{run.folder}: no score on {task.id}: {run.why_no_score(task.id)}; it has one on "
                f"{known}"
            )
        config = config_read(run, self._release, task)
        data = self._data_of(config, run.file.limit)
        facts = self._of_pairs if config != run.file.data.config else self._of_documents
        path = items_path(run, task)
        with scoring(path) as items:
            scored = items_of_run(task, data, items, self._protocol)
            everything = np.arange(len(scored.positions))
            measured = scored.measure(everything)
            check_recorded(run, task, measured.values[0].value, path)
            whole = _stratum("all", scored, everything, measured)
            parts, strata = self._strata(task, by, data, facts, items, scored)
        in_none = scored.scored.copy()
        for own in parts.members.values():
            in_none[scored.among(own)] = False
        circular = why_circular(run.file.model) if by == "difficulty" else None
        return Breakdown(
            model=run.file.model.name,
            run_id=run.file.run_id,
            release_id=self._release.manifest.release_id,
            config=config,
            task=task.id,
            formulation=task.formulation,
            metric=task.primary_metric,
            by=by,
            definition=parts.definition,
            level=self._protocol.bootstrap.level,
            whole=whole,
            strata=strata,
            in_none=int(in_none.sum()),
            circular=circular is not None,
            notes=(*parts.notes, *([circular] if circular else [])),
        )

    def _strata(
        self,
        task: Task,
        by: By,
        data: TaskData,
        facts: Facts,
        items: pa.Table,
        scored: Items,
    ) -> tuple[Parts, tuple[Stratum, ...]]:
        everything = {"all": scored.positions}
        if by == "class" and task.formulation in _PREDICTIONS:
            strata = class_strata(task, data, items, self._protocol)
            definition = f"each {task.label_field} against all others"
            return Parts(everything, definition), strata
        if by == "relation" and task.formulation in _RANKINGS:
            strata, notes = relation_strata(task, data, items, scored, self._protocol)
            return Parts(everything, DEFINITION, notes), strata
        parts = _parts(task, by, data, facts)
        return parts, tuple(
            _stratum(name, scored, scored.among(members)) for name, members in parts.members.items()
        )

    def _data_of(self, config: str, limit: int | None) -> TaskData:
        return self._data.setdefault((config, limit), TaskData(self._release, config, limit))


def breakdown(run: Run, release: Release, task: str, by: By) -> Breakdown:
    """Break a run's score on a task down.

    Every stratum is scored with the task's own metric on its own items, and its interval comes from
    resampling the groups that these are in. One with fewer than 30 items is counted, and no more.

    Parameters
    ----------
    run : Run
        A finished run that was computed here.
    release : Release
        What it was scored on.
    task : str
        The task's id.
    by : {'length', 'words', 'generator', 'model', 'difficulty', 'relation', 'class'}
        What decides an item's stratum. For classification, `class` gives each class against all
        others; for retrieval, `relation` gives what the first ten documents are.

    Returns
    -------
    Breakdown
        The same for the same run and release.

    Raises
    ------
    UnsupportedError
        If the task, or the release, cannot be broken down that way; the message says why.
    ShelfError
        If the run is reported, has no score on the task, is from another release, its files were
        changed, or its items do not give the score that it recorded.
    """
    return Breakdowns(run, release).of(task_named(task), checked_by(by))


def tasks_of(run: Run, asked: Sequence[str] = ()) -> tuple[Task, ...]:
    """The tasks that a run has scores on, or those of them that are asked for.

    Raises
    ------
    ShelfError
        If a task is unknown, or the run has no score on any.
    """
    if asked:
        return tuple(task_named(identity) for identity in dict.fromkeys(asked))
    done = [task for task, record in run.file.tasks.items() if record.status == "done"]
    if not done:
        raise ShelfError(f"{run.folder}: no task of it has a score; evaluate the model again")
    return tuple(map(task_named, done))


def checked_by(by: str) -> By:
    """What to break down by, if it is known.

    Raises
    ------
    ShelfError
        If it is not.
    """
    for known in BY:
        if by == known:
            return known
    raise ShelfError(f"unknown way {by!r} to break a score down; known: {', '.join(BY)}")


def _parts(task: Task, by: By, data: TaskData, facts: Facts) -> Parts:
    if by == "length" or by == "words":
        return by_length(data, facts, "words" if by == "words" else "characters")
    if by == "generator" or by == "model":
        return by_generator(data, facts, families=by == "generator")
    if by == "difficulty":
        return by_difficulty(task, data, facts)
    if by == "relation":
        return by_relation(data, facts)
    if task.formulation in _NO_CLASS:
        raise UnsupportedError(_NO_CLASS[task.formulation])
    return by_query_class(task, data)


def _stratum(name: str, items: Items, rows: Rows, measured: Measured | None = None) -> Stratum:
    """A stratum of some items, measured already where `measured` says how."""
    own = rows[items.scored[rows]]
    n, n_units = len(own), items.n_units(own)
    if n < LEAST_ITEMS:
        return Stratum(name, n, items.unit, n_units, reason=TOO_FEW)
    values, n_classes, reason = measured or items.measure(rows)
    return Stratum(name, n, items.unit, n_units, n_classes, values, reason)
