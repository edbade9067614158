"""An aggregate of as many models and tasks as one likes, made from a seed: for load and for tests.

Nothing in it was measured. Its names may be hostile ones, its ranks and means follow the rules of
real boards.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from builders.draws import Draws
from evaluate_shelf.aggregate.schema import RANKED, Aggregate, Board, Status
from evaluate_shelf.aggregate.schema.boards import Unit, View
from evaluate_shelf.aggregate.schema.cards import Cards
from evaluate_shelf.aggregate.schema.confusions import Confusions, RowConfusions, TaskConfusions
from evaluate_shelf.aggregate.schema.models import ModelEntry
from evaluate_shelf.aggregate.schema.pairs import MOST_COMPARED, ContestEntry, Pairs
from evaluate_shelf.aggregate.schema.rows import Cell, FactsFrom, Row
from evaluate_shelf.aggregate.schema.strata import RowStrata, Strata, TaskStrata
from evaluate_shelf.aggregate.schema.tasks import MetricEntry, TaskEntry
from evaluate_shelf.aggregate.schema.transfer import Transfer
from evaluate_shelf.aggregate.schema.whole import MadeOf
from evaluate_shelf.contamination.seen import Seen

FACETS = ("subject", "category", "form", "topic", "audience", "register", "geography")
_FORMULATIONS = (
    ("classification", "macro_f1", 0.05),
    ("retrieval", "ndcg_at_10", 0.06),
    ("clustering", "ari", 0.0),
    ("pair_classification", "auc_roc", 0.5),
    ("instruction_retrieval", "ndcg_at_10", 0.05),
    ("multilabel_classification", "macro_f1", 0.03),
)
_KINDS = ("encoder", "static", "sparse", "hybrid", "endpoint")
_LICENCES = (None, "Apache-2.0", "MIT", "CC-BY-NC-4.0")
_SEEN: tuple[Seen, ...] = ("out of sample by date", "may have seen", "unknown", "no pretraining")
_NEEDS_VECTORS = ("classification", "clustering", "multilabel_classification")
_FACTS_FROM: dict[Status, FactsFrom] = {
    "computed": "run",
    "verified": "re-run",
    "unverified": "claim",
    "reported": "report",
}
_MACHINES = ("x86_64 Linux, 2 cores, 23.5 GiB", "x86_64 Linux, 16 cores, NVIDIA GPU")


class _Facts(NamedTuple):
    entry: ModelEntry
    strength: float
    rate: float | None
    machine: str | None
    status: Status


def synthetic_aggregate(
    models: int,
    tasks: int,
    *,
    seed: int = 0,
    compared: int = MOST_COMPARED,
    names: Sequence[str] = (),
) -> Aggregate:
    """An aggregate with one board of computed, verified and unverified rows.

    Parameters
    ----------
    models, tasks : int
        How many.
    seed : int
        Of all draws.
    compared : int
        Rows with paired differences, confusions and strata.
    names : sequence of str
        Of the first models, in place of plain ones.

    Returns
    -------
    Aggregate

    Examples
    --------
    >>> made = synthetic_aggregate(3, 2, compared=2)
    >>> len(made.boards[0].rows), made == synthetic_aggregate(3, 2, compared=2)
    (3, True)
    """
    entries = [_task(n) for n in range(tasks)]
    facts = [_facts(n, seed, names) for n in range(models)]
    return Aggregate(
        aggregate_version=1,
        made_with="synthetic",
        made_of=(MadeOf(kind="runs", name="synthetic", n=models),),
        left_out=(),
        tasks=tuple(entries),
        metrics=_metrics(),
        labels=(),
        models=tuple(fact.entry for fact in facts),
        boards=(_board(facts, entries, seed, compared),),
        transfer=Transfer(
            reference="all",
            natural=(),
            spearman_at_least=0.6,
            lower_end_above=0.0,
            formulations_needed=3,
            panel="all",
            outcomes=(),
            measures=(),
        ),
        matrices=(),
    )


def _task(number: int) -> TaskEntry:
    facet = FACETS[number % len(FACETS)]
    formulation, metric, chance = _FORMULATIONS[number // len(FACETS) % len(_FORMULATIONS)]
    return TaskEntry(
        id=f"{facet}_{formulation}",
        formulation=formulation,
        facet=facet,
        label_field="register",
        metric=metric,
        control=number % 13 == 12,
        optional=False,
        question="Given a document, say what was drawn for it.",
        note="Made from a seed.",
        chance=chance,
    )


def _metrics() -> tuple[MetricEntry, ...]:
    labels = {"macro_f1": "macro-F1", "ndcg_at_10": "nDCG@10", "ari": "ARI", "auc_roc": "ROC AUC"}
    return tuple(
        MetricEntry(id=name, label=label, help=f"What {label} says.", least=-0.5, greatest=1.0)
        for name, label in labels.items()
    )


def _facts(number: int, seed: int, names: Sequence[str]) -> _Facts:
    draws = Draws(seed, "model", number)
    kind = draws.weighted(_KINDS, (12, 3, 3, 1, 1))
    parameters = None if kind == "sparse" else int(10 ** (6 + 4 * draws.uniform()))
    released = dt.date(2019, 1, 1) + dt.timedelta(days=draws.integer(2600))
    timed = kind not in ("hybrid", "endpoint") and draws.happens(0.9)
    status: Status = draws.weighted(("computed", "verified", "unverified"), (8, 1, 1))
    entry = ModelEntry(
        key=f"model-{number:04d}",
        name=names[number] if number < len(names) else f"model {number}",
        spec=f"made:{number}",
        kind=kind,
        revision="1",
        reported=False,
        parameters=parameters,
        dimension=draws.choice((256, 384, 768, 1024)),
        max_tokens=None if kind in ("sparse", "static") else draws.choice((256, 512, 8192)),
        licence=draws.choice(_LICENCES),
        open_weights=draws.choice((True, True, False, None)),
        released=released if draws.happens(0.8) else None,
        checkpoint=None,
        cutoff=None,
        cutoff_of=None,
        cutoff_source=None,
    )
    rate = 10 ** (3.5 * draws.uniform()) if timed else None
    machine = draws.weighted(_MACHINES, (9, 1)) if timed else None
    return _Facts(entry, 0.15 + 0.7 * draws.uniform(), rate, machine, status)


def _cells(facts: Sequence[_Facts], task: TaskEntry, seed: int) -> list[Cell]:
    found: list[Cell | None] = []
    draws = Draws(seed, "task", task.id)
    bounds = []
    for n, fact in enumerate(facts):
        noise = 0.1 * (draws.uniform() - 0.5)
        half = 0.01 + 0.03 * draws.uniform()
        absent = fact.entry.kind == "sparse" and task.formulation in _NEEDS_VECTORS and n % 2
        value = round(
            min(0.98, max(0.0, (task.chance or 0.0) / 2 + fact.strength * 0.8 + noise)), 9
        )
        found.append((0,) if absent else None)
        bounds.append((value, max(-1.0, value - half), min(1.0, value + half)))
    ranked = [n for n, fact in enumerate(facts) if fact.status in RANKED and found[n] is None]
    lows = np.sort([bounds[n][1] for n in ranked])
    ranks = {n: 1 + int(len(lows) - np.searchsorted(lows, bounds[n][2], "right")) for n in ranked}
    often = np.bincount(list(ranks.values()), minlength=2) if ranks else np.zeros(2)
    cells: list[Cell] = []
    for n, (value, low, high) in enumerate(bounds):
        own = found[n]
        if own is not None:
            cells.append(own)
        elif n in ranks:
            letters = "abcdefghijklmnopqrstuvwxyz"[min(25, ranks[n] * 26 // (len(facts) + 1))]
            tied = int(often[ranks[n]] > 1)
            cells.append((value, low, high, ranks[n], tied, letters, task.chance))
        else:
            cells.append((value, low, high, None, 0, "", task.chance))
    return cells


def _board(facts: Sequence[_Facts], tasks: Sequence[TaskEntry], seed: int, compared: int) -> Board:
    columns = [_cells(facts, task, seed) for task in tasks]
    rows = [_row(n, fact, [column[n] for column in columns]) for n, fact in enumerate(facts)]
    views = _views(rows, tasks)
    best = [n for n in views[0].order if rows[n].status in RANKED][:compared]
    return Board(
        key="computed-all-synthetic",
        title="all, synthetic release, protocol shelf-1",
        config="all",
        release_id="synthetic",
        release_name="synthetic release",
        n_train=16_000,
        n_test=4_000,
        protocol_id="shelf-1",
        protocol_version=3,
        limit=None,
        text="full",
        reported=None,
        level=0.95,
        tasks=tuple(task.id for task in tasks),
        chance=tuple(task.chance for task in tasks),
        chance_low=tuple(task.chance for task in tasks),
        chance_high=tuple(task.chance for task in tasks),
        units=tuple(Unit(unit="group_id", n_units=2000, n=4000) for _ in tasks),
        reasons=("it has no vectors",),
        rows=tuple(rows),
        views=tuple(views),
        pairs=_pairs(best, rows, tasks),
        confusions=_confusions(best, tasks),
        strata=_strata(best, rows, tasks),
        cards=Cards(why_not="synthetic scores have none"),
    )


def _row(number: int, fact: _Facts, cells: Sequence[Cell]) -> Row:
    return Row(
        model=number,
        name=fact.entry.name,
        run_id=f"{number:012x}",
        status=fact.status,
        facts_from=_FACTS_FROM[fact.status],
        documents_per_second=fact.rate,
        rate_low=None if fact.rate is None else 0.97 * fact.rate,
        rate_high=None if fact.rate is None else 1.03 * fact.rate,
        machine=fact.machine,
        money_usd=0.02 * (1 + number % 50) if fact.entry.kind == "endpoint" else None,
        cut_share=0.1 if fact.entry.max_tokens == 256 else None,
        seen="no pretraining" if fact.entry.kind == "sparse" else _SEEN[number % 3],
        cells=tuple(cells),
    )


def _views(rows: Sequence[Row], tasks: Sequence[TaskEntry]) -> list[View]:
    formulations = list(dict.fromkeys(task.formulation for task in tasks))
    facets = list(dict.fromkeys(task.facet for task in tasks))
    choices = [
        (facet, formulation) for facet in (None, *facets) for formulation in (None, *formulations)
    ]
    found = [_view(rows, tasks, facet, formulation) for facet, formulation in choices]
    return [view for view in found if view is not None]


def _view(
    rows: Sequence[Row], tasks: Sequence[TaskEntry], facet: str | None, formulation: str | None
) -> View | None:
    chosen = [
        n
        for n, task in enumerate(tasks)
        if facet in (None, task.facet) and formulation in (None, task.formulation)
    ]
    if not chosen:
        return None
    counted = [n for n in chosen if not tasks[n].control]
    means = [_mean(row, counted) for row in rows]
    coverage = [sum(len(row.cells[n]) > 1 for n in chosen) for row in rows]
    order = sorted(
        (n for n in range(len(rows)) if coverage[n]),
        key=lambda n: (means[n] is None, -(means[n] or 0.0), -coverage[n], n),
    )
    return View(
        facet=facet,
        formulation=formulation,
        tasks=tuple(chosen),
        mean_tasks=tuple(counted),
        means=tuple(means),
        coverage=tuple(coverage),
        order=tuple(order),
    )


def _mean(row: Row, tasks: Sequence[int]) -> float | None:
    values = [row.cells[n][0] for n in tasks if len(row.cells[n]) > 1]
    return sum(values) / len(values) if values and len(values) == len(tasks) else None


def _contest(task: str | None, values: dict[int, float]) -> ContestEntry:
    order = sorted(values, key=lambda n: (-values[n], n))
    differences: list[Any] = []
    for place, i in enumerate(order):
        for j in order[place + 1 :]:
            by = values[i] - values[j]
            differences.append(
                (i, j, by, by - 0.03, by + 0.03, min(1.0, 0.001 / (by + 0.001)), int(by > 0.03))
            )
    return ContestEntry(
        task=task,
        unit="group_id" if task else "task",
        n_units=2000,
        smallest=0.02,
        smallest_with_power=0.04,
        places=tuple((n, place + 1, place + 1, "a") for place, n in enumerate(order)),
        differences=tuple(differences),
    )


def _pairs(best: Sequence[int], rows: Sequence[Row], tasks: Sequence[TaskEntry]) -> Pairs:
    if len(best) < 2:
        return Pairs(why_not="too few models")
    found = []
    for n, task in enumerate(tasks):
        values = {row: rows[row].cells[n][0] for row in best if len(rows[row].cells[n]) > 1}
        found.append(_contest(task.id, values))
    return Pairs(
        why_not=None,
        rows=tuple(best),
        n_tests=sum(len(contest.differences) for contest in found),
        tasks=tuple(found),
    )


def _confusions(best: Sequence[int], tasks: Sequence[TaskEntry]) -> Confusions:
    ids = [task.id for task in tasks if task.formulation == "classification"]
    most = (("formal", "casual", 14, 120), ("casual", None, 3, 60))
    return Confusions(
        why_not=None,
        rows=tuple(
            RowConfusions(
                row=row,
                tasks=tuple(TaskConfusions(task=task, n=400, wrong=17, most=most) for task in ids),
            )
            for row in sorted(best)
        ),
    )


def _strata(best: Sequence[int], rows: Sequence[Row], tasks: Sequence[TaskEntry]) -> Strata:
    found = []
    for row in sorted(best):
        parts = []
        for n, task in enumerate(tasks[:3]):
            cell = rows[row].cells[n]
            if len(cell) > 1:
                strata = (("short", 100, cell[0], cell[1], cell[2]), ("long", 12, None, None, None))
                part = TaskStrata(
                    task=task.id, by="length", metric=task.metric, in_none=0, strata=strata
                )
                parts.append(part)
        found.append(RowStrata(row=row, parts=tuple(parts)))
    return Strata(why_not=None, least_items=30, rows=tuple(found))
