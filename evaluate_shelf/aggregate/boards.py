"""The boards of an aggregate."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from statistics import median
from typing import Any

from evaluate_shelf.aggregate.cards import cards_of_board
from evaluate_shelf.aggregate.confusions import confusions_of
from evaluate_shelf.aggregate.evidence import Evidence
from evaluate_shelf.aggregate.models import Models, models_of
from evaluate_shelf.aggregate.pairs import compared, groups_of
from evaluate_shelf.aggregate.schema import (
    Board,
    Cards,
    Cell,
    Confusions,
    Pairs,
    Row,
    Strata,
    Unit,
    View,
)
from evaluate_shelf.aggregate.strata import strata_of
from evaluate_shelf.aggregate.tables import Table, ranks, table_of
from evaluate_shelf.aggregate.views import first_order, first_view, views_of
from evaluate_shelf.bounded import one_line
from evaluate_shelf.contamination.runs import seen_by
from evaluate_shelf.registry.conditions import text_of
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.runs.schema import cut_texts


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
    models = models_of([run])
    table = table_of([run], evidence.status_of)
    if table is not None:
        nothing = "not asked"
        _board(
            table,
            models,
            (first_view(table),),
            Pairs(why_not=nothing),
            Confusions(why_not=nothing),
            Strata(why_not=nothing),
            Cards(why_not=nothing),
        )


def _board(
    table: Table,
    models: Models,
    views: tuple[View, ...],
    pairs: Pairs,
    confusions: Confusions,
    strata: Strata,
    cards: Cards,
) -> Board:
    reasons: dict[str, int] = {}
    first = table.runs[0].file
    return Board(
        key=board_key(table.runs[0]),
        title=_title(table),
        config=first.data.config,
        release_id=first.data.release_id,
        protocol_id=first.protocol.id,
        protocol_version=first.protocol.version,
        limit=first.limit,
        text=text_of(first.protocol.id),
        reported=None if table.reported is None else one_line(table.reported),
        level=_level(table),
        tasks=tuple(task.id for task in table.tasks),
        chance=tuple(_chance(table, task) for task in table.tasks),
        units=tuple(_unit(table, task) for task in table.tasks),
        rows=_rows(table, models, groups_of(pairs), reasons),
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


def _title(table: Table) -> str:
    file = table.runs[0].file
    if table.reported:
        return one_line(f"{file.data.config}, reported")
    smoke = f", smoke runs of {file.limit} documents a split" if file.limit else ""
    return one_line(
        f"{file.data.config}, release {file.data.release_id}, protocol {file.protocol.id}, "
        f"version {file.protocol.version}{smoke}"
    )


def _level(table: Table) -> float | None:
    levels = [row["level"] for task in table.tasks for row in _telling(table, task)]
    return max((level for level in levels if level is not None), default=None)


def _chance(table: Table, task: Task) -> float | None:
    """Median over the rows of what shuffled labels gave; unverified rows tell nothing."""
    levels = [
        own[task.id]["chance_level"]
        for own, counted in zip(table.scores, table.counted.tolist(), strict=True)
        if counted and task.id in own
    ]
    known = [level for level in levels if level is not None]
    return median(known) if known else None


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
    table: Table, models: Models, groups: dict[tuple[int, str], str], reasons: dict[str, int]
) -> tuple[Row, ...]:
    found, shared = (own.tolist() for own in ranks(table))
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
            cells.append((row["value"], row["low"], row["high"], rank, tied, letters))
        rows.append(_row(table, number, models.position(run), tuple(cells)))
    return tuple(rows)


def _row(table: Table, number: int, model: int, cells: tuple[Cell, ...]) -> Row:
    run = table.runs[number]
    rate, cut = run.file.rate, cut_texts(run.file.encodings())
    return Row(
        model=model,
        name=table.names[number],
        run_id=None if run.reported else run.file.run_id,
        status=table.statuses[number],
        documents_per_second=rate.documents_per_second if rate else None,
        rate_low=rate.low if rate else None,
        rate_high=rate.high if rate else None,
        machine=_machine(run) if rate else None,
        money_usd=run.file.money_usd,
        cut_share=cut.share if cut else None,
        seen=seen_by(run),
        cells=cells,
    )


def _machine(run: Run) -> str | None:
    """The machine that a rate was measured on, in words."""
    facts = run.file.hardware
    named = " ".join(str(facts[name]) for name in ("machine", "system") if name in facts)
    cores = f"{facts['cores']} cores" if "cores" in facts else ""
    memory = facts.get("memory_bytes")
    size = f"{memory / 2**30:.1f} GiB" if isinstance(memory, int) else ""
    threads = run.file.threads.get("encoder")
    used = f"{threads} threads" if threads else ""
    return one_line(", ".join(filter(None, (named, cores, size, used)))) or None
