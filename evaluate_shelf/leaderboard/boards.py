"""From runs to boards: which models can be compared, and which can be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.tasks import Task, load_tasks
from evaluate_shelf.runs.reading import Run


@dataclass(frozen=True)
class Cell:
    """A model's primary score on a task, or why there is none.

    Attributes
    ----------
    value, low, high : float or None
        Score and interval.
    rank : int or None
        One more than the number of models whose interval lies wholly above this one's.
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
        Over the tasks that every model of the board has.
    coverage : int
        Number of the board's tasks that the model has a score on.
    documents_per_second : float or None
        How fast it encodes on the machine that its run names; None where it was not measured.
    cut_share : float or None
        Share of the texts that its limit cut; None where it has none, or does not tell.
    money_usd : float or None
        What its tokens cost, where they cost something.
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
        Tasks that every model has and that are no controls: those of the mean.
    chance : dict of str to float or None
        By task, the median over the models of what the shuffled-label control gave.
    rows : tuple of ModelRow
        Best mean first; without a mean, best first task first.
    """

    config: str
    release_id: str
    protocol: str
    limit: int | None
    tasks: tuple[Task, ...]
    shared: tuple[str, ...]
    chance: dict[str, float | None]
    rows: tuple[ModelRow, ...]


def boards(
    runs: Sequence[Run], *, facet: str | None = None, formulation: str | None = None
) -> list[Board]:
    """Gather runs into boards.

    Parameters
    ----------
    runs : sequence of Run
        Any runs; those of another config, release, protocol or limit come onto another board.
    facet, formulation : str, default=None
        Keep only tasks of this facet or formulation.

    Returns
    -------
    list of Board
        Full runs before smoke runs, then by config.

    Raises
    ------
    ShelfError
        If the facet or formulation is unknown, or no run has such a task.
    """
    registry = _selected(facet, formulation)
    grouped: dict[tuple[Any, ...], list[Run]] = {}
    for run in runs:
        if not run.scores.num_rows:
            continue  # a model that failed everywhere takes no mean away from the others
        data = run.file.data
        content = tuple(sorted(data.content_sha256.items()))
        key = (run.file.limit or 0, data.config, content, run.file.protocol.key)
        grouped.setdefault(key, []).append(run)
    found = [_board(grouped[key], registry) for key in sorted(grouped)]
    kept = [board for board in found if board.tasks]
    if not kept:
        asked = " and ".join(name for name in (facet, formulation) if name)
        raise ShelfError(f"no run has a score{f' on a task of {asked}' if asked else ''}")
    return kept


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


def _board(runs: Sequence[Run], registry: Sequence[Task]) -> Board:
    scores = [_primary_scores(run) for run in runs]
    asked = {identity for run in runs for identity in run.file.tasks}
    tasks = tuple(
        task for task in registry if task.id in asked and any(task.id in own for own in scores)
    )
    shared = tuple(
        task.id for task in tasks if not task.control and all(task.id in own for own in scores)
    )
    cells = [
        {task.id: _cell(task.id, run, own) for task in tasks}
        for run, own in zip(runs, scores, strict=True)
    ]
    for task in tasks:
        _rank([own for own in cells if own[task.id].value is not None], task.id)
    names = _names(runs)
    rows = [_row(run, name, own, shared) for run, name, own in zip(runs, names, cells, strict=True)]
    first = runs[0].file
    return Board(
        config=first.data.config,
        release_id=first.data.release_id,
        protocol=f"{first.protocol.id}, version {first.protocol.version}",
        limit=first.limit,
        tasks=tasks,
        shared=shared,
        chance={task.id: _measured_chance(scores, task.id) for task in tasks},
        rows=tuple(sorted(rows, key=lambda row: _order(row, tasks))),
    )


def _measured_chance(scores: Sequence[dict[str, dict[str, Any]]], task: str) -> float | None:
    """Median over the models of what the shuffled-label control gave; None where none did."""
    levels = [own[task]["chance_level"] for own in scores if task in own]
    known = [level for level in levels if level is not None]
    return median(known) if known else None


def _primary_scores(run: Run) -> dict[str, dict[str, Any]]:
    return {row["task"]: row for row in run.scores.to_pylist() if row["primary"]}


def _cell(task: str, run: Run, scores: dict[str, dict[str, Any]]) -> Cell:
    if task in scores:
        row = scores[task]
        return Cell(row["value"], row["low"], row["high"])
    record = run.file.tasks.get(task)
    return Cell(reason=f"{record.status}: {record.reason}" if record else "not run")


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


def _names(runs: Sequence[Run]) -> list[str]:
    """Names of the models, with the run's id where two runs have one name."""
    names = [run.file.model.name for run in runs]
    return [
        f"{name} (run {run.file.run_id})" if names.count(name) > 1 else name
        for name, run in zip(names, runs, strict=True)
    ]


def _row(run: Run, name: str, cells: dict[str, Cell], shared: Sequence[str]) -> ModelRow:
    values = [cells[task].value or 0.0 for task in shared]
    return ModelRow(
        name=name,
        kind=run.file.model.kind,
        parameters=run.file.model.parameters,
        dimension=run.file.model.dimension,
        mean=sum(values) / len(values) if values else None,
        coverage=sum(cell.value is not None for cell in cells.values()),
        documents_per_second=run.file.rate.documents_per_second if run.file.rate else None,
        cut_share=_cut_share(run),
        money_usd=run.file.money_usd,
        cells=cells,
    )


def _cut_share(run: Run) -> float | None:
    known = [encoding for encoding in run.file.encodings() if encoding.cut is not None]
    texts = sum(encoding.texts for encoding in known)
    return sum(encoding.cut or 0 for encoding in known) / texts if texts else None


def _order(row: ModelRow, tasks: Sequence[Task]) -> tuple[float, ...]:
    values = [row.mean, *(row.cells[task.id].value for task in tasks)]
    # A model without a score stands behind those that have one.
    return tuple(1.0 if value is None else -value for value in values)
