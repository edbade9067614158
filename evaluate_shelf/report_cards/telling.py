"""Whether two models' scores on a task are told apart, and by what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from evaluate_shelf.comparison.results import Comparison
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.report_cards.scores import PanelScore


class Telling(NamedTuple):
    """What tells two models of a task apart.

    Attributes
    ----------
    by : str
        `tests`, those of a comparison, or `intervals` that do not overlap.
    apart : callable
        Of two scores, the higher one first: whether they are told apart; None where nothing tells.
    """

    by: Literal["tests", "intervals"]
    apart: Callable[[PanelScore, PanelScore], bool | None]


def telling_of(comparison: Comparison | None, task: Task, scores: Sequence[PanelScore]) -> Telling:
    """The tests of a comparison where it covers all these models on the task, else intervals."""
    contests = (
        own.contest for own in (comparison.tasks if comparison else ()) if own.task == task.id
    )
    letters = {
        one.model: frozenset(one.groups) for contest in contests for one in contest.standings
    }
    if not all(score.model in letters for score in scores):
        return Telling("intervals", _without_overlap)
    return Telling("tests", lambda one, other: not letters[one.model] & letters[other.model])


def share_told_apart(telling: Telling, scores: Sequence[PanelScore]) -> float | None:
    """Share of neighbouring ranks that are told apart.

    None with fewer than two models, and where a pair is not known: the share would be one of other
    ranks than it says.
    """
    pairs = [telling.apart(*two) for two in pairwise(scores)]
    known = [apart for apart in pairs if apart is not None]
    return sum(known) / len(known) if known and len(known) == len(pairs) else None


def _without_overlap(above: PanelScore, below: PanelScore) -> bool | None:
    if above.low is None or below.high is None:
        return None
    return above.low > below.high
