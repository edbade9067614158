"""The figures of a panel's scores on a task that a verdict rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.report_cards.effects import effect_of, score_with
from evaluate_shelf.report_cards.scores import PanelScore
from evaluate_shelf.report_cards.settings import CardSettings, MetricRule
from evaluate_shelf.report_cards.telling import Telling

ChanceSource = Literal["measured", "tasks.yaml", "report_cards.yaml"]


@dataclass(frozen=True)
class Evidence:
    """What a panel's scores say about a task.

    Attributes
    ----------
    metric : MetricRule
        The task's primary metric.
    n_labels : int or None
        Number of labels.
    values : tuple of float
        The scores, best first.
    controls : tuple of float
        What the shuffled control gave, a model at a time.
    chance : float or None
        The chance level that scores are measured from.
    chance_source : str or None
        Where that is from.
    limit : float or None
        The score that lies the smallest effect above chance.
    interval_width : float or None
        The median over the models; None without intervals.
    apart : bool or None
        Whether the best model is told from the worst of those that reach the limit; None where
        nothing tells.
    """

    metric: MetricRule
    n_labels: int | None
    values: tuple[float, ...]
    controls: tuple[float, ...]
    chance: float | None
    chance_source: ChanceSource | None
    limit: float | None
    interval_width: float | None
    apart: bool | None

    @property
    def median(self) -> float | None:
        """The median score; None without any."""
        return median(self.values) if self.values else None

    @property
    def measured_chance(self) -> float | None:
        """The median of the shuffled controls; None without any."""
        return median(self.controls) if self.controls else None

    @property
    def spread(self) -> float | None:
        """Best less worst; None without a score."""
        return self.values[0] - self.values[-1] if self.values else None

    def effect(self, score: float, chance: float) -> float:
        """How far a score lies above a chance level, in standard deviations."""
        return effect_of(self.metric.scale, score, chance=chance, n_labels=self.n_labels)


def evidence_of(
    task: Task,
    scores: Sequence[PanelScore],
    telling: Telling,
    settings: CardSettings,
) -> Evidence:
    """Sum a panel's scores up.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of PanelScore
        Best first; all of a panel, or some of them.
    telling : Telling
        What tells two of them apart.
    settings : CardSettings
        How the metric is read.
    """
    metric = settings.metrics[task.primary_metric]
    controls = tuple(score.control for score in scores if score.control is not None)
    chance, source = _chance(task, controls, settings)
    limit = (
        None
        if chance is None
        else score_with(
            metric.scale, settings.smallest_effect, chance=chance, n_labels=task.n_labels
        )
    )
    above = [score for score in scores if limit is not None and score.value >= limit]
    return Evidence(
        metric=metric,
        n_labels=task.n_labels,
        values=tuple(score.value for score in scores),
        controls=controls,
        chance=chance,
        chance_source=source,
        limit=limit,
        interval_width=_median_width(scores),
        apart=telling.apart(above[0], above[-1]) if len(above) > 1 else None,
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
    widths = [width for score in scores if (width := score.width) is not None]
    return median(widths) if widths else None
