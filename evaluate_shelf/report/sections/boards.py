"""Leaderboards: a table of each board, and its scores facet by facet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from evaluate_shelf.contamination.seen import MARKS
from evaluate_shelf.counts import counted
from evaluate_shelf.leaderboard.boards import Board, Cell, ModelRow, board_of, comparable
from evaluate_shelf.leaderboard.forms import (
    chance_text,
    legend,
    mean_note,
    rate_text,
    score_text,
    title,
)
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.report.document import Block, Heading, Listing, Paragraph, Section, Table
from evaluate_shelf.report.evidence import Evidence, command_line, listed
from evaluate_shelf.report.figures.dots import Dot, DotRow, dots
from evaluate_shelf.report.figures.figure import Figure, Picture
from evaluate_shelf.report.figures.scatter import rounded
from evaluate_shelf.report.sections.numbers import estimate, metric_name, number
from evaluate_shelf.report.source import Source, csv_data
from evaluate_shelf.runs.reading import Run

_MOST_ROWS = 40
_OVERVIEW = ("model", "kind", "mean", "coverage", "parameters", "documents_per_second", "seen")
_SCORES = ("model", "task", "metric", "value", "low", "high", "rank", "tied", "chance_level")


def computed_boards(evidence: Evidence) -> Section:
    """The leaderboards of computed runs.

    Parameters
    ----------
    evidence : Evidence
        What there is.

    Returns
    -------
    Section
        A sentence where there is no run.
    """
    found = boards_of(evidence.computed)
    blocks: list[Block] = [
        Paragraph(f"A run is left out: {problem}", "unusable") for problem in evidence.damaged
    ]
    for place, board in enumerate(found, start=1):
        blocks += _board(board, f"board-{place}", evidence.leaderboard_command)
    if not found:
        blocks.append(Paragraph("No run was given; `shelf evaluate` makes some.", "absent"))
    return Section("leaderboards", "Leaderboards", tuple(blocks))


def reported_boards(evidence: Evidence) -> Section:
    """The leaderboards of reported scores, apart from what was computed.

    Parameters
    ----------
    evidence : Evidence
        What there is.

    Returns
    -------
    Section
        A sentence where there are none.
    """
    found = boards_of(evidence.reported)
    blocks: list[Block] = []
    if found:
        blocks.append(
            Paragraph(
                "These scores were not computed here and never enter a mean with those that were. "
                "They have no items, so there is no interval, no tie and no rank interval for them."
            )
        )
    else:
        blocks.append(Paragraph("No reported scores are shown.", "absent"))
    for board in found:
        blocks += _board(board, f"reported-{board.config}", partial(command_line, "leaderboard"))
    return Section("reported", "Reported scores", tuple(blocks))


def boards_of(runs: Sequence[Run]) -> list[Board]:
    """The boards of some runs, in the order of the leaderboard; none without a score."""
    found = [board_of(group) for group in comparable(runs)]
    return [board for board in found if board is not None]


def _board(board: Board, name: str, command: Callable[..., str]) -> Iterator[Block]:
    """Its blocks; `command` gives the leaderboard's command with some options."""
    yield Heading(board_name(board))
    if board.limit:
        yield Paragraph(
            f"Smoke run, not comparable: only {board.limit} documents of each split were used.",
            "warning",
        )
    yield Paragraph(f"{mean_note(board)} {legend([board])}", "note")
    yield _overview(board, Source(name, _overview_data(board), command("--format", "json")))
    missing = list(_missing(board))
    if missing:
        yield Paragraph("Scores that are missing, and why:", "note")
        yield Listing(tuple(missing))
    for facet in dict.fromkeys(task.facet for task in board.tasks):
        tasks = [task for task in board.tasks if task.facet == facet]
        scored = [(task, _by_score(board, task)) for task in tasks]
        own = command("--facet", facet, "--format", "csv")
        source = Source(f"{name}-{facet}", _scores_data(board, scored), own)
        yield _figure(board, facet, scored, source)
        yield _scores(board, facet, tasks, source)


def board_name(board: Board) -> str:
    """The board in a heading; who reported its scores is said elsewhere."""
    return f"{board.config}, reported" if board.reported else title(board)


def _overview(board: Board, source: Source) -> Table:
    columns = [(name, of) for name, of in _FACTS if any(of(row) != "–" for row in board.rows)]
    return Table(
        caption=f"{counted(len(board.rows), 'model')} on {counted(len(board.tasks), 'task')}",
        header=("model", *(name for name, _ in columns), "tasks"),
        rows=tuple(
            (row.name, *(of(row) for _, of in columns), f"{row.coverage} of {len(board.tasks)}")
            for row in board.rows
        ),
        source=source,
    )


def _overview_data(board: Board) -> bytes:
    rows = (
        (row.name, *(getattr(row, attribute) for attribute in _OVERVIEW[1:])) for row in board.rows
    )
    return csv_data(_OVERVIEW, rows)


def _scores(board: Board, facet: str, tasks: Sequence[Task], source: Source) -> Table:
    """Tables go facet by facet: one of all tasks fits neither paper nor a telephone."""
    rows = [
        (row.name, *(score_text(row.cells[task.id], " ") for task in tasks)) for row in board.rows
    ]
    chance = ("chance, measured", *(chance_text(board, task.id) for task in tasks))
    return Table(
        caption=f"Facet {facet}, models in the order of the board",
        header=("model", *map(_heading, tasks)),
        rows=(*rows, *([] if board.reported else [chance])),
        source=source,
    )


_Scored: TypeAlias = tuple[Task, list[tuple[str, Cell]]]
"""A task with its models' scores, best first."""

_FACTS: tuple[tuple[str, Callable[[ModelRow], str]], ...] = (
    ("mean", lambda row: number(row.mean)),
    ("parameters", lambda row: "–" if row.parameters is None else rounded(row.parameters)),
    ("docs/s", rate_text),
    ("seen?", lambda row: MARKS[row.seen]),
)


def _heading(task: Task) -> str:
    control = ", control" if task.control else ""
    return f"{task.id} ({metric_name(task.primary_metric)}{control})"


def _missing(board: Board) -> Iterator[str]:
    for row in board.rows:
        by_reason: dict[str, list[str]] = {}
        for task in board.tasks:
            if row.cells[task.id].value is None:
                reason = row.cells[task.id].reason or "no score"
                by_reason.setdefault(reason, []).append(task.id)
        for reason, tasks in by_reason.items():
            yield f"{row.name}: {listed(tasks)}: {reason}"


def _figure(board: Board, facet: str, scored: Sequence[_Scored], source: Source) -> Figure:
    return Figure(
        caption=_caption(board, facet, max(len(cells) for _, cells in scored)),
        pictures=tuple(_picture(board, task, cells) for task, cells in scored),
        source=source,
    )


def _scores_data(board: Board, scored: Sequence[_Scored]) -> bytes:
    rows = [
        (
            model,
            task.id,
            task.primary_metric,
            cell.value,
            cell.low,
            cell.high,
            cell.rank,
            None if cell.rank is None else cell.tied,
            board.chance[task.id],
        )
        for task, cells in scored
        for model, cell in cells
    ]
    return csv_data(_SCORES, rows)


def _by_score(board: Board, task: Task) -> list[tuple[str, Cell]]:
    cells = [(row.name, row.cells[task.id]) for row in board.rows]
    known = [(name, cell) for name, cell in cells if cell.value is not None]
    return sorted(known, key=lambda pair: (-(pair[1].value or 0.0), pair[0]))


def _caption(board: Board, facet: str, most: int) -> str:
    what = f"Facet {facet}, best first. "
    cut = (
        f" Only the first {_MOST_ROWS} models are drawn; the data has all."
        if most > _MOST_ROWS
        else ""
    )
    if board.reported:
        return f"{what}Reported scores: dots without intervals.{cut}"
    return (
        f"{what}Dots are scores, whiskers 95 % intervals. A filled dot has rank 1: no model's "
        f"interval lies wholly above its own. The dashed line is chance, measured.{cut}"
    )


def _picture(board: Board, task: Task, cells: Sequence[tuple[str, Cell]]) -> Picture:
    chance = board.chance[task.id]
    control = ", control" if task.control else ""
    rows = [
        DotRow(name, (Dot(cell.value or 0.0, cell.low, cell.high, filled=cell.rank == 1),))
        for name, cell in cells[:_MOST_ROWS]
    ]
    return dots(
        f"{task.id}{control}",
        _alternative(task, cells, chance),
        rows,
        x=metric_name(task.primary_metric),
        line=chance,
        line_name="chance, measured",
    )


def _alternative(task: Task, cells: Sequence[tuple[str, Cell]], chance: float | None) -> str:
    (first, best), (last, worst) = cells[0], cells[-1]
    told = [name for name, cell in cells if cell.rank == 1]
    parts = [
        f"{task.id}, {metric_name(task.primary_metric)}, {counted(len(cells), 'model')}",
        f"best {first} with {estimate(best.value, best.low, best.high)}",
    ]
    if len(cells) > 1:
        parts.append(f"last {last} with {estimate(worst.value, worst.low, worst.high)}")
    if len(told) > 1:
        parts.append(f"rank 1 is shared by {listed(told, 6)}")
    if chance is not None:
        parts.append(f"chance is {number(chance)}")
    return "; ".join(parts) + "."
