"""What models take for what: the most frequent confusions of classifications."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from evaluate_shelf.aggregate.evidence import UNREADABLE, by_reason, not_given, told
from evaluate_shelf.aggregate.schema.confusions import (
    MOST_CONFUSIONS,
    Confusions,
    RowConfusions,
    TaskConfusions,
)
from evaluate_shelf.aggregate.schema.rows import LeftOutRow
from evaluate_shelf.aggregate.tables import Table
from evaluate_shelf.bounded import one_line
from evaluate_shelf.evaluation.kept import check_can_be_scored, items_path, scoring
from evaluate_shelf.formulations.data import TaskData, checked_items, labelled
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run

_LONGEST_LABEL = 300


def confusions_of(table: Table, release: Release | None) -> Confusions:
    """The confusions of a board's rows.

    Parameters
    ----------
    table : Table
        Rows in the order of the board.
    release : Release or None
        What they were scored on; None where it was not given.

    Returns
    -------
    Confusions
        What could not be read is named with its row.
    """
    tasks = [task for task in table.tasks if task.formulation == "classification"]
    why_not = _why_not(table, tasks, release)
    if why_not or release is None:
        return Confusions(why_not=why_not)
    config, limit = table.runs[0].file.data.config, table.runs[0].file.limit
    data = TaskData(release, config, limit)
    rows: list[RowConfusions] = []
    left_out: list[LeftOutRow] = []
    for row, run in enumerate(table.runs):
        found: list[TaskConfusions] = []
        refused: dict[str, list[str]] = {}
        for task in tasks:
            if task.id not in table.scores[row]:
                continue
            try:
                found.append(task_confusions(run, task, data))
            except UNREADABLE as error:
                refused.setdefault(told(error, [run], release), []).append(task.id)
        left_out += [LeftOutRow(row=row, reason=reason) for reason in by_reason(refused)]
        if found:
            rows.append(RowConfusions(row=row, tasks=tuple(found)))
    return Confusions(why_not=None, left_out=tuple(left_out), rows=tuple(rows))


def task_confusions(run: Run, task: Task, data: TaskData) -> TaskConfusions:
    """The confusions of a run on a classification.

    Parameters
    ----------
    run : Run
        A finished run with items.
    task : Task
        A classification that it has a score on.
    data : TaskData
        What the task read.

    Returns
    -------
    TaskConfusions
        A document without a prediction counts as wrong, as it does in the score.

    Raises
    ------
    ShelfError
        If the run's items are missing, changed, or not those of the test split.
    """
    check_can_be_scored(run, data.release)
    with scoring(items_path(run, task)) as items:
        test = labelled(task, data.test)
        column = checked_items(data.test, items)["predicted"].cast(pa.string()).to_pylist()
    guesses = [column[position] for position in test.positions]
    of_gold = Counter(test.labels)
    pairs = Counter(zip(test.labels, guesses, strict=True))
    wrong = {pair: count for pair, count in pairs.items() if pair[0] != pair[1]}
    most = sorted(wrong.items(), key=lambda own: (-own[1], own[0][0], own[0][1] or ""))
    return TaskConfusions(
        task=task.id,
        n=len(test.labels),
        wrong=sum(wrong.values()),
        most=tuple(
            (_shown(true), None if guess is None else _shown(guess), count, of_gold[true])
            for (true, guess), count in most[:MOST_CONFUSIONS]
        ),
    )


def _why_not(table: Table, tasks: Sequence[Task], release: Release | None) -> str | None:
    if table.reported:
        return "reported scores have no items: what was confused with what is not known"
    if not tasks:
        return "no model has a score on a classification here"
    return not_given(table.runs[0]) if release is None else None


def _shown(label: str) -> str:
    return one_line(label, _LONGEST_LABEL)
