"""The data of the site: scripts that pages read, so that a page opened from a disk works too."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from evaluate_shelf.aggregate.schema import Aggregate, Board, Cell, ContestEntry, ModelEntry, View

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
        "first_facet": first_facet(aggregate),
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
    protocol = "" if board.reported else f", {board.protocol_id}"
    return f"{board.config}{protocol}{treated}{smoke}"


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
        },
        "views": {
            f"{view.facet or ''}|{view.formulation or ''}": _view(board, view)
            for view in board.views
        },
    }


def _column(cells: Sequence[Cell]) -> dict[str, list[Any]]:
    names = ("value", "low", "high", "rank", "tied", "group", "reason")
    found: dict[str, list[Any]] = {name: [] for name in names}
    for cell in cells:
        if len(cell) == 1:
            values: tuple[Any, ...] = (None, None, None, None, 0, "", cell[0])
        else:
            value, low, high, *rest = cell
            values = (_short(value), _short(low), _short(high), *rest, None)
        for name, own in zip(names, values, strict=True):
            found[name].append(own)
    return found


def _view(board: Board, view: View) -> dict[str, Any]:
    means = [_short(mean) for mean in view.means] if view.mean_tasks else None
    return {
        "tasks": list(view.tasks),
        "mean_tasks": list(view.mean_tasks),
        "means": means,
        "mean_groups": _mean_groups(board, view),
        "order": list(view.order),
    }


def _mean_groups(board: Board, view: View) -> list[str | None] | None:
    """Letters of the mean, where it was compared over the same tasks."""
    compared = board.pairs.mean
    names = [board.tasks[n] for n in view.mean_tasks]
    if compared is None or set(names) != set(board.pairs.mean_tasks):
        return None
    letters = {row: groups for row, _, _, groups in compared.places}
    return [letters.get(n) for n in range(len(board.rows))]


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


def long_rows(aggregate: Aggregate, board: Board) -> Iterator[dict[str, Any]]:
    """The scores of a board in long form, a row a model and task, in full precision.

    Yields
    ------
    dict
        The columns of the Parquet file.
    """
    known = {task.id: task for task in aggregate.tasks}
    for row in board.rows:
        model = aggregate.models[row.model]
        for n, name in enumerate(board.tasks):
            task = known[name]
            yield {
                "config": board.config,
                "release_id": board.release_id,
                "protocol": board.protocol_id,
                "protocol_version": board.protocol_version,
                "limit": board.limit,
                "model_key": model.key,
                "model": row.name,
                "kind": model.kind,
                "revision": model.revision,
                "parameters": model.parameters,
                "status": row.status,
                "reported_by": board.reported,
                "task": task.id,
                "formulation": task.formulation,
                "facet": task.facet,
                "metric": task.metric,
                "control": task.control,
                **_long_cell(row.cells[n], board),
                "chance": board.chance[n],
                "documents_per_second": row.documents_per_second,
                "machine": row.machine,
                "money_usd": row.money_usd,
                "cut_share": row.cut_share,
                "seen": row.seen,
            }


def _long_cell(cell: Cell, board: Board) -> dict[str, Any]:
    if len(cell) == 1:
        none = dict.fromkeys(("value", "low", "high", "rank", "tied", "group"))
        return {**none, "reason": board.reasons[cell[0]]}
    value, low, high, rank, tied, group = cell
    shared = None if rank is None else bool(tied)
    return {
        "value": value,
        "low": low,
        "high": high,
        "rank": rank,
        "tied": shared,
        "group": group or None,
        "reason": None,
    }
