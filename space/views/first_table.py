"""The table that stands on the first page before any script runs, and without one."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from evaluate_shelf.aggregate.schema import RANKED, Aggregate, Board
from evaluate_shelf.aggregate.schema.boards import View
from evaluate_shelf.aggregate.schema.models import ModelEntry
from evaluate_shelf.aggregate.schema.rows import Cell, Row
from evaluate_shelf.aggregate.schema.tasks import TaskEntry

from .chance_words import chance_of
from .data_files import first_facet, mean_standings, mean_text
from .markup import breakable, capital, counted, interval, number, paragraph, rounded, spoken

_MOST_ROWS = 50


def first_table(aggregate: Aggregate) -> str:
    """The first board under the first facet; at most 50 models.

    Parameters
    ----------
    aggregate : Aggregate
        What is shown.
    """
    if not aggregate.boards:
        return (
            '<div class="notice nothing">'
            + paragraph("There are no scores yet. The command shelf evaluate makes a run.")
            + "</div>"
        )
    board = aggregate.boards[0]
    facet = first_facet(aggregate)
    view = next(
        (
            view
            for view in board.views
            if view.formulation is None and (view.facet or "all") == facet
        ),
        board.views[0],
    )
    return _table(aggregate, board, view)


def _table(aggregate: Aggregate, board: Board, view: View) -> str:
    known = {task.id: task for task in aggregate.tasks}
    metrics = {metric.id: metric.label for metric in aggregate.metrics}
    tasks = [known[board.tasks[n]] for n in view.tasks]
    with_mean = bool(view.mean_tasks) and len(tasks) > 1
    is_compared = mean_standings(board, view) is not None
    shown = [n for n in view.order if board.reported or board.rows[n].status in RANKED]
    head = "".join(_heading(task, metrics.get(task.metric, task.metric)) for task in tasks)
    made_of = escape(mean_text(aggregate, board, view) or "")
    mean = (
        f'<th scope="col" class="mean">Mean<span class="under">{made_of}</span></th>'
        if with_mean
        else ""
    )
    rows = "".join(
        _row(board.rows[n], aggregate.models[board.rows[n].model], view, n, with_mean, is_compared)
        for n in shown[:_MOST_ROWS]
    )
    chance = "".join(f"<td>{escape(chance_of(board, n))}</td>" for n in view.tasks)
    rest = (
        f" The first {_MOST_ROWS} of {counted(len(shown), 'model')}."
        if len(shown) > _MOST_ROWS
        else ""
    )
    columns = "".join(
        f'<col class="{name}">'
        for name in ("model", *(["mean"] if with_mean else []), *("task" for _ in tasks))
    )
    return (
        f"{''.join(paragraph(note, 'note') for note in board.notes)}"
        '<div class="scroller" role="region" aria-label="Scores" tabindex="0">'
        f'<table class="leaderboard"><caption><span>{escape(board.title)}.{rest}</span></caption>'
        f"<colgroup>{columns}</colgroup>"
        f'<thead><tr><th scope="col" class="model">Model</th>{mean}{head}</tr></thead>\n'
        f"<tbody>{rows}</tbody><tfoot><tr>"
        f'<th scope="row">Chance</th>{"<td></td>" if with_mean else ""}{chance}</tr></tfoot>'
        "</table></div>"
    )


def _heading(task: TaskEntry, metric: str) -> str:
    control = ' <span class="mark">control</span>' if task.control else ""
    return (
        f'<th scope="col" class="task"><span class="over">'
        f"{escape(capital(spoken(task.formulation)))}</span>"
        f"<code>{breakable(task.id)}</code>"
        f'<span class="under">{escape(metric)}</span>{control}</th>'
    )


def _row(
    row: Row, model: ModelEntry, view: View, position: int, with_mean: bool, is_compared: bool
) -> str:
    return f"<tr>{''.join(_cells(row, model, view, position, with_mean, is_compared))}</tr>\n"


def _cells(
    row: Row, model: ModelEntry, view: View, position: int, with_mean: bool, is_compared: bool
) -> Iterator[str]:
    size = "" if model.parameters is None else f", {rounded(model.parameters)}"
    flagged = ", flagged" if row.flagged else ""
    yield (
        f'<th scope="row"><a class="name" href="model.html?model={escape(model.key)}">'
        f"{escape(row.name)}</a>"
        f'<span class="facts">{escape(model.kind + size + flagged)}</span></th>'
    )
    if with_mean:
        places = row.mean_standing if is_compared else None
        yield (
            f'<td class="mean"><b>{number(view.means[position])}</b>'
            f"{f'<i>{escape(_place(*places))}</i>' if places else ''}</td>"
        )
    for task in view.tasks:
        yield _score(row.cells[task])


def _place(low: int, high: int, groups: str) -> str:
    place = f"#{low}" if low == high else f"#{low} to #{high}"
    return f"{place} {groups}".rstrip()


def _score(cell: Cell) -> str:
    if len(cell) == 1:
        return '<td class="score none">–</td>'
    value, low, high, rank, tied, groups, _ = cell
    place = "" if rank is None else f"#{rank}{'=' if tied else ''} {groups}".rstrip()
    small = interval(low, high)
    return (
        f'<td class="score"><b>{number(value)}</b><i>{escape(place)}</i>'
        f"{f'<small>{small}</small>' if small else ''}</td>"
    )
