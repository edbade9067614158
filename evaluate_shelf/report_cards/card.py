"""The report card of a task: what a panel of models tells about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from statistics import median
from typing import Any, Literal

from evaluate_shelf.comparison.results import Comparison, Standing
from evaluate_shelf.registry.tasks import Task, load_tasks
from evaluate_shelf.report_cards.scores import (
    Agreements,
    PanelRuns,
    PanelScore,
    agreements,
    panel_runs,
    panel_scores,
    why_undefined,
)
from evaluate_shelf.report_cards.settings import CardSettings, load_card_settings
from evaluate_shelf.report_cards.verdict import Evidence, Verdict, limit_of, verdict_of
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.settings import load_transfer

ChanceSource = Literal["measured", "tasks.yaml", "report_cards.yaml"]


@dataclass(frozen=True)
class AgreementWith:
    """How far another formulation of the facet puts the models into the same order.

    Attributes
    ----------
    task, formulation : str
        The other task.
    n : int
        Models that have both scores.
    spearman, low, high : float or None
        Spearman's correlation over them, and its interval from resampling the models; None for
        too few of them.
    """

    task: str
    formulation: str
    n: int
    spearman: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Card:
    """A task's report card.

    Attributes
    ----------
    task, formulation, facet, metric : str
        As the registry has them.
    config, release_id, protocol : str
        What the runs have in common.
    reported : str or None
        Who reported the scores, where they were not computed here.
    control : bool
        Whether tasks.yaml calls it a control.
    verdict : str or None
        `separates models`, `control` or `broken`, by the rule of report_cards.yaml; None where
        that gives none.
    reason : str
        Why.
    nominal_chance : float or None
        The registry's chance level.
    measured_chance : float or None
        The median over the models of what the shuffled labels gave.
    chance : float or None
        What scores are measured from.
    chance_source : str or None
        Where that is from.
    limit : float or None
        The score that the median has to reach.
    models : int
        Models with a score.
    best_model, worst_model : str or None
        Their names.
    best, median, worst : float or None
        Their scores.
    effect : float or None
        How far the median lies above chance, in standard deviations.
    spread : float or None
        Best less worst.
    interval_width : float or None
        The median over the models; None without intervals.
    width_to_spread : float or None
        Width of the interval in spreads: from 1 on, nothing is told apart.
    told_apart : float or None
        Share of neighbouring ranks that are told apart; None without intervals.
    told_apart_by : str or None
        `tests`, those of the comparison, or `intervals` that do not overlap.
    agreement : tuple of AgreementWith
        With the facet's other formulations.
    """

    task: str
    formulation: str
    facet: str
    metric: str
    config: str
    release_id: str
    protocol: str
    reported: str | None
    control: bool
    verdict: Verdict | None
    reason: str
    nominal_chance: float | None
    measured_chance: float | None
    chance: float | None
    chance_source: ChanceSource | None
    limit: float | None
    models: int
    best_model: str | None
    best: float | None
    median: float | None
    worst_model: str | None
    worst: float | None
    effect: float | None
    spread: float | None
    interval_width: float | None
    width_to_spread: float | None
    told_apart: float | None
    told_apart_by: Literal["tests", "intervals"] | None
    agreement: tuple[AgreementWith, ...]

    @property
    def agrees(self) -> bool | None:
        """Whether tasks.yaml and the verdict say the same; None without a verdict."""
        return None if self.verdict is None else (self.verdict == "control") == self.control

    @property
    def agreement_in_facet(self) -> float | None:
        """The median correlation with the facet's other formulations; None without any."""
        known = [one.spearman for one in self.agreement if one.spearman is not None]
        return median(known) if known else None


def card_of(
    task: Task,
    runs: Sequence[Run],
    comparison: Comparison | None = None,
    *,
    settings: CardSettings | None = None,
) -> Card:
    """Make the report card of one task.

    Parameters
    ----------
    task : Task
        The task.
    runs : sequence of Run
        A panel's runs, of one board.
    comparison : Comparison or None
        Of the same runs: neighbouring ranks are then told apart by its tests, else by intervals
        that do not overlap.
    settings : CardSettings or None
        The rule. None: that of the installation.

    Returns
    -------
    Card

    Raises
    ------
    ShelfError
        If the runs are of several boards.
    """
    panel = panel_runs(runs)
    between = agreements(panel, load_transfer().resampling)
    return _card(task, panel, between, comparison, settings or load_card_settings())


def cards_of(
    runs: Sequence[Run],
    comparison: Comparison | None = None,
    *,
    settings: CardSettings | None = None,
) -> list[Card]:
    """The report cards of all tasks that a panel ran, in the registry's order.

    Parameters
    ----------
    runs, comparison, settings
        As for `card_of`.

    Returns
    -------
    list of Card
        A task that every model skipped has none.
    """
    panel, rule = panel_runs(runs), settings or load_card_settings()
    between = agreements(panel, load_transfer().resampling)
    return [
        _card(task, panel, between, comparison, rule)
        for task in load_tasks().values()
        if panel_scores(panel, task) or why_undefined(panel, task)
    ]


def as_values(card: Card) -> dict[str, Any]:
    """The card as plain values, for JSON."""
    return {**asdict(card), "agrees": card.agrees}


def _card(
    task: Task,
    panel: PanelRuns,
    between: Agreements,
    comparison: Comparison | None,
    settings: CardSettings,
) -> Card:
    scores = panel_scores(panel, task)
    metric = settings.metrics[task.primary_metric]
    controls = tuple(score.control for score in scores if score.control is not None)
    chance, source = _chance(task, controls, settings)
    values = [score.value for score in scores]
    middle = median(values) if values else None
    spread = values[0] - values[-1] if values else None
    width = _median_width(scores)
    standings = _standings(comparison, task)
    evidence = Evidence(
        metric=metric,
        n_labels=task.n_labels,
        chance=chance,
        models=len(scores),
        best=values[0] if values else None,
        median=middle,
        worst=values[-1] if values else None,
        controls=controls,
        half_width=(width or 0.0) / 2,
        apart=_ends_apart(scores, standings),
        undefined=why_undefined(panel, task),
    )
    judged = verdict_of(evidence, settings)
    told_apart, told_by = _told_apart(scores, standings)
    first = panel.runs[0].file
    return Card(
        task=task.id,
        formulation=task.formulation,
        facet=task.facet,
        metric=task.primary_metric,
        config=first.data.config,
        release_id=first.data.release_id,
        protocol=f"{first.protocol.id}, version {first.protocol.version}",
        reported=panel.runs[0].reported,
        control=task.control,
        verdict=judged.verdict,
        reason=judged.reason,
        nominal_chance=task.chance_level,
        measured_chance=median(controls) if controls else None,
        chance=chance,
        chance_source=source,
        limit=limit_of(metric, settings.smallest_effect, chance=chance, n_labels=task.n_labels)
        if chance is not None
        else None,
        models=len(scores),
        best_model=scores[0].model if scores else None,
        best=evidence.best,
        median=middle,
        worst_model=scores[-1].model if scores else None,
        worst=evidence.worst,
        effect=evidence.effect(middle, chance)
        if chance is not None and middle is not None
        else None,
        spread=spread,
        interval_width=width,
        width_to_spread=width / spread if width is not None and spread else None,
        told_apart=told_apart,
        told_apart_by=told_by,
        agreement=tuple(_agreement(task, panel, between)),
    )


def _chance(
    task: Task, controls: Sequence[float], settings: CardSettings
) -> tuple[float | None, ChanceSource | None]:
    """What scores are measured from: a level that holds for any labels, else the measured one."""
    fixed = settings.metrics[task.primary_metric].chance == "fixed"
    # A level of exactly 0 or 1, as few items give, has no odds.
    if controls and not fixed and 0 < (measured := median(controls)) < 1:
        return measured, "measured"
    if task.chance_level is not None:
        return task.chance_level, "tasks.yaml"
    if task.id in settings.chance_levels:
        return settings.chance_levels[task.id].level, "report_cards.yaml"
    return None, None


def _median_width(scores: Sequence[PanelScore]) -> float | None:
    widths = [
        score.high - score.low
        for score in scores
        if score.low is not None and score.high is not None
    ]
    return median(widths) if widths else None


def _standings(comparison: Comparison | None, task: Task) -> tuple[Standing, ...]:
    """A task's models in a comparison, best first; empty where it does not compare them."""
    contests = comparison.tasks if comparison else ()
    return next((own.contest.standings for own in contests if own.task == task.id), ())


def _told_apart(
    scores: Sequence[PanelScore], standings: Sequence[Standing]
) -> tuple[float | None, Literal["tests", "intervals"] | None]:
    """Share of neighbouring ranks that are told apart, and by what."""
    if len(standings) > 1:
        return _share([_differ(*two) for two in pairwise(standings)]), "tests"
    pairs = [_without_overlap(*two) for two in pairwise(scores)]
    known = [apart for apart in pairs if apart is not None]
    # One interval that is missing leaves a share that is of other ranks than it says.
    return (_share(known), "intervals") if pairs and len(known) == len(pairs) else (None, None)


def _ends_apart(scores: Sequence[PanelScore], standings: Sequence[Standing]) -> bool | None:
    """Whether best and worst are told apart; None where nothing tells."""
    if len(standings) > 1:
        return _differ(standings[0], standings[-1])
    return _without_overlap(scores[0], scores[-1]) if len(scores) > 1 else None


def _differ(first: Standing, second: Standing) -> bool:
    return not set(first.groups) & set(second.groups)


def _without_overlap(above: PanelScore, below: PanelScore) -> bool | None:
    if above.low is None or below.high is None:
        return None
    return above.low > below.high


def _share(outcomes: Sequence[bool]) -> float:
    return sum(outcomes) / len(outcomes)


def _agreement(task: Task, panel: PanelRuns, between: Agreements) -> Iterator[AgreementWith]:
    for other in load_tasks().values():
        same_question = other.facet == task.facet and other.formulation != task.formulation
        if same_question and panel_scores(panel, other):
            found = between(task, other)
            yield AgreementWith(
                other.id, other.formulation, found.n, found.spearman, found.low, found.high
            )
