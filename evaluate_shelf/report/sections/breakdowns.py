"""Scores in parts: by length, generator, difficulty, relation and class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evaluate_shelf.diagnostics.breakdown.breakdown import Breakdowns, By
from evaluate_shelf.diagnostics.breakdown.results import LEAST_ITEMS, Breakdown, Stratum, Value
from evaluate_shelf.errors import ShelfError, UnsupportedError
from evaluate_shelf.leaderboard.boards import names_of
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.report.compared import Compared
from evaluate_shelf.report.document import Block, Heading, Listing, Paragraph, Section
from evaluate_shelf.report.evidence import Evidence, command_line, listed
from evaluate_shelf.report.figures.dots import Dot, DotRow, dots
from evaluate_shelf.report.figures.figure import Figure, Picture
from evaluate_shelf.report.sections.boards import board_name
from evaluate_shelf.report.sections.numbers import estimate, metric_name
from evaluate_shelf.report.source import Source, csv_data
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.settings import load_transfer

_BY: tuple[By, ...] = ("length", "generator", "difficulty", "relation", "class")
_MODELS = 3
_CSV = (
    "model",
    "task",
    "by",
    "stratum",
    "items",
    "unit",
    "units",
    "metric",
    "value",
    "low",
    "high",
    "reason",
)


class _Row(NamedTuple):
    """A run's scores on a task in parts, under its model's name on the board."""

    model: str
    run: Run
    found: Breakdown


def breakdowns(found: Sequence[Compared], evidence: Evidence) -> Section:
    """The subject's tasks in parts, for the best models of each board.

    Parameters
    ----------
    found : sequence of Compared
        The boards of computed runs.
    evidence : Evidence
        What there is.

    Returns
    -------
    Section
        A sentence where no run has items or no release was given.
    """
    blocks: list[Block] = []
    for place, one in enumerate(found, start=1):
        blocks.append(Heading(board_name(one.board)))
        blocks += _board(one, evidence, f"strata-{place}")
    if not blocks:
        blocks.append(
            Paragraph(
                "No run was given. Reported scores have no items, so they cannot be broken down.",
                "absent",
            )
        )
    return Section("strata", "Scores in parts", tuple(blocks))


def _board(one: Compared, evidence: Evidence, name: str) -> Iterator[Block]:
    if not one.runs:
        yield Paragraph("The panel leaves out every model.", "absent")
        return
    if one.release is None:
        yield Paragraph(
            f"Not broken down: {evidence.why_no_release(one.board.release_id)}.", "absent"
        )
        return
    chosen = _chosen(one)
    yield Paragraph(
        f"The tasks that rank agreement is about, of {_of_models(chosen, one)}. A part with fewer "
        f"than {LEAST_ITEMS} items is counted and gets no value; the data has all counts. Other "
        "tasks and models: `shelf breakdown`."
    )
    found: dict[By, list[_Row]] = {by: [] for by in _BY}
    unsupported: dict[str, None] = {}
    unusable: dict[str, None] = {}
    for model, run in chosen:
        try:
            of_run = Breakdowns(run, one.release)
        except ShelfError as error:
            unusable[str(error)] = None
            continue
        for by in _BY:
            for task in _tasks(run):
                try:
                    found[by].append(_Row(model, run, of_run.of(task, by)))
                except UnsupportedError as error:
                    unsupported[f"{task.id} by {by}: {error}"] = None
                except ShelfError as error:
                    unusable[str(error)] = None
    for problem in unusable:
        yield Paragraph(f"Not broken down: {problem}.", "unusable")
    for by, rows in found.items():
        if rows:
            source = Source(f"{name}-{by}", _data(rows), _command(by, rows, one.data or ""))
            yield from _part(by, [(row.model, row.found) for row in rows], source)
    if unsupported:
        yield Paragraph("Not broken down, and why:", "note")
        yield Listing(tuple(unsupported))


def _chosen(one: Compared) -> list[tuple[str, Run]]:
    """The first models of the board that the panel has, with their runs."""
    named = dict(zip(names_of(one.runs), one.runs, strict=True))
    order = [row.name for row in one.board.rows if row.name in named]
    return [(name, named[name]) for name in order[:_MODELS]]


def _command(by: By, rows: Sequence[_Row], data: str) -> str:
    """A command a run, for the tasks that are shown of it."""
    tasks: dict[str, list[str]] = {}
    for row in rows:
        tasks.setdefault(str(row.run.folder), []).extend(("--task", row.found.task))
    return "; ".join(
        command_line("breakdown", folder, "--data", data, "--by", by, *own, "--json")
        for folder, own in tasks.items()
    )


def _of_models(chosen: Sequence[tuple[str, Run]], one: Compared) -> str:
    return (
        "all its models"
        if len(chosen) == len(one.runs)
        else f"the first {len(chosen)} of {len(one.runs)} models"
    )


def _tasks(run: Run) -> list[Task]:
    asked = [task_named(row.task) for row in load_transfer().formulations.values()]
    records = run.file.tasks
    return [task for task in asked if task.id in records and records[task.id].status == "done"]


def _part(by: By, rows: Sequence[tuple[str, Breakdown]], source: Source) -> Iterator[Block]:
    tasks = list(dict.fromkeys(found.task for _, found in rows))
    pictures = [
        drawing
        for task in tasks
        for metric in _metrics(rows, task)
        if (drawing := _picture(by, [(m, own) for m, own in rows if own.task == task], metric))
    ]
    notes = tuple(dict.fromkeys((*_definitions(rows), *_notes(rows))))
    if not pictures:
        yield Paragraph(f"By {by}: no part has {LEAST_ITEMS} items.", "absent")
        return
    yield Figure(f"By {by}. In parentheses the number of items.", tuple(pictures), source)
    yield Listing(notes)


def _definitions(rows: Sequence[tuple[str, Breakdown]]) -> Iterator[str]:
    by_definition: dict[str, list[str]] = {}
    for _, found in rows:
        tasks = by_definition.setdefault(found.definition, [])
        if found.task not in tasks:
            tasks.append(found.task)
    for definition, tasks in by_definition.items():
        yield f"{listed(tasks)}: {definition}"


def _notes(rows: Sequence[tuple[str, Breakdown]]) -> Iterator[str]:
    for model, found in rows:
        for note in found.notes:
            of_all = all(note in own.notes for _, own in rows if own.task == found.task)
            yield f"{found.task}{'' if of_all else f', {model}'}: {note}"


def _metrics(rows: Sequence[tuple[str, Breakdown]], task: str) -> list[str]:
    """What the parts of a task are measured by first; the data has the other metrics."""
    first = [
        own.values[0].metric
        for _, found in rows
        for own in found.strata
        if found.task == task and own.values
    ]
    return list(dict.fromkeys(first))


def _data(rows: Sequence[_Row]) -> bytes:
    return csv_data(_CSV, (line for row in rows for line in _lines(row.model, row.found)))


def _lines(model: str, found: Breakdown) -> Iterator[tuple[object, ...]]:
    for own in (found.whole, *found.strata):
        for value in own.values or (Value(found.metric, None),):
            yield (
                model,
                found.task,
                found.by,
                own.name,
                own.n,
                own.unit,
                own.n_units,
                value.metric,
                value.value,
                value.low,
                value.high,
                own.reason,
            )


def _picture(by: By, rows: Sequence[tuple[str, Breakdown]], metric: str) -> Picture | None:
    task = rows[0][1].task
    names = dict.fromkeys(own.name for _, found in rows for own in found.strata)
    strata = {name: _values(rows, name, metric) for name in names}
    shown = {name: values for name, values in strata.items() if values}
    if not shown:
        return None
    told = "; ".join(
        f"{name}, {_count(values)} items: "
        + ", ".join(f"{model} {estimate(own.value, own.low, own.high)}" for model, own in values)
        for name, values in shown.items()
    )
    order = [model for model, _ in rows]
    return dots(
        task,
        f"{task}, {metric_name(metric)}, by {by}: {told}.",
        [
            DotRow(
                f"{name} ({_count(values)})",
                tuple(
                    Dot(own.value or 0.0, own.low, own.high, series=order.index(model))
                    for model, own in values
                ),
            )
            for name, values in shown.items()
        ],
        x=metric_name(metric),
        names=order,
    )


def _values(
    rows: Sequence[tuple[str, Breakdown]], name: str, metric: str
) -> list[tuple[str, Stratum]]:
    """Each model's part of that name, where it has a value by the metric."""
    return [
        (model, own)
        for model, found in rows
        for own in found.strata
        if own.name == name and own.value is not None and own.values[0].metric == metric
    ]


def _count(values: Sequence[tuple[str, Stratum]]) -> str:
    """Number of items; from the fewest to the most where it depends on the model."""
    counts = sorted({own.n for _, own in values})
    return f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,}–{counts[-1]:,}"
