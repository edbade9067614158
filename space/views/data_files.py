"""The data of the site: scripts that pages read, so that a page opened from a disk works too."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from evaluate_shelf.aggregate.schema import Aggregate, Board
from evaluate_shelf.aggregate.schema.boards import View
from evaluate_shelf.aggregate.schema.models import ModelEntry
from evaluate_shelf.aggregate.schema.pairs import ContestEntry
from evaluate_shelf.aggregate.schema.rows import Cell

from .chance_words import chance_of
from .corpus_words import corpus_name
from .markup import counted

DIGITS = 6
"""Decimals of a score on a page; Parquet has all of them."""

_FIRST_FACET = "subject"


def script_of(name: str, value: Any) -> str:
    r"""A value as a script that puts it where pages look for it.

    Parameters
    ----------
    name : str
        Of the part.
    value : object
        What JSON can say.

    Examples
    --------
    >>> print(script_of("a", ["</script>"]), end="")
    (globalThis.SHELF_DATA ??= {})["a"] = JSON.parse("[\"\u003c/script>\"]");
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    literal = json.dumps(text).replace("<", "\\u003c")
    return f"(globalThis.SHELF_DATA ??= {{}})[{json.dumps(name)}] = JSON.parse({literal});\n"


def catalogue_of(aggregate: Aggregate, detailed: Iterable[int]) -> dict[str, Any]:
    """What every page knows: boards, tasks, metrics, models.

    Parameters
    ----------
    aggregate : Aggregate
        What is shown.
    detailed : iterable of int
        Models that have a file of their own.
    """
    own = set(detailed)
    labels = board_labels(aggregate.boards)
    boards = _boards_of(aggregate)
    return {
        "made_with": aggregate.made_with,
        "tasks": [task.model_dump(mode="json") for task in aggregate.tasks],
        "metrics": [metric.model_dump(mode="json") for metric in aggregate.metrics],
        "models": [
            {**_model(model), "detailed": n in own, "boards": boards[n]}
            for n, model in enumerate(aggregate.models)
        ],
        "boards": [
            {**_board_facts(board, aggregate.boards), "label": label}
            for board, label in zip(aggregate.boards, labels, strict=True)
        ],
    }


def _boards_of(aggregate: Aggregate) -> list[list[int]]:
    """By model, the boards that it has a row on."""
    found: list[list[int]] = [[] for _ in aggregate.models]
    for number, board in enumerate(aggregate.boards):
        for model in dict.fromkeys(row.model for row in board.rows):
            found[model].append(number)
    return found


def first_facet(aggregate: Aggregate) -> str:
    """The facet that the first page opens with: the subject, or all where there is none."""
    if not aggregate.boards:
        return "all"
    known = {view.facet for view in aggregate.boards[0].views if view.formulation is None}
    return _FIRST_FACET if _FIRST_FACET in known else "all"


def board_labels(boards: Sequence[Board]) -> list[str]:
    """What boards are called in a choice: no two alike."""
    names = [_label(board) for board in boards]
    often = Counter(names)
    return [
        f"{name}, release {board.release_id[:8]} ({board.key})" if often[name] > 1 else name
        for name, board in zip(names, boards, strict=True)
    ]


def _label(board: Board) -> str:
    treated = "" if board.text == "full" or board.reported else f", text {board.text}"
    smoke = f", smoke run of {board.limit}" if board.limit else ""
    documents = corpus_name(board.config)
    if board.reported:
        return f"Reported: published scores, {documents}"
    return f"Computed here: {documents}, protocol {board.protocol_id}{treated}{smoke}"


def _model(model: ModelEntry) -> dict[str, Any]:
    return model.model_dump(mode="json", exclude={"spec", "dimension"}) | {
        "spec": model.spec if model.spec != model.name else None,
        "dimension": model.dimension,
    }


def parquet_name(board: Board) -> str:
    """Name of the file with all scores of a board."""
    return f"{board.key}.parquet"


def _board_facts(board: Board, boards: Sequence[Board]) -> dict[str, Any]:
    return {
        "key": board.key,
        "title": board.title,
        "config": board.config,
        "limit": board.limit,
        "level": board.level,
        "reported": board.reported,
        "release_name": board.release_name,
        "n_train": board.n_train,
        "n_test": board.n_test,
        "notes": list(board.notes),
        "reported_beside": _beside(board, boards),
        "parquet": parquet_name(board),
        "n_rows": len(board.rows),
    }


def _beside(board: Board, boards: Sequence[Board]) -> int | None:
    """The reported scores on the config of a computed board."""
    if board.reported is not None or board.limit or board.text != "full":
        return None
    for n, other in enumerate(boards):
        if other.reported is not None and other.config == board.config:
            return n
    return None


def board_data(aggregate: Aggregate, board: Board) -> dict[str, Any]:
    """The scores of a board by column, and its views."""
    position = {task.id: n for n, task in enumerate(aggregate.tasks)}
    machines = sorted({row.machine for row in board.rows if row.machine is not None})
    place = {machine: n for n, machine in enumerate(machines)}
    rows = board.rows
    return {
        "reasons": list(board.reasons),
        "machines": machines,
        "columns": [
            {
                "task": position[task],
                "chance": _short(board.chance[n]),
                "chance_low": _short(board.chance_low[n]),
                "chance_high": _short(board.chance_high[n]),
                "chance_text": chance_of(board, n),
                "unit": None if (unit := board.units[n]) is None else unit.model_dump(mode="json"),
                **_column([row.cells[n] for row in rows]),
            }
            for n, task in enumerate(board.tasks)
        ],
        "rows": {
            "model": [row.model for row in rows],
            "name": [row.name for row in rows],
            "status": [row.status for row in rows],
            "rate": [_six(row.documents_per_second) for row in rows],
            "rate_low": [_six(row.rate_low) for row in rows],
            "rate_high": [_six(row.rate_high) for row in rows],
            "machine": [None if row.machine is None else place[row.machine] for row in rows],
            "money": [_six(row.money_usd) for row in rows],
            "cut": [_short(row.cut_share) for row in rows],
            "seen": [row.seen for row in rows],
            "facts_from": [row.facts_from for row in rows],
            "not_compared": [row.not_compared for row in rows],
            "flagged": [row.flagged for row in rows],
        },
        "views": {
            f"{view.facet or ''}|{view.formulation or ''}": _view(aggregate, board, view)
            for view in board.views
        },
    }


def _column(cells: Sequence[Cell]) -> dict[str, list[Any]]:
    names = ("value", "low", "high", "rank", "tied", "group", "chances", "reason")
    found: dict[str, list[Any]] = {name: [] for name in names}
    for cell in cells:
        if len(cell) == 1:
            values: tuple[Any, ...] = (None, None, None, None, 0, "", None, cell[0])
        else:
            value, low, high, *rest, chance = cell
            values = (_short(value), _short(low), _short(high), *rest, _short(chance), None)
        for name, own in zip(names, values, strict=True):
            found[name].append(own)
    return found


def _view(aggregate: Aggregate, board: Board, view: View) -> dict[str, Any]:
    means = [_short(mean) for mean in view.means] if view.mean_tasks else None
    standings = mean_standings(board, view)
    return {
        "tasks": list(view.tasks),
        "mean_tasks": list(view.mean_tasks),
        "mean_text": mean_text(aggregate, board, view),
        "means": means,
        "mean_groups": [own and own[2] for own in standings] if standings else None,
        "mean_places": [own and own[:2] for own in standings] if standings else None,
        "order": list(view.order),
    }


def mean_text(aggregate: Aggregate, board: Board, view: View) -> str | None:
    """What the mean of a view is made of, in words; None where it has none.

    Of one metric: 'mean of 3 scores: 3 macro-F1'. The metrics are averaged as they are, each on
    its own scale.
    """
    if not view.mean_tasks:
        return None
    label = {metric.id: metric.label for metric in aggregate.metrics}
    metric_of = {task.id: task.metric for task in aggregate.tasks}
    metrics = [metric_of[board.tasks[n]] for n in view.mean_tasks]
    often = Counter(label.get(metric, metric) for metric in metrics)
    parts = ", ".join(f"{n} {name}" for name, n in often.most_common())
    return f"mean of {counted(len(metrics), 'score')}: {parts}"


def mean_standings(board: Board, view: View) -> list[tuple[int, int, str] | None] | None:
    """By row, the places of the mean and its letters; None where it was compared over others.

    The mean is compared once, over the tasks that the view of all has.
    """
    names = {board.tasks[n] for n in view.mean_tasks}
    if board.pairs.mean is None or names != set(board.pairs.mean_tasks):
        return None
    return [row.mean_standing for row in board.rows]


def pairs_data(board: Board) -> dict[str, Any]:
    """The paired differences of a board: rows, value, low, high, p, told apart."""
    pairs = board.pairs
    return {
        "why_not": pairs.why_not,
        "n_tests": pairs.n_tests,
        "tasks": [_contest(contest) for contest in pairs.tasks],
        "mean": None if pairs.mean is None else _contest(pairs.mean),
    }


def _contest(contest: ContestEntry) -> dict[str, Any]:
    return {
        "task": contest.task,
        "smallest": _short(contest.smallest),
        "differences": [
            [first, second, _short(value), _short(low), _short(high), _short(p), apart]
            for first, second, value, low, high, p, apart in contest.differences
        ],
    }


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def _six(value: float | None) -> float | None:
    """Six digits, whatever the size."""
    return None if value is None else float(f"{value:.6g}")
