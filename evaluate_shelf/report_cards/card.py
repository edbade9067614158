"""The report card of a task: what a panel of models tells about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Literal

from evaluate_shelf.comparison.results import Comparison
from evaluate_shelf.registry.tasks import Task, load_tasks
from evaluate_shelf.report_cards.evidence import ChanceSource, evidence_of
from evaluate_shelf.report_cards.scores import (
    Agreements,
    PanelRuns,
    Unscored,
    agreements,
    panel_runs,
    panel_scores,
    unscored,
)
from evaluate_shelf.report_cards.settings import CardSettings, load_card_settings
from evaluate_shelf.report_cards.telling import share_told_apart, telling_of
from evaluate_shelf.report_cards.verdict import Verdict, verdict_of
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.settings import load_transfer


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
        Why; without a verdict, also what would settle it.
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
    unscored : tuple of Unscored
        Models that ran the task and have none.
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
    unscored: tuple[Unscored, ...]
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
        if panel_scores(panel, task) or unscored(panel, task)
    ]


def _card(
    task: Task,
    panel: PanelRuns,
    between: Agreements,
    comparison: Comparison | None,
    settings: CardSettings,
) -> Card:
    scores, without = panel_scores(panel, task), unscored(panel, task)
    telling = telling_of(comparison, task, scores)
    weigh = partial(evidence_of, task, telling=telling, settings=settings)
    found, judged = weigh(scores), verdict_of(scores, without, weigh, settings)
    chance, middle, spread, width = found.chance, found.median, found.spread, found.interval_width
    share = share_told_apart(telling, scores)
    best, worst = (scores[0], scores[-1]) if scores else (None, None)
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
        measured_chance=found.measured_chance,
        chance=chance,
        chance_source=found.chance_source,
        limit=found.limit,
        models=len(scores),
        unscored=without,
        best_model=best.model if best else None,
        best=best.value if best else None,
        median=middle,
        worst_model=worst.model if worst else None,
        worst=worst.value if worst else None,
        effect=None if chance is None or middle is None else found.effect(middle, chance),
        spread=spread,
        interval_width=width,
        width_to_spread=width / spread if width is not None and spread else None,
        told_apart=share,
        told_apart_by=None if share is None else telling.by,
        agreement=tuple(_agreement(task, panel, between)),
    )


def _agreement(task: Task, panel: PanelRuns, between: Agreements) -> Iterator[AgreementWith]:
    for other in load_tasks().values():
        same_question = other.facet == task.facet and other.formulation != task.formulation
        if same_question and panel_scores(panel, other):
            found = between(task, other)
            yield AgreementWith(
                other.id, other.formulation, found.n, found.spearman, found.low, found.high
            )
