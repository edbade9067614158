"""What quality costs: time, size and money, and the models that are worth it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from evaluate_shelf.counts import counted
from evaluate_shelf.leaderboard.boards import Board, ModelRow, board_of, comparable
from evaluate_shelf.registry.conditions import text_of
from evaluate_shelf.report.document import Block, Heading, Paragraph, Section, Table
from evaluate_shelf.report.evidence import Evidence, command_line, listed
from evaluate_shelf.report.figures.figure import Figure, Picture
from evaluate_shelf.report.figures.scatter import Point, rounded, scatter
from evaluate_shelf.report.frontier import frontier, steps
from evaluate_shelf.report.sections.boards import board_name
from evaluate_shelf.report.sections.numbers import number
from evaluate_shelf.report.source import Source, csv_data
from evaluate_shelf.runs.reading import Run


class _Cost(NamedTuple):
    """What is paid: its name, of a row, and whether more of it is cheaper."""

    key: str
    axis: str
    of: Callable[[ModelRow], float | None]
    more_is_cheaper: bool


_COSTS = (
    _Cost("rate", "documents a second", lambda row: row.documents_per_second, True),
    _Cost("parameters", "parameters", lambda row: row.parameters, False),
    _Cost("money", "US dollars for the run", lambda row: row.money_usd or None, False),
)


def costs(evidence: Evidence) -> Section:
    """Quality against documents a second, parameters and money.

    Parameters
    ----------
    evidence : Evidence
        What there is.

    Returns
    -------
    Section
        A sentence for each cost that cannot be drawn.
    """
    blocks: list[Block] = [
        Paragraph(
            "Quality is the mean of a board, over the same tasks for every model that has one. A "
            "filled dot with a name lies on the Pareto frontier: no model is both cheaper and "
            "better. Whether neighbours on it differ at all, their intervals say, not this figure."
        )
    ]
    place = 0
    for group in comparable((*evidence.computed, *evidence.reported)):
        board = board_of(group)
        if board is None or board.limit or text_of(group[0].file.protocol.id) != "full":
            continue
        place += 0 if board.reported else 1
        name = f"cost-reported-{board.config}" if board.reported else f"cost-{place}"
        command = (
            command_line("leaderboard", "--format", "json")
            if board.reported
            else evidence.leaderboard_command("--format", "json")
        )
        blocks += _of_board(board, group, name, command)
    if len(blocks) == 1:
        blocks = [
            Paragraph("No run was given whose quality could be set against a cost.", "absent")
        ]
    return Section("costs", "Costs", tuple(blocks))


def _of_board(board: Board, runs: Sequence[Run], name: str, command: str) -> Iterator[Block]:
    yield Heading(board_name(board))
    with_mean = [row for row in board.rows if row.mean is not None]
    if not with_mean:
        yield Paragraph("No model has a mean here, so there is no quality to compare.", "absent")
        return
    drawn: list[tuple[_Cost, list[ModelRow], list[int]]] = []
    absent: list[str] = []
    for cost in _COSTS:
        rows = [row for row in with_mean if cost.of(row) is not None]
        why_not = _why_not(cost, rows, runs)
        if why_not:
            absent.append(f"{cost.axis} ({why_not})")
        else:
            drawn.append((cost, rows, _best(cost, rows)))
    if absent:
        yield Paragraph(f"Not drawn: {'; '.join(absent)}.", "absent")
    if not drawn:
        return
    source = Source(name, _data(drawn), command)
    yield Figure(_caption(drawn, with_mean), tuple(_picture(*one) for one in drawn), source)
    for cost, rows, best in drawn:
        yield _table(cost, [rows[n] for n in best], source)


def _why_not(cost: _Cost, rows: Sequence[ModelRow], runs: Sequence[Run]) -> str | None:
    if not rows:
        return "not known of any model that has a mean"
    machines = {tuple(sorted(run.file.hardware.items())) for run in runs if run.file.rate}
    if cost.key == "rate" and len(machines) > 1:
        return (
            f"measured on {len(machines)} machines, so not to be drawn against each other; the "
            "leaderboard's table has them"
        )
    return None


def _cost_of(cost: _Cost, row: ModelRow) -> float:
    return float(cost.of(row) or 0.0)


def _best(cost: _Cost, rows: Sequence[ModelRow]) -> list[int]:
    sign = -1.0 if cost.more_is_cheaper else 1.0
    return frontier([(sign * _cost_of(cost, row), row.mean or 0.0) for row in rows])


def _caption(
    drawn: Sequence[tuple[_Cost, list[ModelRow], list[int]]], with_mean: Sequence[ModelRow]
) -> str:
    parts = ["Mean of the board against what a model costs; the line is the Pareto frontier."]
    for cost, rows, _ in drawn:
        without = [row.name for row in with_mean if row not in rows]
        if without:
            parts.append(f"Not in the picture of {cost.axis}, unknown: {listed(without)}.")
    return " ".join(parts)


def _picture(cost: _Cost, rows: Sequence[ModelRow], best: Sequence[int]) -> Picture:
    ordered = [*best, *(n for n in range(len(rows)) if n not in best)]
    points = [
        Point(
            _cost_of(cost, rows[n]),
            rows[n].mean or 0.0,
            rows[n].name if n in best else "",
            filled=n in best,
        )
        for n in ordered
    ]
    on_it = ", ".join(
        f"{rows[n].name} ({rounded(_cost_of(cost, rows[n]))}, {number(rows[n].mean)})" for n in best
    )
    corners = steps([(_cost_of(cost, rows[n]), rows[n].mean or 0.0) for n in best])
    return scatter(
        f"Quality against {cost.axis}",
        f"Mean score against {cost.axis} of {counted(len(rows), 'model')}. On the Pareto frontier, "
        f"cheapest first: {on_it}.",
        points,
        x=cost.axis,
        y="mean of the board",
        logarithmic=True,
        steps=corners,
    )


def _data(drawn: Sequence[tuple[_Cost, list[ModelRow], list[int]]]) -> bytes:
    rows = [
        (row.name, cost.key, cost.of(row), row.mean, n in best)
        for cost, own, best in drawn
        for n, row in enumerate(own)
    ]
    return csv_data(("model", "cost", "amount", "mean", "on_frontier"), rows)


def _table(cost: _Cost, rows: Sequence[ModelRow], source: Source) -> Table:
    return Table(
        caption=f"On the frontier of {cost.axis}, cheapest first",
        header=("model", cost.axis, "mean"),
        rows=tuple((row.name, rounded(_cost_of(cost, row)), number(row.mean)) for row in rows),
        source=source,
    )
