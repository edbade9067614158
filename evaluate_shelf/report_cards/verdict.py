"""The verdict on a task, from what a panel of models makes of it.

No single model decides. Of scores and of shuffled controls it is the middle of the panel that
counts, on one side of a limit whichever model is left out; and only models above chance separate a
task's models. So one model more, such as one that gives every text the same vector, never turns a
verdict into another: at most it leaves the median so near to the limit that there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median_high, median_low
from typing import Literal, NamedTuple

from evaluate_shelf.counts import counted
from evaluate_shelf.report_cards.evidence import Evidence
from evaluate_shelf.report_cards.scores import PanelScore, Unscored
from evaluate_shelf.report_cards.settings import CardSettings

Verdict = Literal["separates models", "control", "broken"]


class Judged(NamedTuple):
    """A verdict, None where there is none, and why; without one, what would settle it."""

    verdict: Verdict | None
    reason: str


def verdict_of(
    scores: Sequence[PanelScore],
    unscored: Sequence[Unscored],
    weigh: Callable[[Sequence[PanelScore]], Evidence],
    settings: CardSettings,
) -> Judged:
    """Apply the rule that `configs/report_cards.yaml` states.

    Parameters
    ----------
    scores : sequence of PanelScore
        A panel's, best first.
    unscored : sequence of Unscored
        Its models that ran the task and have no defined score.
    weigh : callable
        What some of the scores come to.
    settings : CardSettings
        The rule's numbers.

    Returns
    -------
    Judged
    """
    needed = settings.fewest_models
    if not scores:
        return _without_scores(unscored, needed)
    if len(scores) < needed:
        few = f"{counted(len(scores), 'model')} of at least {needed}"
        return Judged(None, f"{few}: score {needed - len(scores)} more")
    found, smallest = weigh(scores), settings.smallest_effect
    judged = _of_middle(found, smallest)
    for left_out, others in _without_one(scores, weigh, smallest):
        rest = _of_middle(others, smallest)
        if rest.verdict != judged.verdict:
            return Judged(
                None,
                f"{judged.reason}; without {left_out.model} {rest.reason}: one model would decide, "
                "more models settle it",
            )
    if judged.verdict != "separates models":
        return judged
    alike = _alike(found, smallest)
    return Judged(None, alike) if alike else judged


def _without_scores(unscored: Sequence[Unscored], needed: int) -> Judged:
    """Broken if a panel ran the task in vain; with fewer models it may be their fault."""
    if not unscored:
        return Judged(None, "no model ran it")
    first = f"{unscored[0].run}: {unscored[0].why}"
    none = f"no score of {counted(len(unscored), 'model')} that ran it ({first})"
    if len(unscored) >= needed:
        return Judged("broken", none)
    return Judged(None, f"{none}; a verdict needs {counted(needed, 'model')}")


def _of_middle(evidence: Evidence, smallest: float) -> Judged:
    """On which side of the limits the middle of the panel lies."""
    off = _controls_off_chance(evidence, smallest)
    if off:
        return Judged("broken", off)
    limit, middle = evidence.limit, evidence.median
    if limit is None or middle is None:
        return Judged(
            None, "no chance level is known; configs/report_cards.yaml takes one (chance_levels)"
        )
    if middle < limit:
        return Judged("control", f"the median, {middle:.3f}, is below {limit:.3f}")
    return Judged("separates models", f"the median, {middle:.3f}, is at least {limit:.3f}")


def _without_one(
    scores: Sequence[PanelScore], weigh: Callable[[Sequence[PanelScore]], Evidence], smallest: float
) -> Iterator[tuple[PanelScore, Evidence]]:
    """A model and what the others come to, best first; of models that change it alike, the first.

    Where the middle lies follows from three medians and from how many controls are off chance. A
    model that is left out moves a median by the side of it that the model is on, so there are few
    ways, however many models there are.
    """
    columns = zip(*((score.value, score.control, score.width) for score in scores), strict=True)
    sides = zip(*map(_sides, columns), strict=True)
    is_off: dict[tuple[_Side, ...], Callable[[float | None], bool]] = {}
    seen = set()
    for place, (left_out, own) in enumerate(zip(scores, sides, strict=True)):
        if own not in is_off:
            is_off[own] = _off_chance(weigh(_others(scores, place)), smallest)
        change = (own, is_off[own](left_out.control))
        if change not in seen:
            seen.add(change)
            yield left_out, weigh(_others(scores, place))


_Side = tuple[bool, bool] | None


def _sides(values: Sequence[float | None]) -> list[_Side]:
    """Whether each value lies in the lower and in the upper half; both in the middle of them."""
    known = [value for value in values if value is not None]
    if not known:
        return [None] * len(values)
    low, high = median_low(known), median_high(known)
    return [None if value is None else (value <= low, value >= high) for value in values]


def _others(scores: Sequence[PanelScore], place: int) -> list[PanelScore]:
    return [*scores[:place], *scores[place + 1 :]]


def _alike(evidence: Evidence, smallest: float) -> str | None:
    """Why the models that reach the limit are not separated; None where they are."""
    if evidence.apart is False:
        return (
            "the median reaches the limit, but best and worst of the models that do are not told "
            "apart: more test documents settle it, or models that differ more"
        )
    if evidence.apart is None and _effect_between(evidence) < smallest:
        return (
            "the median reaches the limit, but the scores that do are all alike: models that "
            "differ more settle it"
        )
    return None


def _effect_between(evidence: Evidence) -> float:
    """How far the best score lies above the lowest that reaches the limit."""
    chance, limit = evidence.chance, evidence.limit
    above = [value for value in evidence.values if limit is not None and value >= limit]
    if chance is None or not above:
        return 0.0
    return evidence.effect(above[0], chance) - evidence.effect(above[-1], chance)


def _controls_off_chance(evidence: Evidence, smallest: float) -> str | None:
    """What is wrong with the shuffled controls of most models; None where nothing is."""
    off = list(filter(_off_chance(evidence, smallest), evidence.controls))
    if 2 * len(off) <= len(evidence.controls):
        return None
    return (
        f"the shuffled control of {len(off)} of {counted(len(evidence.controls), 'model')} is not "
        f"at chance, {_expected(evidence):.3f}: {min(off):.3f} to {max(off):.3f}"
    )


def _off_chance(evidence: Evidence, smallest: float) -> Callable[[float | None], bool]:
    """What tells whether a shuffled control misses its level by more than noise."""
    expected, error = _expected(evidence), (evidence.interval_width or 0.0) / 2

    def is_off(level: float | None) -> bool:
        if level is None or expected is None:
            return False
        return abs(evidence.effect(level, expected)) >= smallest and abs(level - expected) > error

    return is_off


def _expected(evidence: Evidence) -> float | None:
    """What every shuffled control has to be near; None where nothing is demanded of it."""
    rule, measured = evidence.metric.chance, evidence.measured_chance
    if rule == "of_answers" or measured is None:
        return None
    return evidence.chance if rule == "fixed" else measured
