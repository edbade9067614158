"""The boards of an aggregate."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from evaluate_shelf.aggregate.board_size import notes_of, size_of, title_of
from evaluate_shelf.aggregate.cards import cards_of_board
from evaluate_shelf.aggregate.confusions import confusions_of
from evaluate_shelf.aggregate.evidence import Evidence
from evaluate_shelf.aggregate.models import Models, models_of
from evaluate_shelf.aggregate.pairs import compared, groups_of, mean_standings, why_not_compared
from evaluate_shelf.aggregate.schema import Board, Status
from evaluate_shelf.aggregate.schema.boards import Unit, View
from evaluate_shelf.aggregate.schema.cards import Cards
from evaluate_shelf.aggregate.schema.confusions import Confusions
from evaluate_shelf.aggregate.schema.pairs import Pairs
from evaluate_shelf.aggregate.schema.rows import Cell, Row
from evaluate_shelf.aggregate.schema.strata import Strata
from evaluate_shelf.aggregate.strata import strata_of
from evaluate_shelf.aggregate.tables import Table, ranks, table_of
from evaluate_shelf.aggregate.views import first_order, first_view, views_of
from evaluate_shelf.bounded import one_line
from evaluate_shelf.contamination.runs import seen_by
from evaluate_shelf.contamination.seen import Seen
from evaluate_shelf.registry.conditions import text_of
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.runs.reading import Run


def board_entry(runs: Sequence[Run], evidence: Evidence, models: Models) -> Board | None:
    """The board of runs that can be compared; None where no task of theirs is known.

    Parameters
    ----------
    runs : sequence of Run
        One group of `leaderboard.boards.comparable`.
    evidence : Evidence
        Who stands for the runs, and the releases that they were scored on.
    models : Models
        Where each model stands.

    Returns
    -------
    Board or None
        Scores, means and order are those of `leaderboard.boards.board_of` over the runs that are
        not unverified. Optional tasks are columns too, and in the views of their facet and
        formulation.
    """
    unordered = table_of(runs, evidence.status_of)
    if unordered is None:
        return None
    table = unordered.taken(first_order(unordered))
    release = None if table.reported else evidence.release_of(table.runs[0])
    found = compared(table, release)
    return _board(
        table,
        evidence,
        models,
        views_of(table),
        found.pairs,
        confusions_of(table, release),
        strata_of(table, release),
        cards_of_board(table, found.of_the_whole_panel),
    )


def check_can_be_shown(run: Run, evidence: Evidence) -> None:
    """Refuse a run that says of itself what no board holds: strangers' runs may say anything.

    Raises
    ------
    pydantic.ValidationError
        If a number is none or beyond its bounds.
    """
    models = models_of([run], evidence)
    table = table_of([run], evidence.status_of)
    if table is not None:
        nothing = "not asked"
        _board(
            table,
            evidence,
            models,
            (first_view(table),),
            Pairs(why_not=nothing),
            Confusions(why_not=nothing),
            Strata(why_not=nothing),
            Cards(why_not=nothing),
        )


def _board(
    table: Table,
    evidence: Evidence,
    models: Models,
    views: tuple[View, ...],
    pairs: Pairs,
    confusions: Confusions,
    strata: Strata,
    cards: Cards,
) -> Board:
    reasons: dict[str, int] = {}
    first = table.runs[0].file
    size = size_of(table, None if table.reported else evidence.release_of(table.runs[0]))
    measured = [_measured_chance(table, task) for task in table.tasks]
    return Board(
        key=board_key(table.runs[0]),
        title=title_of(table, size),
        config=first.data.config,
        release_id=first.data.release_id,
        release_name=size.release_name,
        n_train=size.n_train,
        n_test=size.n_test,
        notes=notes_of(size),
        protocol_id=first.protocol.id,
        protocol_version=first.protocol.version,
        limit=first.limit,
        text=text_of(first.protocol.id),
        reported=None if table.reported is None else one_line(table.reported),
        level=_level(table),
        tasks=tuple(task.id for task in table.tasks),
        chance=tuple(task.chance_level for task in table.tasks),
        chance_low=tuple(min(own, default=None) for own in measured),
        chance_high=tuple(max(own, default=None) for own in measured),
        units=tuple(_unit(table, task) for task in table.tasks),
        rows=_rows(table, evidence, models, pairs, reasons),
        reasons=tuple(reasons),
        views=views,
        pairs=pairs,
        confusions=confusions,
        strata=strata,
        cards=cards,
    )


def board_key(run: Run) -> str:
    """The name in links of the board that a run is on."""
    data, protocol = run.file.data, run.file.protocol
    content = sorted(data.content_sha256.items())
    common = (run.reported, run.file.limit, protocol.id, protocol.version, protocol.key, content)
    digest = hashlib.sha256(repr((data.config, *common)).encode()).hexdigest()[:8]
    origin = "reported" if run.reported else "smoke" if run.file.limit else "computed"
    config = data.config.lower().replace("+", "-")[:80]
    return f"{origin}-{config}-{digest}"


def _level(table: Table) -> float | None:
    levels = [row["level"] for task in table.tasks for row in _telling(table, task)]
    return max((level for level in levels if level is not None), default=None)


def _measured_chance(table: Table, task: Task) -> list[float]:
    """What shuffled labels gave in the runs of the rows; unverified rows tell nothing."""
    return [
        own[task.id]["chance_level"]
        for own, counted in zip(table.scores, table.counted.tolist(), strict=True)
        if counted and task.id in own and own[task.id]["chance_level"] is not None
    ]


def _unit(table: Table, task: Task) -> Unit | None:
    """What intervals resample, of the row with the most items: a model may lack a query."""
    known = [
        (row["n"], row["n_units"], row["unit"])
        for row in _telling(table, task)
        if None not in (row["n"], row["n_units"], row["unit"])
    ]
    if not known:
        return None
    n, n_units, unit = max(known)
    return Unit(unit=unit, n_units=n_units, n=n)


def _telling(table: Table, task: Task) -> list[dict[str, Any]]:
    """A task's scores of the rows that are not unverified, or of all where there are no others."""
    rows = [
        (own[task.id], counted)
        for own, counted in zip(table.scores, table.counted.tolist(), strict=True)
        if task.id in own
    ]
    return [row for row, counted in rows if counted] or [row for row, _ in rows]


def _rows(
    table: Table, evidence: Evidence, models: Models, pairs: Pairs, reasons: dict[str, int]
) -> tuple[Row, ...]:
    found, shared = (own.tolist() for own in ranks(table))
    groups, standings = groups_of(pairs), mean_standings(pairs)
    rows = []
    for number, run in enumerate(table.runs):
        cells: list[Cell] = []
        for column, task in enumerate(table.tasks):
            row = table.scores[number].get(task.id)
            if row is None:
                reason = one_line(run.why_no_score(task.id))
                cells.append((reasons.setdefault(reason, len(reasons)),))
                continue
            rank = found[number][column] or None
            letters = groups.get((number, task.id), "")
            tied = int(shared[number][column])
            score = (row["value"], row["low"], row["high"])
            cells.append((*score, rank, tied, letters, row["chance_level"]))
        facts = evidence.facts_of(run)
        rows.append(
            Row(
                model=models.position(run),
                name=table.names[number],
                run_id=None if run.reported else run.file.run_id,
                status=table.statuses[number],
                facts_from=evidence.facts_from(run),
                documents_per_second=facts.documents_per_second,
                rate_low=facts.rate_low,
                rate_high=facts.rate_high,
                machine=facts.machine,
                money_usd=facts.money_usd,
                cut_share=facts.cut_share,
                seen=_seen(run, table.statuses[number]),
                cells=tuple(cells),
                mean_standing=standings.get(number),
                not_compared=why_not_compared(pairs, number, table.statuses[number]),
                flagged=evidence.flagged(run),
            )
        )
    return tuple(rows)


def _seen(run: Run, status: Status) -> Seen:
    """Whether its model may have seen the documents; of a claim nobody knows which model it was."""
    return "unknown" if status == "unverified" else seen_by(run)
