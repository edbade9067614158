"""A board as a table for the terminal, Markdown, CSV or JSON."""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from evaluate_shelf.leaderboard.boards import Board, Cell, ModelRow


def title(board: Board) -> str:
    """What the board compares, in one line."""
    smoke = f"; SMOKE RUN of {board.limit} documents a split, comparable with nothing else"
    return (
        f"{board.config}, release {board.release_id}, protocol {board.protocol}"
        f"{smoke if board.limit else ''}"
    )


def explanation(board: Board) -> str:
    """How to read the numbers."""
    mean = (
        f"Mean: over the {len(board.shared)} of {len(board.tasks)} tasks that every model has."
        if board.shared
        else "No mean: there is no task that every model has and that is no control."
    )
    controls = (
        " A control is a task at or near chance by nature; it is in no mean."
        if any(task.control for task in board.tasks)
        else ""
    )
    return (
        f"{mean} In brackets 95 % intervals. # is the rank: one more than the number of models "
        "whose interval lies wholly above; = marks a rank that several models share. Models whose "
        "intervals overlap cannot be told apart. Chance is measured, with shuffled labels; docs/s "
        f"is the rate of encoding on the machine that a run names.{controls}"
    )


def as_table(board: Board, width: int | None = None) -> str:
    """The board for a terminal, `width` characters wide."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title(board)), caption=Text(explanation(board)), show_lines=True)
    for column in _header(board):
        table.add_column(Text(_broken(column)), overflow="fold")
    for row in _cells(board, "\n"):
        table.add_row(*(Text(cell) for cell in row))
    stream = io.StringIO()
    columns = width or max(100, shutil.get_terminal_size((140, 40)).columns)
    Console(file=stream, width=columns, color_system=None).print(table)
    return stream.getvalue()


def as_markdown(board: Board) -> str:
    """The board as a Markdown table."""
    header = _header(board)
    lines = [f"**{title(board)}**", "", _pipes(header), _pipes(["---"] * len(header))]
    lines.extend(_pipes([cell.replace("|", "\\|") for cell in row]) for row in _cells(board, " "))
    return "\n".join([*lines, "", explanation(board), ""])


def as_csv(boards: Sequence[Board]) -> str:
    """All boards in long form: a line a model and task.

    A text that a spreadsheet would take for a formula is put behind an apostrophe.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(_CSV_COLUMNS)
    for board in boards:
        for row in board.rows:
            for task in board.tasks:
                cell = row.cells[task.id]
                line = [
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
                ]
                writer.writerow([_harmless(value) for value in line])
    return stream.getvalue()


def as_values(board: Board) -> dict[str, Any]:
    """The board as plain values, for JSON."""
    return {
        "config": board.config,
        "release_id": board.release_id,
        "protocol": board.protocol,
        "limit": board.limit,
        "comparable": board.limit is None,
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
)


def score_text(cell: Cell, gap: str) -> str:
    """A score with its rank and interval; a dash where there is none."""
    if cell.value is None:
        return "–"
    rank = f"#{cell.rank}{'=' if cell.tied else ''}"
    interval = "" if cell.low is None else f"{gap}[{cell.low:.3f}, {cell.high:.3f}]"
    return f"{cell.value:.3f} {rank}{interval}"


def _header(board: Board) -> list[str]:
    tasks = [
        f"{task.id} ({task.primary_metric}){' control' if task.control else ''}"
        for task in board.tasks
    ]
    return ["model", "mean", "tasks", "docs/s", *tasks]


def _broken(name: str, width: int = 18) -> str:
    """A long task id over several lines, broken behind underscores."""
    lines = [""]
    for part in re.split(r"(?<=_)|(?= \()", name):
        if len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.strip() for line in lines if line)


def _cells(board: Board, gap: str) -> list[list[str]]:
    rows = [_row_cells(row, board, gap) for row in board.rows]
    levels = [board.chance[task.id] for task in board.tasks]
    chance = ["–" if level is None else f"{level:.3f}" for level in levels]
    return [*rows, ["chance", "", "", "", *chance]]


def _row_cells(row: ModelRow, board: Board, gap: str) -> list[str]:
    mean = "–" if row.mean is None else f"{row.mean:.3f}"
    scores = [score_text(row.cells[task.id], gap) for task in board.tasks]
    return [row.name, mean, f"{row.coverage} of {len(board.tasks)}", rate_text(row), *scores]


def rate_text(row: ModelRow) -> str:
    """Documents a second in three digits; a dash where they were not measured."""
    rate = row.documents_per_second
    return "–" if rate is None else f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def _pipes(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _harmless(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value
