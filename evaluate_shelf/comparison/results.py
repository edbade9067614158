"""What a comparison of models comes to: plain values, ready for JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Standing:
    """A model's score among the others on a task, or on the mean over tasks.

    Attributes
    ----------
    model : str
        Its name, with the run's id where two runs have one name.
    value : float
        The score of its run.
    low, high : float or None
        Interval of the score, as its run has it; None for the mean over tasks.
    n : int
        Number of items, or of tasks, that the score is over.
    rank : int
        Place by the score; equal scores share the best one.
    rank_low, rank_high : int or None
        Interval of the rank over the resamples, for this model by itself; None where there is
        nothing to resample, and for the mean over tasks.
    place_low, place_high : int
        Best and worst rank that the tests leave open: these bounds hold for all models together.
    groups : tuple of str
        Letters: two models that share one cannot be told apart.
    """

    model: str
    value: float
    low: float | None
    high: float | None
    n: int
    rank: int
    rank_low: int | None
    rank_high: int | None
    place_low: int
    place_high: int
    groups: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """Two models' scores, the one that stands higher less the other.

    Attributes
    ----------
    first, second : str
        The models; the first has the higher score, or an equal one.
    value : float
        The difference of their scores.
    low, high : float or None
        Its interval: from the resamples that both scores' intervals come from; for pairs of
        documents, from the dyadic variance; for the mean, Student's over tasks. None where there
        is nothing to resample.
    error : float or None
        Its standard error.
    p : float or None
        Two-sided, of the difference in standard errors, by Student's distribution over the units
        (for pairs of documents, the normal one): what `p_holm` corrects. A p-value that is counted
        over 2,000 resamples is never below 1 in 1,000, which a correction for many tests leaves
        standing nowhere. None where there are fewer than six groups.
    p_bootstrap : float or None
        Two-sided, counted over the resamples; None where there are none.
    p_permutation : float or None
        Two-sided, from exchanging the two models' items group by group, or their scores task by
        task; None where that is not defined.
    p_holm : float or None
        `p` after Holm's correction: over all differences of all tasks that are compared; for the
        mean, over the differences of the mean.
    told_apart : bool
        Whether `p_holm` is at most one minus the level.
    """

    first: str
    second: str
    value: float
    low: float | None
    high: float | None
    error: float | None
    p: float | None
    p_bootstrap: float | None
    p_permutation: float | None
    p_holm: float | None
    told_apart: bool


@dataclass(frozen=True)
class Contest:
    """Models compared on one score.

    Attributes
    ----------
    unit : str
        What is resampled: a column of groups, the documents of pairs, or tasks.
    n_units : int
        How many there are.
    n_undefined : int
        Resamples that count for none, since a model's metric is not defined in them.
    standings : tuple of Standing
        Best score first.
    differences : tuple of Difference
        Every two models, in the order of the standings.
    smallest_difference : float or None
        What a difference has to be to be told apart before all others, by the median over
        neighbours: at one minus the level, divided by the number of differences that are corrected
        together, as Holm's method asks of the first. The next ones need a little less. None where
        nothing is tested.
    smallest_difference_with_power : float or None
        The true difference that is told apart so four times in five.
    why_no_permutation : str or None
        Why differences have no `p_permutation`.
    """

    unit: str
    n_units: int
    n_undefined: int
    standings: tuple[Standing, ...]
    differences: tuple[Difference, ...]
    smallest_difference: float | None
    smallest_difference_with_power: float | None
    why_no_permutation: str | None


@dataclass(frozen=True)
class TaskContest:
    """Models compared on a task's primary metric.

    Attributes
    ----------
    control : bool
        Whether the task is at or near chance by nature; it is in no mean.
    contest : Contest
        Of the models that have a score.
    lacking : dict of str to str
        By model, why it has none.
    """

    task: str
    formulation: str
    facet: str
    metric: str
    control: bool
    contest: Contest
    lacking: dict[str, str]


@dataclass(frozen=True)
class MeanContest:
    """Models compared on the mean over tasks that all of them have.

    Attributes
    ----------
    tasks : tuple of str
        What the mean is over, by the rule of `shelf leaderboard`.
    contest : Contest
        Of the models that have all of them.
    lacking : dict of str to tuple of str
        By model without a mean, the tasks that it has no score on.
    """

    tasks: tuple[str, ...]
    contest: Contest
    lacking: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Comparison:
    """Models compared on every task that at least two of them have.

    Attributes
    ----------
    release_id, config, protocol : str
        What the runs have in common.
    limit : int or None
        Documents a split, for smoke runs.
    level : float
        Coverage of the intervals.
    replicates, seed : int
        Of the resamples.
    n_tests : int
        How many differences of tasks Holm's correction is over.
    tasks : tuple of TaskContest
        In the registry's order.
    mean : MeanContest or None
        None where fewer than two tasks, or fewer than two models, have a mean.
    """

    release_id: str
    config: str
    protocol: str
    limit: int | None
    level: float
    replicates: int
    seed: int
    n_tests: int
    tasks: tuple[TaskContest, ...]
    mean: MeanContest | None


def as_values(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain values, for JSON."""
    return asdict(comparison)
