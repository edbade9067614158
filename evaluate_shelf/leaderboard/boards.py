"""From runs to boards: which models can be compared, and which can be told apart.

A mean is over the same tasks for every model that has one. Which tasks that are follows from what
the models have: those that all share, or all those of one model, whichever puts the most scores
into a mean. A model that lacks one of them has no mean; it stands below the others with its
coverage. So BM25, which has no vectors and no classification, does not take classification out of
the mean of twenty encoders, and no model gains a rank by a task that it leaves out.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from statistics import median
from typing import Any

from evaluate_shelf.contamination.runs import seen_by
from evaluate_shelf.contamination.seen import Seen
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.registry.tasks import Task, load_tasks
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.runs.schema import cut_texts


@dataclass(frozen=True)
class Cell:
    """A model's primary score on a task, or why there is none.

    Attributes
    ----------
    value, low, high : float or None
        Score and interval.
    rank : int or None
        One more than the number of models whose interval lies wholly above this one's; None for a
        reported score, which has no interval.
    tied : bool
        Whether another model has the same rank.
    reason : str or None
        Why there is no score.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    rank: int | None = None
    tied: bool = False
    reason: str | None = None


@dataclass(frozen=True)
class ModelRow:
    """A model's scores on the tasks of a board.

    Attributes
    ----------
    mean : float or None
        Over the board's tasks of the mean; None where the model lacks one of them.
    coverage : int
        Number of the board's tasks that the model has a score on.
    documents_per_second : float or None
        How fast it encodes on the machine that its run names; None where it was not measured.
    cut_share : float or None
        Share of the texts that its limit cut; None where it has none, or does not tell.
    money_usd : float or None
        What its tokens cost, where they cost something.
    seen : str
        Whether it may have seen the documents before; see `contamination.seen`.
    """

    name: str
    kind: str
    parameters: int | None
    dimension: int | None
    mean: float | None
    coverage: int
    documents_per_second: float | None
    cut_share: float | None
    money_usd: float | None
    seen: Seen
    cells: dict[str, Cell]


@dataclass(frozen=True)
class Board:
    """Models that can be compared: one config of one release, one protocol.

    Attributes
    ----------
    config, release_id, protocol : str
        What the runs have in common.
    limit : int or None
        Documents a split, if these are smoke runs: comparable with no other board.
    tasks : tuple of Task
        The columns, in the registry's order.
    shared : tuple of str
        Tasks of the mean, from `tasks_of_the_mean`: every model with a mean has all of them.
    chance : dict of str to float or None
        By task, the median over the models of what the shuffled-label control gave.
    rows : tuple of ModelRow
        Best mean first, then those without a mean by coverage. On a board without any mean, best
        first task first.
    reported : str or None
        Who reported the scores, where they were not computed here.
    """

    config: str
    release_id: str
    protocol: str
    limit: int | None
    tasks: tuple[Task, ...]
    shared: tuple[str, ...]
    chance: dict[str, float | None]
    rows: tuple[ModelRow, ...]
    reported: str | None = None


def boards(
    runs: Sequence[Run], *, facet: str | None = None, formulation: str | None = None
) -> list[Board]:
    """Gather runs into boards.

    Parameters
    ----------
    runs : sequence of Run
        Any runs; those of another config, release, protocol or limit come onto another board.
    facet, formulation : str, default=None
        Keep only tasks of this facet or formulation. Without both, an optional task is a column
        only on a board that has no others.

    Returns
    -------
    list of Board
        Full runs of the default protocol, those of other protocols, smoke runs, then reported
        scores.

    Raises
    ------
    ShelfError
        If the facet or formulation is unknown, or no run has such a task.
    """
    found = [board_of(group, facet=facet, formulation=formulation) for group in comparable(runs)]
    kept = [board for board in found if board is not None]
    if not kept:
        asked = " and ".join(name for name in (facet, formulation) if name)
        raise ShelfError(f"no run has a score{f' on a task of {asked}' if asked else ''}")
    return kept


def comparable(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs in groups that can be compared, one a board, in the order of `boards`.

    Parameters
    ----------
    runs : sequence of Run
        Any runs; those without a score are left out.
    """
    default = load_protocol().id
    grouped: dict[tuple[Any, ...], list[Run]] = {}
    for run in runs:
        if not run.scores.num_rows:
            continue  # a model that failed everywhere takes no mean away from the others
        data, protocol = run.file.data, run.file.protocol
        conditions = (protocol.id != default, protocol.id, -protocol.version)
        content = tuple(sorted(data.content_sha256.items()))
        reported = run.reported or ""
        key = (reported, run.file.limit or 0, *conditions, data.config, content, protocol.key)
        grouped.setdefault(key, []).append(run)
    return [grouped[key] for key in sorted(grouped)]


def board_of(
    runs: Sequence[Run], *, facet: str | None = None, formulation: str | None = None
) -> Board | None:
    """The board of one group of `comparable`; None where it has no such task.

    Raises
    ------
    ShelfError
        If the facet or formulation is unknown.
    """
    scores = [run.primary_scores() for run in runs]
    tasks = [
        task for task in _selected(facet, formulation) if any(task.id in own for own in scores)
    ]
    if facet is None and formulation is None:
        tasks = [task for task in tasks if not task.optional] or tasks
    return _board(runs, scores, tuple(tasks)) if tasks else None


def tasks_of_the_mean(having: Sequence[AbstractSet[str]]) -> frozenset[str]:
    """The tasks that a mean is over, if models have these.

    Either the tasks that all models share, or all those of one model: whichever puts the most
    scores into a mean, which is the number of tasks times that of the models that have them all.
    Where several sets do so, what they have in common.

    Parameters
    ----------
    having : sequence of set of str
        The tasks of each model.

    Returns
    -------
    frozenset of str
        Empty where no set of tasks is better than another.

    Examples
    --------
    >>> dense, bm25 = {"classification", "clustering", "retrieval"}, {"retrieval"}
    >>> sorted(tasks_of_the_mean([dense, dense, bm25]))
    ['classification', 'clustering', 'retrieval']
    >>> tasks_of_the_mean([{"classification"}, {"retrieval"}])
    frozenset()
    """
    if not having:
        return frozenset()
    sets = [frozenset(tasks) for tasks in having]
    everyone = frozenset.intersection(*sets)

    def scores(tasks: frozenset[str]) -> int:
        return len(tasks) * sum(tasks <= own for own in sets)

    most = max(map(scores, [everyone, *sets]))
    return frozenset.intersection(*(tasks for tasks in [everyone, *sets] if scores(tasks) == most))


def _selected(facet: str | None, formulation: str | None) -> list[Task]:
    registry = load_tasks().values()
    for wanted, kind in ((facet, "facet"), (formulation, "formulation")):
        known = sorted({getattr(task, kind) for task in registry})
        if wanted is not None and wanted not in known:
            raise ShelfError(f"unknown {kind} {wanted!r}; known are {', '.join(known)}")
    return [
        task
        for task in registry
        if facet in (None, task.facet) and formulation in (None, task.formulation)
    ]


def _board(
    runs: Sequence[Run], scores: Sequence[dict[str, dict[str, Any]]], tasks: tuple[Task, ...]
) -> Board:
    counted = {task.id for task in tasks if not (task.control or task.optional)}
    of_the_mean = tasks_of_the_mean([counted & set(own) for own in scores])
    shared = tuple(task.id for task in tasks if task.id in of_the_mean)
    cells = [
        {task.id: _cell(task.id, run, own) for task in tasks}
        for run, own in zip(runs, scores, strict=True)
    ]
    reported = runs[0].reported
    for task in () if reported else tasks:
        _rank([own for own in cells if own[task.id].value is not None], task.id)
    names = names_of(runs)
    rows = [_row(run, name, own, shared) for run, name, own in zip(runs, names, cells, strict=True)]
    first = runs[0].file
    return Board(
        config=first.data.config,
        release_id=first.data.release_id,
        protocol=first.protocol.id
        if reported
        else f"{first.protocol.id}, version {first.protocol.version}",
        limit=first.limit,
        tasks=tasks,
        shared=shared,
        chance={task.id: _measured_chance(scores, task.id) for task in tasks},
        rows=tuple(sorted(rows, key=lambda row: _order(row, tasks, bool(shared)))),
        reported=reported,
    )


def _measured_chance(scores: Sequence[dict[str, dict[str, Any]]], task: str) -> float | None:
    """Median over the models of what the shuffled-label control gave; None where none did."""
    levels = [own[task]["chance_level"] for own in scores if task in own]
    known = [level for level in levels if level is not None]
    return median(known) if known else None


def _cell(task: str, run: Run, scores: dict[str, dict[str, Any]]) -> Cell:
    if task in scores:
        row = scores[task]
        return Cell(row["value"], row["low"], row["high"])
    return Cell(reason=run.why_no_score(task))


def _rank(cells: Sequence[dict[str, Cell]], task: str) -> None:
    bounds = [_bounds(own[task]) for own in cells]
    ranks = [1 + sum(low > high for low, _ in bounds) for _, high in bounds]
    for own, rank in zip(cells, ranks, strict=True):
        cell = own[task]
        tied = ranks.count(rank) > 1
        own[task] = Cell(cell.value, cell.low, cell.high, rank, tied)


def _bounds(cell: Cell) -> tuple[float, float]:
    value = cell.value or 0.0
    return (value if cell.low is None else cell.low, value if cell.high is None else cell.high)


def names_of(runs: Sequence[Run]) -> list[str]:
    """Names of the models, with the run's id where two runs have one name."""
    names = [run.file.model.name for run in runs]
    return [
        f"{name} (run {run.file.run_id})" if names.count(name) > 1 else name
        for name, run in zip(names, runs, strict=True)
    ]


def _row(run: Run, name: str, cells: dict[str, Cell], shared: Sequence[str]) -> ModelRow:
    values = [value for task in shared if (value := cells[task].value) is not None]
    has_mean = bool(shared) and len(values) == len(shared)
    cut = cut_texts(run.file.encodings())
    return ModelRow(
        name=name,
        kind=run.file.model.kind,
        parameters=run.file.model.parameters,
        dimension=run.file.model.dimension,
        mean=sum(values) / len(values) if has_mean else None,
        coverage=sum(cell.value is not None for cell in cells.values()),
        documents_per_second=run.file.rate.documents_per_second if run.file.rate else None,
        cut_share=cut.share if cut else None,
        money_usd=run.file.money_usd,
        seen=seen_by(run),
        cells=cells,
    )


def _order(row: ModelRow, tasks: Sequence[Task], by_mean: bool) -> tuple[float, ...]:
    values = [row.mean, *(row.cells[task.id].value for task in tasks)]
    # A model without a score stands behind those that have one.
    first, *others = (float("inf") if value is None else -value for value in values)
    return (first, -row.coverage if by_mean and row.mean is None else 0, *others)
