"""Boards for a terminal: tables that fit its width, and the legend once."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evaluate_shelf.leaderboard.boards import Board
from evaluate_shelf.leaderboard.forms import (
    FACTS,
    chance_text,
    facts,
    legend,
    mean_note,
    score_text,
    task_heading,
    title,
)
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.text_columns import terminal_width

_LONGEST_NAME = 32
_LONGEST_HEADING = 18
_NARROWEST = 60
# A column's padding and the line between it and the next.
_BETWEEN = 3


class _Table(NamedTuple):
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def for_terminal(boards: Sequence[Board], width: int | None = None) -> str:
    """Boards as tables for a terminal.

    A board whose tasks do not fit beside each other becomes several tables with the same rows:
    means and coverage first, then the scores facet by facet.

    Parameters
    ----------
    boards : sequence of Board
        In the order that they are shown in.
    width : int, default=None
        In characters; the terminal's without it. At least 60.

    Returns
    -------
    str
        Lines of text; the legend comes last.
    """
    columns = max(_NARROWEST, width or terminal_width(140))
    parts = [part for board in boards for part in _of_board(board, columns)]
    return "\n".join([*parts, _wrapped(legend(boards), columns)])


def _of_board(board: Board, width: int) -> Iterator[str]:
    whole = _facts_and_scores(board)
    if _width_of(whole) <= width:
        yield _drawn(whole, width)
    else:
        yield _drawn(_facts(board), width)
        for facet in dict.fromkeys(task.facet for task in board.tasks):
            tasks = [task for task in board.tasks if task.facet == facet]
            for some in _that_fit(board, tasks, width):
                yield _drawn(_scores(board, some, facet), width)
    yield _wrapped(mean_note(board), width)


def _that_fit(board: Board, tasks: Sequence[Task], width: int) -> Iterator[list[Task]]:
    """The tasks in as few lists as fit the width, at least one in each."""
    some: list[Task] = []
    for task in tasks:
        if some and _width_of(_scores(board, [*some, task], "")) > width:
            yield some
            some = []
        some.append(task)
    yield some


def _facts_and_scores(board: Board) -> _Table:
    of_models, scores = _facts(board), _scores(board, board.tasks, "")
    chance = ["chance", *("" for _ in FACTS[1:])]
    rows = [
        [*of_model, *cells[1:]]
        for of_model, cells in zip([*of_models.rows, chance], scores.rows, strict=True)
    ]
    return _Table(of_models.title, [*of_models.header, *scores.header[1:]], rows)


def _facts(board: Board) -> _Table:
    return _Table(title(board), FACTS, [facts(row, board) for row in board.rows])


def _scores(board: Board, tasks: Sequence[Task], caption: str) -> _Table:
    rows = [
        [row.name, *(score_text(row.cells[task.id], "\n") for task in tasks)] for row in board.rows
    ]
    chance = ["chance", *(chance_text(board, task.id) for task in tasks)]
    header = ["model", *(broken_heading(task_heading(task)) for task in tasks)]
    return _Table(caption, header, [*rows, chance])


def broken_heading(heading: str) -> str:
    """A heading over several lines: a long id is broken behind underscores, and nothing else is.

    Examples
    --------
    >>> broken_heading("same_register_pairs (auc_roc) control").splitlines()
    ['same_register_', 'pairs', '(auc_roc)', 'control']
    """
    identity, *others = heading.split(" ")
    lines = [""]
    for part in re.split(r"(?<=_)", identity):
        if len(lines[-1]) + len(part) > _LONGEST_HEADING:
            lines.append("")
        lines[-1] += part
    return "\n".join([*(line for line in lines if line), *others])


def _width_of(table: _Table) -> int:
    columns = zip(table.header, *table.rows, strict=True)
    name, *others = [_longest_line(cells) for cells in columns]
    widths = [min(name, _LONGEST_NAME), *others]
    return sum(widths) + _BETWEEN * len(widths) + 1


def _longest_line(cells: Sequence[str]) -> int:
    from rich.cells import cell_len

    return max(cell_len(line) for cell in cells for line in cell.split("\n"))


def _drawn(table: _Table, width: int) -> str:
    from rich.table import Table
    from rich.text import Text

    drawn = Table(show_lines=True)
    for column, heading in enumerate(table.header):
        # Only a model's name may be broken; `_that_fit` sees to it that the rest has room.
        drawn.add_column(Text(heading), overflow="fold", no_wrap=column > 0)
    for row in table.rows:
        drawn.add_row(*(Text(cell) for cell in row))
    # Above the table, not in it: rich would break it at the table's width.
    return _wrapped(table.title, width) + _printed(drawn, width)


def _wrapped(text: str, width: int) -> str:
    from rich.text import Text

    return _printed(Text(text), width)


def _printed(what: object, width: int) -> str:
    from rich.console import Console

    stream = io.StringIO()
    Console(file=stream, width=width, color_system=None).print(what)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())
