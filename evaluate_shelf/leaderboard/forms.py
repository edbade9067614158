"""A board as Markdown, CSV or JSON; for the terminal see `terminal_table`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from evaluate_shelf.contamination.seen import MARKS, MEANINGS
from evaluate_shelf.counts import counted
from evaluate_shelf.leaderboard.boards import Board, Cell, ModelRow
from evaluate_shelf.markdown_text import escaped
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.spreadsheets import csv_text


def title(board: Board) -> str:
    """What the board compares, in one line."""
    if board.reported:
        return f"{board.config}, REPORTED, not computed here: {board.reported}"
    on = f"{board.config}, release {board.release_id}, protocol {board.protocol}"
    if board.limit is None:
        return on
    documents = counted(board.limit, "document")
    return f"{on}; SMOKE RUN of {documents} a split, comparable with nothing else"


def mean_note(board: Board) -> str:
    """Which tasks the mean is over, and which models have one."""
    if not board.shared:
        if all(task.control or task.optional for task in board.tasks):
            return "No mean: every task here is a control or optional."
        return "No mean: these models have too few tasks in common."
    over = f"Mean: over {len(board.shared)} of {counted(len(board.tasks), 'task')}, which"
    have, models = sum(row.mean is not None for row in board.rows), len(board.rows)
    if have == models:
        return f"{over} every model has."
    verb = "has" if have == 1 else "have"
    return (
        f"{over} {have} of {counted(models, 'model')} {verb}; a model that lacks one of these has "
        "none."
    )


def legend(boards: Sequence[Board]) -> str:
    """How to read the numbers of boards, whatever they are."""
    tasks = [task for board in boards for task in board.tasks]
    controls = (
        " A control is a task at or near chance by nature; it is in no mean."
        if any(task.control for task in tasks)
        else ""
    )
    optional = (
        " Optional tasks are in no mean either." if any(task.optional for task in tasks) else ""
    )
    if all(board.reported for board in boards):
        return (
            "Reported scores have no items, so they have no intervals and no ranks: which of these "
            f"models can be told apart is not known.{controls}{optional} {_seen_legend(boards)}"
        )
    return (
        "In brackets 95 % intervals. # is the rank: one more than the number of models whose "
        "interval lies wholly above; = marks a rank that several models share. Models whose "
        "intervals overlap may differ all the same: `shelf compare` tests that. Chance is "
        "measured, with shuffled labels; docs/s is the rate of encoding on the machine that a run "
        f"names.{controls}{optional} {_seen_legend(boards)}"
    )


def _seen_legend(boards: Sequence[Board]) -> str:
    """What the marks that stand under "seen?" mean."""
    there = {row.seen for board in boards for row in board.rows}
    marks = "; ".join(f"{MARKS[seen]}: {MEANINGS[seen]}" for seen in MARKS if seen in there)
    return f"seen? says whether a model may have seen the documents in training. {marks}."


def as_markdown(board: Board) -> str:
    """The board as a Markdown table; nothing in a model's name is taken for markup."""
    header = [*FACTS, *(task_heading(task) for task in board.tasks)]
    lines = [f"**{escaped(title(board))}**", "", _pipes(header), _pipes(["---"] * len(header))]
    lines.extend(_pipes([escaped(name), *cells]) for name, *cells in _cells(board))
    return "\n".join([*lines, "", f"{mean_note(board)} {legend([board])}", ""])


def as_csv(boards: Sequence[Board]) -> str:
    """All boards in long form: a line a model and task.

    A text that a spreadsheet would take for a formula is put behind an apostrophe.
    """
    return csv_text(_CSV_COLUMNS, (line for board in boards for line in _csv_lines(board)))


def _csv_lines(board: Board) -> Iterator[list[Any]]:
    for row in board.rows:
        for task in board.tasks:
            cell = row.cells[task.id]
            yield [
                board.config,
                board.release_id,
                board.protocol,
                board.limit,
                row.name,
                row.kind,
                task.id,
                task.formulation,
                task.facet,
                task.primary_metric,
                cell.value,
                cell.low,
                cell.high,
                cell.rank,
                cell.tied,
                board.chance[task.id],
                row.documents_per_second,
                row.cut_share,
                row.money_usd,
                cell.reason,
                "reported" if board.reported else "computed",
                row.seen,
            ]


def as_values(board: Board) -> dict[str, Any]:
    """The board as plain values, for JSON."""
    return {
        "config": board.config,
        "release_id": board.release_id,
        "protocol": board.protocol,
        "limit": board.limit,
        "comparable": board.limit is None,
        "reported": board.reported,
        "mean_over": list(board.shared),
        "tasks": {
            task.id: {
                "formulation": task.formulation,
                "facet": task.facet,
                "metric": task.primary_metric,
                "chance_level": board.chance[task.id],
                "control": task.control,
            }
            for task in board.tasks
        },
        "rows": [asdict(row) for row in board.rows],
    }


_CSV_COLUMNS = (
    "config",
    "release_id",
    "protocol",
    "limit",
    "model",
    "kind",
    "task",
    "formulation",
    "facet",
    "metric",
    "value",
    "low",
    "high",
    "rank",
    "tied",
    "chance_level",
    "documents_per_second",
    "cut_share",
    "money_usd",
    "reason",
    "origin",
    "seen",
)


def score_text(cell: Cell, gap: str) -> str:
    """A score with its rank and interval; a dash where there is none."""
    if cell.value is None:
        return "–"
    rank = "" if cell.rank is None else f" #{cell.rank}{'=' if cell.tied else ''}"
    interval = "" if cell.low is None else f"{gap}[{cell.low:.3f}, {cell.high:.3f}]"
    return f"{cell.value:.3f}{rank}{interval}"


FACTS = ("model", "mean", "tasks", "docs/s", "seen?")
"""Headings of what a board says of a model besides its scores."""


def task_heading(task: Task) -> str:
    """A task with its metric, as the heading of a column."""
    return f"{task.id} ({task.primary_metric}){' control' if task.control else ''}"


def facts(row: ModelRow, board: Board) -> list[str]:
    """What stands under `FACTS`."""
    mean = "–" if row.mean is None else f"{row.mean:.3f}"
    coverage = f"{row.coverage} of {len(board.tasks)}"
    return [row.name, mean, coverage, rate_text(row), MARKS[row.seen]]


def chance_text(board: Board, task: str) -> str:
    """The measured chance level of a task; a dash where there is none."""
    level = board.chance[task]
    return "–" if level is None else f"{level:.3f}"


def _cells(board: Board) -> list[list[str]]:
    scores = [
        [*facts(row, board), *(score_text(row.cells[task.id], " ") for task in board.tasks)]
        for row in board.rows
    ]
    chance = ["chance", *("" for _ in FACTS[1:])]
    return [*scores, [*chance, *(chance_text(board, task.id) for task in board.tasks)]]


def rate_text(row: ModelRow) -> str:
    """Documents a second in three digits; a dash where they were not measured."""
    rate = row.documents_per_second
    return "–" if rate is None else f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def _pipes(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
