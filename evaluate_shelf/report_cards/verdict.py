"""The verdict on a task, from what a panel of models makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from evaluate_shelf.report_cards.effects import effect_of, score_with
from evaluate_shelf.report_cards.settings import CardSettings, MetricRule

Verdict = Literal["separates models", "control", "broken"]


class Judged(NamedTuple):
    """A verdict, None where there is none, and why."""

    verdict: Verdict | None
    reason: str


@dataclass(frozen=True)
class Evidence:
    """What a verdict is made from.

    Attributes
    ----------
    metric : MetricRule
        The task's primary metric.
    n_labels : int or None
        Number of labels.
    chance : float or None
        The chance level that scores are measured from.
    models : int
        Models with a score.
    best, median, worst : float or None
        Of their scores; None where there is none.
    controls : tuple of float
        What the shuffled control gave, a model at a time.
    half_width : float
        Half the panel's median interval; 0 where there are no intervals.
    apart : bool or None
        Whether the intervals of best and worst do not overlap; None without intervals.
    undefined : str or None
        Why a task that ran has no defined score.
    """

    metric: MetricRule
    n_labels: int | None
    chance: float | None
    models: int
    best: float | None
    median: float | None
    worst: float | None
    controls: tuple[float, ...]
    half_width: float
    apart: bool | None
    undefined: str | None

    def effect(self, score: float, chance: float) -> float:
        """How far a score lies above a chance level."""
        return effect_of(self.metric.scale, score, chance=chance, n_labels=self.n_labels)


def verdict_of(evidence: Evidence, settings: CardSettings) -> Judged:
    """Apply the rule that `configs/report_cards.yaml` states.

    Parameters
    ----------
    evidence : Evidence
        Of one task.
    settings : CardSettings
        The rule's numbers.

    Returns
    -------
    Judged
    """
    if evidence.undefined:
        return Judged("broken", evidence.undefined)
    off = _control_off_chance(evidence, settings.smallest_effect)
    if off:
        return Judged("broken", off)
    best, median, worst = evidence.best, evidence.median, evidence.worst
    if evidence.models < settings.fewest_models or best is None or median is None or worst is None:
        return Judged(None, f"{evidence.models} of at least {settings.fewest_models} models")
    if evidence.chance is None:
        return Judged(None, "no chance level is known")
    return _of_scores(evidence, settings.smallest_effect, (best, median, worst), evidence.chance)


def _of_scores(
    evidence: Evidence, smallest: float, scores: tuple[float, float, float], chance: float
) -> Judged:
    best, median, worst = scores
    effect = evidence.effect(median, chance)
    limit = limit_of(evidence.metric, smallest, chance=chance, n_labels=evidence.n_labels)
    if effect < smallest:
        return Judged("control", f"the median, {median:.3f}, is below {limit:.3f}")
    if evidence.apart is None:
        between = evidence.effect(best, chance) - evidence.effect(worst, chance)
        if between < smallest:
            return Judged(None, "above chance, but the models' scores are all alike")
        return Judged("separates models", f"the median, {median:.3f}, is at least {limit:.3f}")
    if not evidence.apart:
        return Judged(None, "above chance, but best and worst are not told apart")
    return Judged(
        "separates models",
        f"the median, {median:.3f}, is at least {limit:.3f}; best and worst are told apart",
    )


def limit_of(metric: MetricRule, effect: float, *, chance: float, n_labels: int | None) -> float:
    """The score that lies the smallest effect above chance."""
    return score_with(metric.scale, effect, chance=chance, n_labels=n_labels)


def _control_off_chance(evidence: Evidence, smallest: float) -> str | None:
    """What is wrong with the shuffled controls; None where nothing is."""
    rule, controls = evidence.metric, sorted(evidence.controls)
    if not controls or rule.chance == "of_answers":
        return None
    middle = controls[len(controls) // 2]
    expected = evidence.chance if rule.chance == "fixed" else middle
    if expected is None:
        return None
    # Of chance that is fixed the panel's median is judged, which one model does not move; where
    # every model has the same chance, the one that is furthest from the others.
    judged = [middle] if rule.chance == "fixed" else [controls[0], controls[-1]]
    for level in judged:
        far = abs(evidence.effect(level, expected)) >= smallest
        if far and abs(level - expected) > evidence.half_width:
            return f"the shuffled control gives {level:.3f}, chance is {expected:.3f}"
    return None
