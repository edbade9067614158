"""A contest before correction: differences and ranks, each task by itself.

Holm's correction is over all tasks, so what it decides - which models are told apart, and so the
tie groups - comes when all drafts are there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.comparison.entries import Entry
from evaluate_shelf.comparison.outcomes import Grouped, Paired
from evaluate_shelf.registry.protocol_settings import BootstrapSettings
from evaluate_shelf.statistics.bootstrap import units
from evaluate_shelf.statistics.differences import (
    Differences,
    bootstrap_differences,
    pair_differences,
    task_differences,
)
from evaluate_shelf.statistics.dyadic import dyadic_covariance
from evaluate_shelf.statistics.model_pairs import all_pairs
from evaluate_shelf.statistics.p_values import FEWEST_UNITS, student_p
from evaluate_shelf.statistics.permutation import permutation_tests
from evaluate_shelf.statistics.ranks import Ranks, normal_replicates, rank_intervals
from evaluate_shelf.statistics.resamples import copies_matrix
from evaluate_shelf.statistics.sums import mean_sums, replicated

Floats = NDArray[np.float64]
# Value, interval and number of items.
Score = tuple[float, float | None, float | None, int]

_OF_THE_MEAN = "mean over tasks"


class Tests(NamedTuple):
    """What is corrected: a test of every difference, in the order of `all_pairs`.

    Attributes
    ----------
    p : ndarray of float64, shape (n_pairs,)
        Two-sided, from the differences in standard errors.
    error : ndarray of float64, shape (n_pairs,)
        These errors.
    freedom : float
        Degrees of freedom of Student's distribution; infinite for the normal one.
    """

    p: Floats
    error: Floats
    freedom: float


class Draft(NamedTuple):
    """Models compared on one score, before correction.

    Attributes
    ----------
    models : list of str
        Names, best score first.
    scores : list of (float, float or None, float or None, int)
        Value, interval and number of items of each.
    unit : str
        What is resampled.
    n_units : int
        How many there are.
    differences : Differences or None
        Of all pairs, in the order of `all_pairs`; None where there is nothing to resample.
    tests : Tests or None
        None where there are too few units to test anything.
    p_bootstrap : ndarray of float64, shape (n_pairs,), or None
        Counted over resamples; None where there are none.
    permutation : list of float or None
        By pair; None where the test is not defined.
    why_no_permutation : str or None
        Why one is None.
    ranks : Ranks or None
        Intervals of the ranks over the resamples.
    """

    models: list[str]
    scores: list[Score]
    unit: str
    n_units: int
    differences: Differences | None
    tests: Tests | None
    p_bootstrap: Floats | None
    permutation: list[float | None]
    why_no_permutation: str | None
    ranks: Ranks | None

    @property
    def values(self) -> Floats:
        """The models' scores."""
        return np.array([value for value, *_ in self.scores])


def draft_of_task(entries: Sequence[Entry], task: str, settings: BootstrapSettings) -> Draft:
    """Compare models on a task.

    Parameters
    ----------
    entries : sequence of Entry
        Of one task, best score first; at least two.
    task : str
        Its id, part of the random streams' keys.
    settings : BootstrapSettings
        Replicates, seed and level of the protocol.
    """
    grouped = [e.outcomes for e in entries if isinstance(e.outcomes, Grouped)]
    if len(grouped) == len(entries):
        return _of_groups(entries, grouped, task, settings)
    return _of_pairs(
        entries, [e.outcomes for e in entries if isinstance(e.outcomes, Paired)], task, settings
    )


def draft_of_mean(
    models: Sequence[str], tasks: Sequence[str], scores: Floats, settings: BootstrapSettings
) -> Draft:
    """Compare models on the mean over tasks, with tasks as units.

    Parameters
    ----------
    models : sequence of str
        Names, best mean first.
    tasks : sequence of str
        Ids of the tasks; at least two.
    scores : ndarray of float64, shape (n_tasks, n_models)
        Each model's score on each task.
    settings : BootstrapSettings
        Replicates, seed and level of the protocol.
    """
    groups = units(tasks)
    permutation = permutation_tests(
        [mean_sums(np.ascontiguousarray(column), groups) for column in scores.T],
        task=_OF_THE_MEAN,
        seed=settings.seed,
        replicates=settings.replicates,
    )
    differences = task_differences(scores, level=settings.level)
    tests = differences and Tests(differences.p, differences.error, len(tasks) - 1)
    return Draft(
        models=list(models),
        scores=[(float(mean), None, None, len(tasks)) for mean in scores.mean(axis=0)],
        unit="task",
        n_units=len(tasks),
        differences=differences,
        tests=tests,
        p_bootstrap=None,
        permutation=permutation.p.tolist(),
        why_no_permutation=None,
        ranks=None,
    )


def _of_groups(
    entries: Sequence[Entry], outcomes: Sequence[Grouped], task: str, settings: BootstrapSettings
) -> Draft:
    statistics = [own.sums for own in outcomes]
    values = np.array([entry.score["value"] for entry in entries])
    n_units = statistics[0].n_units
    differences, ranks, tests = None, None, None
    if n_units > 1:
        copies = copies_matrix(
            n_units, task=task, seed=settings.seed, replicates=settings.replicates
        )
        resampled = replicated(statistics, copies)
        differences = bootstrap_differences(values, resampled, level=settings.level)
        ranks = rank_intervals(resampled, settings.level)
    # A group without any score adds nothing to what is known of the error.
    n_scored = min(entry.score["n_units"] for entry in entries)
    if differences is not None and n_scored >= FEWEST_UNITS:
        tests = Tests(
            p=student_p(differences.value, differences.error, n_scored),
            error=differences.error * np.sqrt(n_scored / (n_scored - 1)),
            freedom=n_scored - 1,
        )
    permutation, why_not = _permutation(outcomes, task, settings)
    return Draft(
        **_of_entries(entries),
        differences=differences,
        tests=tests,
        p_bootstrap=None if differences is None else differences.p,
        permutation=permutation,
        why_no_permutation=why_not,
        ranks=ranks,
    )


def _permutation(
    outcomes: Sequence[Grouped], task: str, settings: BootstrapSettings
) -> tuple[list[float | None], str | None]:
    """p-values of all pairs, None where models' items cannot be exchanged, and why."""
    every = all_pairs(len(outcomes))
    if not all(own.sums.swappable for own in outcomes):
        return [None] * len(every), "clusters of two models have no numbers in common"
    alike = [
        pair for pair in every if np.array_equal(outcomes[pair[0]].scored, outcomes[pair[1]].scored)
    ]
    found: dict[tuple[int, int], float] = {}
    if alike:
        tests = permutation_tests(
            [own.sums for own in outcomes],
            task=task,
            seed=settings.seed,
            replicates=settings.replicates,
            pairs=alike,
        )
        found = dict(zip(alike, tests.p.tolist(), strict=True))
    why_not = None if len(alike) == len(every) else "two models were not asked the same queries"
    return [found.get(pair) for pair in every], why_not


def _of_pairs(
    entries: Sequence[Entry], outcomes: Sequence[Paired], task: str, settings: BootstrapSettings
) -> Draft:
    values = np.array([entry.score["value"] for entry in entries])
    influences = np.array([own.estimate.influence for own in outcomes])
    first, second, _ = outcomes[0].documents
    drawn = normal_replicates(
        values,
        dyadic_covariance(influences, first, second),
        task=task,
        seed=settings.seed,
        replicates=settings.replicates,
    )
    differences = pair_differences(values, influences, (first, second), level=settings.level)
    return Draft(
        **_of_entries(entries),
        differences=differences,
        tests=Tests(differences.p, differences.error, np.inf),
        p_bootstrap=None,
        permutation=[None] * len(differences.p),
        why_no_permutation="pairs share documents, so none can be exchanged by itself",
        ranks=rank_intervals(drawn, settings.level),
    )


def _of_entries(entries: Sequence[Entry]) -> dict[str, Any]:
    """What a draft takes from the runs' scores as they are."""
    scores = [entry.score for entry in entries]
    return {
        "models": [entry.model for entry in entries],
        "scores": [(row["value"], row["low"], row["high"], row["n"]) for row in scores],
        "unit": scores[0]["unit"],
        "n_units": max(row["n_units"] for row in scores),
    }
