"""A board as one HTML table. Every text is escaped: names of models come from strangers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from evaluate_shelf.contamination.seen import Seen
from evaluate_shelf.leaderboard.boards import Board, Cell, ModelRow
from evaluate_shelf.leaderboard.forms import mean_note, title
from evaluate_shelf.registry.tasks import Task

_METRICS = {
    "macro_f1": "macro-F1",
    "ndcg_at_10": "nDCG@10",
    "ari": "ARI",
    "ari_pooled": "pooled ARI",
    "auc_roc": "ROC AUC",
}
_SPOKEN = {"multilabel_classification": "multi-label classification"}
_SEEN: dict[Seen, str] = {
    "out of sample by date": "out of sample by date",
    "may have seen": "may have seen the documents",
    "unknown": "unknown whether it has seen the documents",
    "in pretraining data": "documents are in pretraining data",
    "no pretraining": "no pretraining",
}
_CONTROL = "A control: at or near chance by nature, and kept out of every mean."


def spoken(name: str) -> str:
    """A facet or formulation as it is said.

    Examples
    --------
    >>> spoken("pair_classification")
    'pair classification'
    """
    return _SPOKEN.get(name, name.replace("_", " "))


def board_html(board: Board) -> str:
    """A board: the table in a box that scrolls, and the notes below it.

    The table carries what `sort.js` needs: `data-column` on a heading, `data-value` on a cell.

    Parameters
    ----------
    board : Board
        The board, filtered or whole.

    Returns
    -------
    str
        HTML without scripts and without event attributes.
    """
    return (
        f'<section class="board">{_smoke(board)}'
        '<div class="scroller" role="region" aria-label="Scores" tabindex="0"><table>'
        f"<caption><span>{escape(title(board))}</span></caption>"
        f"{_columns(board)}{_head(board)}{_body(board)}{_foot(board)}"
        f"</table></div>{_mean_note(board)}{_missing_note(board)}</section>"
    )


def nothing_html(facet: str | None, formulation: str | None) -> str:
    """What is said where a filter leaves no task.

    Examples
    --------
    >>> print(nothing_html("form", "clustering"))
    <p class="nothing">No scores here: this board has no task of the facet form in the formulation \
clustering. Choose another facet or formulation.</p>
    """
    asked = " in the ".join(
        f"{kind} {escape(spoken(name))}"
        for kind, name in (("facet", facet), ("formulation", formulation))
        if name
    )
    return (
        f'<p class="nothing">No scores here: this board has no task of the {asked}. '
        "Choose another facet or formulation.</p>"
    )


def _smoke(board: Board) -> str:
    if not board.limit:
        return ""
    return (
        '<p class="smoke"><strong>Smoke run, not comparable.</strong> '
        f"Only {board.limit} documents of each split were used; "
        "these scores show that the models run, and nothing else.</p>"
    )


def _has_mean(board: Board) -> bool:
    # The mean of a board of one task would repeat that task.
    return bool(board.shared) and len(board.tasks) > 1


def _grouped(board: Board) -> list[tuple[str, int]]:
    """Formulations in the order of the columns, each with its number of tasks."""
    groups = groupby(board.tasks, key=lambda task: task.formulation)
    return [(name, len(list(tasks))) for name, tasks in groups]


def _firsts(board: Board) -> set[str]:
    """The first task of each formulation, before which a line is drawn."""
    groups = groupby(board.tasks, key=lambda task: task.formulation)
    return {next(tasks).id for _, tasks in groups}


def _columns(board: Board) -> str:
    spans = [2 + _has_mean(board), *(count for _, count in _grouped(board))]
    return "".join(f'<colgroup span="{span}"></colgroup>' for span in spans)


def _head(board: Board) -> str:
    names = [("model", "Model"), *([("mean", "Mean")] if _has_mean(board) else [])]
    plain = [*names, ("coverage", "Tasks")]
    # The rows come in this order; the reader is told by which column.
    first = 1 if _has_mean(board) else len(plain)
    upper = "".join(
        _heading(kind, escape(name), column, column == first, ' rowspan="2"')
        for column, (kind, name) in enumerate(plain)
    )
    groups = "".join(
        f'<th scope="colgroup" colspan="{count}" class="first">'
        f"{escape(spoken(name).capitalize())}</th>"
        for name, count in _grouped(board)
    )
    lower = "".join(
        _heading("task", _task_name(task), column, column == first)
        for column, task in enumerate(board.tasks, start=len(plain))
    )
    return f"<thead><tr>{upper}{groups}</tr><tr>{lower}</tr></thead>"


def _heading(kind: str, name: str, column: int, sorted_by: bool, span: str = "") -> str:
    order = ' aria-sort="descending"' if sorted_by else ""
    return (
        f'<th scope="col" class="{kind}" data-column="{column}"{span}{order}>'
        f'<button type="button">{name}</button></th>'
    )


def _task_name(task: Task) -> str:
    control = f'<span class="control" title="{_CONTROL}">control</span>' if task.control else ""
    identity = escape(task.id).replace("_", "_<wbr>")
    metric = escape(_METRICS.get(task.primary_metric, task.primary_metric))
    return (
        f'<span class="facet">{escape(spoken(task.facet))}</span>{control}'
        f"<code>{identity}</code>"
        f'<span class="metric">{metric}</span>'
    )


def _body(board: Board) -> str:
    rows = "".join(f"<tr>{''.join(_row(row, board))}</tr>" for row in board.rows)
    return f"<tbody>{rows}</tbody>"


def _row(row: ModelRow, board: Board) -> Iterator[str]:
    yield (
        f'<th scope="row"><span class="name">{escape(row.name)}</span>'
        f'<span class="facts">{escape(_facts(row))}</span></th>'
    )
    if _has_mean(board):
        yield f'<td class="mean"{_value(row.mean)}>{_number(row.mean)}</td>'
    yield f"<td{_value(row.coverage)}>{row.coverage} of {len(board.tasks)}</td>"
    for task in board.tasks:
        yield _score(row.cells[task.id], task, task.id in _firsts(board))


def _facts(row: ModelRow) -> str:
    facts = [row.kind]
    if row.parameters is not None:
        facts.append(f"{_rounded(row.parameters)} parameters".replace(" ", "\u00a0", 1))
    return ", ".join([*facts, _SEEN[row.seen]])


def _rounded(count: int) -> str:
    """A count in thousands, millions or billions.

    Examples
    --------
    >>> [_rounded(count) for count in (950, 8_192_000, 7_600_000_000)]
    ['950', '8.2 M', '7.6 B']
    """
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.1f} {letter}"
    return str(count)


def _score(cell: Cell, task: Task, first: bool) -> str:
    best = cell.rank == 1 and not task.control
    marks = (("first", first), ("control", task.control), ("best", best))
    names = " ".join(name for name, holds in marks if holds)
    if cell.value is None:
        reason = escape(cell.reason or "no score")
        return f'<td class="{names}"><span title="{reason}">–</span></td>'
    # A reported score has none.
    rank = "" if cell.rank is None else f"#{cell.rank}{'=' if cell.tied else ''}"
    return (
        f'<td class="{names}"{_value(cell.value)}><span class="score">{_number(cell.value)}</span>'
        f' <span class="rank">{rank}</span>{_interval(cell)}</td>'
    )


def _interval(cell: Cell) -> str:
    if cell.low is None or cell.high is None:
        return ""
    return f' <span class="interval">[{_number(cell.low)}, {_number(cell.high)}]</span>'


def _number(value: float | None) -> str:
    """Three decimals, with a true minus sign.

    Examples
    --------
    >>> _number(-0.0084), _number(None)
    ('−0.008', '–')
    """
    return "–" if value is None else f"{value:.3f}".replace("-", "−")


def _value(value: float | None) -> str:
    return "" if value is None else f' data-value="{value!r}"'


def _foot(board: Board) -> str:
    empty = "<td></td>" * (1 + _has_mean(board))
    firsts = _firsts(board)
    # The empty rank keeps the level below the scores.
    levels = "".join(
        f'<td class="{"first" if task.id in firsts else ""}">{_number(board.chance[task.id])}'
        ' <span class="rank"></span></td>'
        for task in board.tasks
    )
    return f'<tfoot><tr><th scope="row">Chance</th>{empty}{levels}</tr></tfoot>'


def _mean_note(board: Board) -> str:
    if len(board.tasks) == 1:
        return ""
    names = ", ".join(f"<code>{escape(name)}</code>" for name in board.shared)
    return f'<p class="note">{escape(mean_note(board))}{" The tasks: " if names else ""}{names}</p>'


def _missing_note(board: Board) -> str:
    missing = list(_missing(board.rows, board.tasks))
    if not missing:
        return ""
    count = "1 score is" if len(missing) == 1 else f"{len(missing)} scores are"
    return (
        f'<details class="note"><summary>{count} missing: the reasons</summary>'
        f"<ul>{''.join(missing)}</ul></details>"
    )


def _missing(rows: Sequence[ModelRow], tasks: Sequence[Task]) -> Iterator[str]:
    for row in rows:
        for task in tasks:
            cell = row.cells[task.id]
            if cell.value is None:
                yield (
                    f"<li>{escape(row.name)}, <code>{escape(task.id)}</code>: "
                    f"{escape(cell.reason or 'no score')}</li>"
                )
