"""The scores of a board in long form, a row a model and task, in full precision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from evaluate_shelf.aggregate.schema import Aggregate, Board
from evaluate_shelf.aggregate.schema.models import ModelEntry
from evaluate_shelf.aggregate.schema.rows import Cell, Row
from evaluate_shelf.aggregate.schema.tasks import TaskEntry

CELLS_AT_A_TIME = 50_000
"""What is in memory in long form while a file is written."""


class _OfBoard(NamedTuple):
    name: str
    kind: pa.DataType
    of: Callable[[Board], object]


class _OfRow(NamedTuple):
    name: str
    kind: pa.DataType
    of: Callable[[Row, ModelEntry], object]


class _OfTask(NamedTuple):
    name: str
    kind: pa.DataType
    of: Callable[[TaskEntry], object]


class _OfCell(NamedTuple):
    name: str
    kind: pa.DataType
    of: Callable[[Cell, Board], object]


def _part(place: int) -> Callable[[Cell, Board], object]:
    def of(cell: Cell, board: Board) -> object:
        return None if len(cell) == 1 else cell[place]

    return of


def _tied(cell: Cell, board: Board) -> object:
    return None if len(cell) == 1 or cell[3] is None else bool(cell[4])


def _group(cell: Cell, board: Board) -> object:
    return None if len(cell) == 1 else cell[5] or None


def _reason(cell: Cell, board: Board) -> object:
    return board.reasons[cell[0]] if len(cell) == 1 else None


_TEXT, _WHOLE, _REAL, _YES = pa.string(), pa.int64(), pa.float64(), pa.bool_()
_COLUMNS: tuple[_OfBoard | _OfRow | _OfTask | _OfCell, ...] = (
    _OfBoard("config", _TEXT, lambda board: board.config),
    _OfBoard("release_id", _TEXT, lambda board: board.release_id),
    _OfBoard("release_name", _TEXT, lambda board: board.release_name),
    _OfBoard("n_test", _WHOLE, lambda board: board.n_test),
    _OfBoard("protocol", _TEXT, lambda board: board.protocol_id),
    _OfBoard("protocol_version", _WHOLE, lambda board: board.protocol_version),
    _OfBoard("limit", _WHOLE, lambda board: board.limit),
    _OfRow("model_key", _TEXT, lambda row, model: model.key),
    _OfRow("model", _TEXT, lambda row, model: row.name),
    _OfRow("kind", _TEXT, lambda row, model: model.kind),
    _OfRow("revision", _TEXT, lambda row, model: model.revision),
    _OfRow("parameters", _WHOLE, lambda row, model: model.parameters),
    _OfRow("status", _TEXT, lambda row, model: row.status),
    _OfBoard("reported_by", _TEXT, lambda board: board.reported),
    _OfTask("task", _TEXT, lambda task: task.id),
    _OfTask("formulation", _TEXT, lambda task: task.formulation),
    _OfTask("facet", _TEXT, lambda task: task.facet),
    _OfTask("metric", _TEXT, lambda task: task.metric),
    _OfTask("control", _YES, lambda task: task.control),
    _OfCell("value", _REAL, _part(0)),
    _OfCell("low", _REAL, _part(1)),
    _OfCell("high", _REAL, _part(2)),
    _OfCell("rank", _WHOLE, _part(3)),
    _OfCell("tied", _YES, _tied),
    _OfCell("group", _TEXT, _group),
    _OfCell("reason", _TEXT, _reason),
    _OfTask("chance_stated", _REAL, lambda task: task.chance),
    _OfCell("chance_measured", _REAL, _part(6)),
    _OfRow("documents_per_second", _REAL, lambda row, model: row.documents_per_second),
    _OfRow("machine", _TEXT, lambda row, model: row.machine),
    _OfRow("money_usd", _REAL, lambda row, model: row.money_usd),
    _OfRow("cut_share", _REAL, lambda row, model: row.cut_share),
    _OfRow("facts_from", _TEXT, lambda row, model: row.facts_from),
    _OfRow("seen", _TEXT, lambda row, model: row.seen),
)
SCHEMA = pa.schema([(column.name, column.kind) for column in _COLUMNS])
"""Of the file."""


def write_long(aggregate: Aggregate, board: Board, file: Path) -> None:
    """Write the scores of a board as Parquet, a part of the rows at a time.

    Parameters
    ----------
    aggregate : Aggregate
        What is shown.
    board : Board
        One of its boards.
    file : pathlib.Path
        Where to.
    """
    known = {task.id: task for task in aggregate.tasks}
    tasks = [known[name] for name in board.tasks]
    step = max(1, CELLS_AT_A_TIME // len(tasks))
    with pq.ParquetWriter(file, SCHEMA, compression="zstd") as writer:
        for start in range(0, len(board.rows), step):
            rows = board.rows[start : start + step]
            models = [aggregate.models[row.model] for row in rows]
            columns = [
                pa.array(_values(column, board, rows, models, tasks), column.kind)
                for column in _COLUMNS
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=SCHEMA))


def _values(
    column: _OfBoard | _OfRow | _OfTask | _OfCell,
    board: Board,
    rows: Sequence[Row],
    models: Sequence[ModelEntry],
    tasks: Sequence[TaskEntry],
) -> list[Any]:
    match column:
        case _OfBoard():
            return [column.of(board)] * (len(rows) * len(tasks))
        case _OfTask():
            return [column.of(task) for task in tasks] * len(rows)
        case _OfCell():
            return [column.of(cell, board) for row in rows for cell in row.cells]
        case _OfRow():
            return list(_repeated(column, rows, models, len(tasks)))


def _repeated(
    column: _OfRow, rows: Sequence[Row], models: Sequence[ModelEntry], times: int
) -> Iterator[object]:
    for row, model in zip(rows, models, strict=True):
        value = column.of(row, model)
        for _ in range(times):
            yield value
