"""Boards whose rows are given one by one: for pages that have to say what is true of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.synthetic_aggregate import synthetic_aggregate
from evaluate_shelf.aggregate.schema import RANKED, Aggregate, Board, Status
from evaluate_shelf.aggregate.schema.boards import View
from evaluate_shelf.aggregate.schema.confusions import Confusions
from evaluate_shelf.aggregate.schema.models import ModelEntry
from evaluate_shelf.aggregate.schema.pairs import Pairs
from evaluate_shelf.aggregate.schema.rows import Cell, Row
from evaluate_shelf.aggregate.schema.strata import Strata
from evaluate_shelf.aggregate.schema.tasks import TaskEntry
from evaluate_shelf.leaderboard.boards import tasks_of_the_mean

CPU = "x86_64 Linux, 2 cores"
GPU = "x86_64 Linux, NVIDIA GPU"


class Task(NamedTuple):
    """A task; its id is its facet with its formulation."""

    facet: str = "subject"
    formulation: str = "classification"
    stated: float | None = 0.05
    measured: float | None = 0.05
    control: bool = False
    optional: bool = False

    @property
    def id(self) -> str:
        """As the pages name it."""
        return f"{self.facet}_{self.formulation}"


class Model(NamedTuple):
    """A model with one score a task, each with the same half width of its interval."""

    name: str
    scores: tuple[float | None, ...]
    rate: float | None = None
    machine: str = CPU
    kind: str = "encoder"
    parameters: int | None = 10_000_000
    status: Status = "computed"
    money: float | None = None
    licence: str | None = None
    max_tokens: int | None = None
    half: float | None = 0.01


Given = tuple[Sequence[Task], Sequence[Model]]


def aggregate_with(*boards: Given, reported: Sequence[int] = ()) -> Aggregate:
    """An aggregate of boards, each with models of its own.

    Parameters
    ----------
    *boards : tuple of sequence of Task and sequence of Model
        What each holds.
    reported : sequence of int
        Which boards are of reported scores.
    """
    tasks = {task.id: _task(task) for given, _ in boards for task in given}
    models: list[ModelEntry] = []
    made: list[Board] = []
    for number, (given, rows) in enumerate(boards):
        made.append(_board(number, given, rows, len(models), number in reported))
        models += [_entry(number, model) for model in rows]
    return _template().model_copy(
        update={"tasks": tuple(tasks.values()), "models": tuple(models), "boards": tuple(made)}
    )


def key_of(model: Model, board: int = 0) -> str:
    """The key of a model on a board, as its links have it."""
    return f"{board}-{model.name.lower().replace(' ', '-')}"


def _template() -> Aggregate:
    """What has to be there besides what a test gives."""
    return synthetic_aggregate(2, 1)


def _task(task: Task) -> TaskEntry:
    return (
        _template()
        .tasks[0]
        .model_copy(
            update={
                "id": task.id,
                "formulation": task.formulation,
                "facet": task.facet,
                "control": task.control,
                "optional": task.optional,
                "note": None,
                "chance": task.stated,
            }
        )
    )


def _entry(board: int, model: Model) -> ModelEntry:
    unknown = ("licence", "open_weights", "released", "checkpoint", "cutoff", "cutoff_source")
    return (
        _template()
        .models[0]
        .model_copy(
            update={
                **dict.fromkeys(unknown),
                "key": key_of(model, board),
                "name": model.name,
                "spec": f"made:{model.name}",
                "kind": model.kind,
                "reported": model.status == "reported",
                "parameters": model.parameters,
                "max_tokens": model.max_tokens,
                "licence": model.licence,
            }
        )
    )


def _board(
    number: int, tasks: Sequence[Task], models: Sequence[Model], first: int, reported: bool
) -> Board:
    rows = tuple(_row(first + n, model, tasks) for n, model in enumerate(models))
    [template] = _template().boards
    return template.model_copy(
        update={
            "key": f"board-{number}",
            "title": f"board {number}",
            "release_id": f"release-{number}",
            "reported": "a paper" if reported else None,
            "level": None if reported else 0.95,
            "tasks": tuple(task.id for task in tasks),
            "chance": tuple(task.stated for task in tasks),
            "chance_low": tuple(task.measured for task in tasks),
            "chance_high": tuple(task.measured for task in tasks),
            "units": tuple(None for _ in tasks),
            "reasons": ("it was not run",),
            "rows": rows,
            "views": _views(tasks, rows),
            "pairs": Pairs(why_not="none were made"),
            "confusions": Confusions(why_not="none were made"),
            "strata": Strata(why_not="none were made", least_items=30),
        }
    )


def _row(model_at: int, model: Model, tasks: Sequence[Task]) -> Row:
    return (
        _template()
        .boards[0]
        .rows[0]
        .model_copy(
            update={
                "model": model_at,
                "name": model.name,
                "run_id": None if model.status == "reported" else f"{model_at:012x}",
                "status": model.status,
                "documents_per_second": model.rate,
                "rate_low": None,
                "rate_high": None,
                "machine": model.machine if model.rate else None,
                "money_usd": model.money,
                "cut_share": None,
                "seen": "unknown",
                "cells": tuple(
                    _cell(model, score, task.measured)
                    for score, task in zip(model.scores, tasks, strict=True)
                ),
            }
        )
    )


def _cell(model: Model, score: float | None, chance: float | None) -> Cell:
    if score is None:
        return (0,)
    if model.half is None:
        return (score, None, None, None, 0, "", chance)
    rank = 1 if model.status in RANKED else None
    return (score, score - model.half, score + model.half, rank, 0, "", chance)


def _views(tasks: Sequence[Task], rows: Sequence[Row]) -> tuple[View, ...]:
    facets = list(dict.fromkeys(task.facet for task in tasks))
    formulations = list(dict.fromkeys(task.formulation for task in tasks))
    asked = [(facet, work) for facet in (None, *facets) for work in (None, *formulations)]
    found = []
    for facet, work in asked:
        chosen = [
            n
            for n, task in enumerate(tasks)
            if facet in (None, task.facet) and work in (None, task.formulation)
        ]
        if chosen:
            found.append(_view(facet, work, chosen, tasks, rows))
    return tuple(found)


def _view(
    facet: str | None,
    work: str | None,
    chosen: list[int],
    tasks: Sequence[Task],
    rows: Sequence[Row],
) -> View:
    counted = [n for n in chosen if not (tasks[n].control or tasks[n].optional)]
    has = [
        {str(n) for n in counted if len(row.cells[n]) > 1}
        for row in rows
        if row.status in RANKED or row.status == "reported"
    ]
    shared = tasks_of_the_mean(has)
    mean_tasks = [n for n in counted if str(n) in shared]
    means = [_mean(row, mean_tasks) for row in rows]
    return View(
        facet=facet,
        formulation=work,
        tasks=tuple(chosen),
        mean_tasks=tuple(mean_tasks),
        means=tuple(means),
        coverage=tuple(sum(len(row.cells[n]) > 1 for n in chosen) for row in rows),
        order=tuple(sorted(range(len(rows)), key=lambda n: (means[n] is None, -(means[n] or 0)))),
    )


def _mean(row: Row, tasks: Sequence[int]) -> float | None:
    values = [row.cells[n][0] for n in tasks if len(row.cells[n]) > 1]
    return sum(values) / len(values) if values and len(values) == len(tasks) else None
