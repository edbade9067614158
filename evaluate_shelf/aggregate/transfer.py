"""Rank agreement between corpora, and what models can be ranked by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from evaluate_shelf.aggregate.evidence import UNREADABLE, Evidence, told
from evaluate_shelf.aggregate.models import Models
from evaluate_shelf.aggregate.schema import RANKED
from evaluate_shelf.aggregate.schema.transfer import (
    Measure,
    NamedReason,
    RankedModelEntry,
    StabilityEntry,
    Transfer,
    TransferCell,
    TransferOutcome,
)
from evaluate_shelf.registry.conditions import text_of
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer import scores
from evaluate_shelf.transfer.members import LeftOut, Members, ModelKey, members, model_key
from evaluate_shelf.transfer.preregistered import Cell, outcome
from evaluate_shelf.transfer.settings import TransferSettings, load_transfer
from evaluate_shelf.transfer.stability import Stability, computed_stability, reported_stability


def transfer_of(evidence: Evidence, models: Models) -> Transfer:
    """The preregistered rule over reported scores and over computed runs, each for itself.

    Parameters
    ----------
    evidence : Evidence
        What there is. Runs that are unverified, smoke runs and treated texts have no part in it.
    models : Models
        Where each model stands.

    Returns
    -------
    Transfer
        With a reason where the rule could not be applied.
    """
    settings = load_transfer()
    found = [
        _under(protocol, runs, evidence, settings, models)
        for protocol, runs in _conditions(evidence)
    ]
    return Transfer(
        reference=settings.reference,
        natural=tuple(settings.natural),
        spearman_at_least=settings.rule.spearman_at_least,
        lower_end_above=settings.rule.lower_end_above,
        formulations_needed=settings.rule.formulations_needed,
        panel=settings.panel().id,
        outcomes=tuple(own for own, _ in found),
        measures=tuple(measure for _, own in found for measure in own),
    )


def _conditions(evidence: Evidence) -> Iterator[tuple[str | None, list[Run]]]:
    """Reported runs, then the computed ones by their protocol."""
    if evidence.reported:
        yield None, list(evidence.reported)
    by_protocol: dict[str, list[Run]] = {}
    for run in evidence.computed:
        whole = run.file.limit is None and text_of(run.file.protocol.id) == "full"
        if whole and evidence.status_of(run) in RANKED:
            by_protocol.setdefault(run.file.protocol.id, []).append(run)
    yield from sorted(by_protocol.items())


def _under(
    protocol: str | None,
    runs: Sequence[Run],
    evidence: Evidence,
    settings: TransferSettings,
    models: Models,
) -> tuple[TransferOutcome, list[Measure]]:
    try:
        compared = members(runs, settings.panel())
    except UNREADABLE as error:
        return _refused(protocol, told(error, runs)), []
    measures = list(_measures(protocol, compared.runs, settings, models))
    try:
        return _outcome(protocol, compared, evidence, settings, models), measures
    except UNREADABLE as error:
        return _refused(protocol, _without_places(error, runs, evidence)), measures


def _refused(protocol: str | None, why_not: str) -> TransferOutcome:
    return TransferOutcome(
        origin="computed" if protocol else "reported", protocol=protocol, why_not=why_not
    )


def _without_places(error: Exception, runs: Sequence[Run], evidence: Evidence) -> str:
    text = told(error, runs)
    for release in evidence.releases:
        text = text.replace(str(release.folder), release.folder.name)
    return text


def _outcome(
    protocol: str | None,
    compared: Members,
    evidence: Evidence,
    settings: TransferSettings,
    models: Models,
) -> TransferOutcome:
    stability = _stability(protocol, compared.runs, evidence, settings)
    found = outcome(compared.runs, settings, stability)
    position = {model_key(run): models.position(run) for run in compared.runs}
    return TransferOutcome(
        origin="computed" if protocol else "reported",
        protocol=protocol,
        why_not=None,
        verdict=found.verdict,
        passed=found.passed,
        failed=found.failed,
        undecided=found.undecided,
        cells=tuple(_cell(own, position) for own in found.cells),
        beside=tuple(_cell(own, position) for own in found.beside),
        stability=tuple(
            StabilityEntry(
                corpus=own.corpus,
                median=own.median,
                lowest=own.lowest,
                n_models=own.n_models,
                origin=own.origin,
            )
            for own in found.stability
        ),
        left_out=_named(dict.fromkeys(compared.left_out)),
    )


def _stability(
    protocol: str | None, runs: Sequence[Run], evidence: Evidence, settings: TransferSettings
) -> list[Stability]:
    if protocol is None:
        return [reported_stability(row) for row in settings.stability.reported]
    if not evidence.releases:
        return []
    return computed_stability(runs, evidence.releases, settings)


def _cell(cell: Cell, position: dict[ModelKey, int]) -> TransferCell:
    compared, agreed = cell.comparison, cell.comparison.agreement
    return TransferCell(
        formulation=cell.formulation,
        passes=cell.passes,
        reason=cell.reason,
        x=compared.x.text,
        y=compared.y.text,
        n=agreed.n,
        spearman=agreed.spearman,
        kendall=agreed.kendall,
        low=agreed.low,
        high=agreed.high,
        kendall_low=agreed.kendall_low,
        kendall_high=agreed.kendall_high,
        level=agreed.level,
        undefined_because=compared.why_undefined,
        lacking=_named(compared.lacking),
        models=tuple(
            RankedModelEntry(
                model=position[ModelKey(own.name, own.revision)],
                name=own.name,
                x=own.x,
                y=own.y,
                rank_x=own.rank_x,
                rank_y=own.rank_y,
                without=own.without,
            )
            for own in compared.models
        ),
    )


def _named(rows: Iterable[LeftOut]) -> tuple[NamedReason, ...]:
    return tuple(NamedReason(name=row.model, reason=row.reason) for row in rows)


def _measures(
    protocol: str | None, runs: Sequence[Run], settings: TransferSettings, models: Models
) -> Iterator[Measure]:
    """The primary metric of each task, and the metrics that the rule ranks by, on each config."""
    wanted = [(task.id, task.primary_metric) for task in load_tasks().values()]
    ranked = [(own.task, own.metric) for own in settings.formulations.values()]
    known = list(dict.fromkeys((*wanted, *ranked)))
    for config in sorted({run.file.data.config for run in runs}):
        own = [(models.position(run), _scores(run)) for run in _of_config(runs, config)]
        for task, metric in known:
            having = sorted(
                (place, has[task, metric]) for place, has in own if (task, metric) in has
            )
            if having:
                yield Measure(
                    key=scores.Measure(config, task, metric).text,
                    origin="computed" if protocol else "reported",
                    protocol=protocol,
                    config=config,
                    task=task,
                    metric=metric,
                    scores=tuple(having),
                )


def _of_config(runs: Sequence[Run], config: str) -> list[Run]:
    return [run for run in runs if run.file.data.config == config]


def _scores(run: Run) -> dict[tuple[str, str], float]:
    return {(row["task"], row["metric"]): row["value"] for row in run.scores.to_pylist()}
