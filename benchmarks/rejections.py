"""One repetition of each question of benchmarks/coverage.py on tests and ranks.

A row is as in repetitions.py: 1.0 for yes, 0.0 for no, NaN where a question does not arise, or a
size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.repetitions import (
    AREAS,
    HALF,
    ITEMS,
    KEY,
    LEVEL,
    N_PAIRS,
    SEED,
    Floats,
    Row,
    Setting,
    bootstrapped,
    copies,
    pair_differences_of,
)
from benchmarks.simulated_models import (
    estimates,
    means,
    pairs,
)
from evaluate_shelf.statistics.bootstrap import Units
from evaluate_shelf.statistics.differences import (
    Differences,
    task_differences,
)
from evaluate_shelf.statistics.dyadic import dyadic_covariance
from evaluate_shelf.statistics.holm import holm
from evaluate_shelf.statistics.model_pairs import square
from evaluate_shelf.statistics.p_values import student_p
from evaluate_shelf.statistics.permutation import permutation_tests
from evaluate_shelf.statistics.ranks import (
    Ranks,
    normal_replicates,
    rank_intervals,
    ranks_by_tests,
)
from evaluate_shelf.statistics.streams import stream
from evaluate_shelf.statistics.sums import GroupSums, mean_sums, replicated

ALPHA = 1 - LEVEL
N_FAMILY, FAMILY_GAP = 10, 0.01
N_TESTS = 24

TESTED = {
    **{
        name: ITEMS[name]
        for name in (
            "nDCG, 900 queries in 300 groups",
            "nDCG, 180 queries in 60 groups",
            "macro-F1, 21 classes, 750 documents",
            "macro-F1, 21 classes, 90 documents",
            "macro-F1, 133 classes, 900 documents",
            "ARI, 21 classes, 1,500 documents",
        )
    },
    "nDCG, one model's scatter half the other's": Setting(
        lambda s, r: means(s, 300, r, spreads=[1.0, 0.5]), (0.62, 0.60)
    ),
}


def tested_items(name: str, apart: bool, number: int) -> Row:
    """Whether two models of one score, or of two, are told apart by items.

    By the bootstrap's p-value, by Student's, by that at a level as Holm's correction of 24 tests
    asks of the first, and by permutation.
    """
    draw, (better, worse) = TESTED[name]
    levels = (better if apart else worse, worse)
    statistics, _ = draw(levels, stream(SEED, "tests", name, str(apart), number))
    _, differences = bootstrapped(statistics)
    by_permutation = np.nan
    if statistics[0].swappable:
        tests = permutation_tests(statistics, task="coverage", **KEY)
        by_permutation = float(tests.p[0] <= ALPHA)
    p = _student_p(differences, statistics)[0]
    return [_rejected(differences.p[0]), _rejected(p), float(p <= ALPHA / N_TESTS), by_permutation]


def tested_pairs(apart: bool, number: int) -> Row:
    """As `tested_items`, by the z test of the dyadic variance."""
    areas = AREAS if apart else (AREAS[1], AREAS[1])
    random = stream(SEED, "tests", "pairs", str(apart), number)
    made = pairs(areas, N_PAIRS, *HALF, random)
    p = pair_differences_of(estimates(made), made).p_normal[0]
    return [np.nan, _rejected(p), float(p <= ALPHA / N_TESTS), np.nan]


def tested_tasks(n_tasks: int, apart: bool, number: int) -> Row:
    """As `tested_items`, for means over tasks; Student's test stands for the normal one."""
    random = stream(SEED, "tests", "tasks", n_tasks, str(apart), number)
    of_task = random.normal(0.5, 0.15, (n_tasks, 1))
    scores = of_task + random.normal(0, 0.02, (n_tasks, 2)) + np.array([0.02 * apart, 0.0])
    alone = Units(np.arange(n_tasks), n_tasks)
    statistics = [mean_sums(np.ascontiguousarray(column), alone) for column in scores.T]
    _, differences = bootstrapped(statistics)
    student = task_differences(scores, level=LEVEL)
    if student is None:
        raise ValueError("a mean over one task has no error")
    tests = permutation_tests(statistics, task="coverage", **KEY)
    p = student.p_normal[0]
    return [
        _rejected(differences.p[0]),
        _rejected(p),
        float(p <= ALPHA / N_TESTS),
        _rejected(tests.p[0]),
    ]


def family_of_items(equal: bool, number: int) -> Row:
    """Ten models on items: see `_family`."""
    levels = 0.6 + FAMILY_GAP * (0 if equal else 1) * np.arange(N_FAMILY)
    random = stream(SEED, "family", "items", str(equal), number)
    statistics, truth = means(levels.tolist(), 300, random)
    values, differences = bootstrapped(statistics)
    drawn = replicated(statistics, copies(statistics[0].n_units))
    p = _student_p(differences, statistics)
    return _family(values, truth, differences, p, rank_intervals(drawn, LEVEL))


def family_of_pairs(equal: bool, number: int) -> Row:
    """Ten models on pairs: see `_family`."""
    areas = 0.75 + FAMILY_GAP * (0 if equal else 1) * np.arange(N_FAMILY)
    random = stream(SEED, "family", "pairs", str(equal), number)
    made = pairs(areas.tolist(), N_PAIRS, *HALF, random)
    estimated = estimates(made)
    values = np.array([one.value for one in estimated])
    influences = np.array([one.influence for one in estimated])
    covariance = dyadic_covariance(influences, made.first, made.second)
    drawn = normal_replicates(values, covariance, task="coverage", **KEY)
    differences = pair_differences_of(estimated, made)
    ranks = rank_intervals(drawn, LEVEL)
    return _family(values, made.truth, differences, differences.p_normal, ranks)


def _family(
    values: Floats, truth: Floats, differences: Differences, p: Floats, ranks: Ranks | None
) -> Row:
    """Whether any two models are told apart, and whether ranks are covered.

    By Holm's correction of `p` and of the bootstrap's p-values; then the share of the models'
    rank intervals with the true rank, by resamples and by tests, the mean number of ranks in an
    interval of each, and whether all intervals by tests hold at once.
    """
    apart = holm(p) <= ALPHA
    differ = square(differences.first, differences.second, apart.astype(np.float64)) > 0
    by_tests = ranks_by_tests(values, differ)
    if ranks is None:
        raise ValueError("no resample defines all metrics")
    true_rank = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    covered = [(own.low <= true_rank) & (true_rank <= own.high) for own in (ranks, by_tests)]
    return [
        float(apart.any()),
        float((holm(differences.p) <= ALPHA).any()),
        *(float(own.mean()) for own in covered),
        *(float((own.high - own.low + 1).mean()) for own in (ranks, by_tests)),
        float(covered[1].all()),
    ]


def _rejected(p: float) -> float:
    return float(p <= ALPHA)


def _student_p(differences: Differences, statistics: Sequence[GroupSums]) -> Floats:
    """What comparisons correct, for tasks that are resampled."""
    return student_p(differences.value, differences.error, statistics[0].n_units)
