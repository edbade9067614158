"""One repetition of each simulation of `benchmarks.coverage`: what an interval covered.

A row holds 1.0 for yes, 0.0 for no, NaN where a question does not arise, or a size; means over
repetitions are what the page shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulated_models import (
    Simulated,
    SimulatedPairs,
    classifications,
    clusterings,
    estimates,
    graded,
    labellings,
    means,
    pairs,
    precisions,
    true_average_precision,
)
from evaluate_shelf.metrics.estimates import Estimate
from evaluate_shelf.statistics.differences import (
    Differences,
    bootstrap_differences,
    pair_differences,
)
from evaluate_shelf.statistics.dyadic import dyadic_variance, normal_interval
from evaluate_shelf.statistics.intervals import (
    Interval,
    percentile_intervals,
    reflected,
    stated_interval,
)
from evaluate_shelf.statistics.resamples import copies_matrix
from evaluate_shelf.statistics.streams import stream
from evaluate_shelf.statistics.sums import GroupSums, observed, replicated
from evaluate_shelf.transfer.agreement import model_copies, resampled_spearman, spearman

Floats = NDArray[np.float64]
Row = list[float]

SEED, REPLICATES, LEVEL = 42, 2_000, 0.95
N_PAIRS, N_DOCUMENTS, AREAS = 400, 300, (0.84, 0.79)
N_MODELS = 24
KEY: dict[str, Any] = {"seed": SEED, "replicates": REPLICATES}


class Setting(NamedTuple):
    """A task that is simulated.

    Attributes
    ----------
    draw : callable
        From the two models' levels and a random generator to their answers.
    levels : (float, float)
        How good the two models are.
    """

    draw: Callable[[Sequence[float], np.random.Generator], Simulated]
    levels: tuple[float, float]


ITEMS = {
    "nDCG, 900 queries in 300 groups": Setting(lambda s, r: means(s, 300, r), (0.62, 0.60)),
    "the same, queries resampled one by one": Setting(
        lambda s, r: means(s, 300, r, by_item=True), (0.62, 0.60)
    ),
    "nDCG, 180 queries in 60 groups": Setting(lambda s, r: means(s, 60, r), (0.62, 0.60)),
    "macro-F1, 21 classes, 750 documents": Setting(
        lambda s, r: classifications(s, 21, 500, r), (0.70, 0.66)
    ),
    "macro-F1, 21 classes, 90 documents": Setting(
        lambda s, r: classifications(s, 21, 60, r), (0.70, 0.66)
    ),
    "macro-F1, 133 classes, 6,000 documents": Setting(
        lambda s, r: classifications(s, 133, 4000, r), (0.70, 0.66)
    ),
    "macro-F1, 133 classes, 900 documents": Setting(
        lambda s, r: classifications(s, 133, 600, r), (0.70, 0.66)
    ),
    "macro-F1, 112 topics, 1,500 documents": Setting(
        lambda s, r: labellings(s, 112, 1000, r), (0.70, 0.66)
    ),
    "ARI, 21 classes, 1,500 documents": Setting(
        lambda s, r: clusterings(s, 21, 1000, r), (0.70, 0.66)
    ),
    "ARI, 21 classes, 450 documents": Setting(
        lambda s, r: clusterings(s, 21, 300, r), (0.70, 0.66)
    ),
}


class Documents(NamedTuple):
    """How documents have a part in the scores of their pairs; see `simulated_models.pairs`."""

    number: int
    part: float
    clear: bool


HALF = Documents(N_DOCUMENTS, 0.5, True)
DOCUMENTS = {
    "none": Documents(N_DOCUMENTS, 0.0, True),
    "a half, on all its pairs alike": Documents(N_DOCUMENTS, 0.5, False),
    "a half, clear or not": HALF,
    f"the same, {N_PAIRS // 4} documents in 8 pairs each": Documents(N_PAIRS // 4, 0.5, True),
}


def item_row(name: str, number: int) -> Row:
    """A score and a difference of two from items.

    Of the better model's score: whether its percentile interval covers, lies below or lies above
    the truth, whether the interval covers that scores of F1 have, and the score's error. Of the
    difference: whether its percentile interval and its reflected interval cover, and the width of
    the first.
    """
    draw, levels = ITEMS[name]
    statistics, truth = draw(levels, stream(SEED, "coverage", name, number))
    values = np.array([observed(one) for one in statistics])
    drawn = replicated(statistics, copies(statistics[0].n_units))
    difference = float(values[0] - values[1])
    resampled = np.column_stack([drawn, drawn[:, 0] - drawn[:, 1]])
    percentile = percentile_intervals(resampled, LEVEL)
    if percentile is None:
        raise ValueError("no resample defines all metrics")
    gap = truth[0] - truth[1]
    return [
        _holds(percentile[0], truth[0]),
        float(percentile[0].high < truth[0]),
        float(percentile[0].low > truth[0]),
        _holds(stated_interval("macro_f1", float(values[0]), percentile[0]), truth[0]),
        values[0] - truth[0],
        _holds(percentile[2], gap),
        _holds(reflected(difference, percentile[2], (-1.0, 1.0)), gap),
        percentile[2].high - percentile[2].low,
    ]


def pair_row(name: str, number: int) -> Row:
    """An AUC and a difference of two by four rules: dyadic, text, code, naive.

    Whether each of the four AUC's intervals covers, whether each of the four differences' does, and
    the widths of the AUC's.
    """
    documents = DOCUMENTS[name]
    made = pairs(AREAS, N_PAIRS, *documents, stream(SEED, "coverage", name, number))
    estimated = estimates(made)
    differences = pair_differences_of(estimated, made)
    of_auc = [_dyadic_interval(estimated[0], made)]
    of_difference = [Interval(float(differences.low[0]), float(differences.high[0]))]
    for weights in _pair_weights(made, documents.number):
        aucs = np.column_stack([_weighted_auc(made.label, row, weights) for row in made.scores])
        found = percentile_intervals(np.column_stack([aucs, aucs[:, 0] - aucs[:, 1]]), LEVEL)
        if found is None:
            raise ValueError("no resample has pairs of both labels")
        of_auc.append(found[0])
        of_difference.append(found[2])
    return [
        *(_holds(interval, AREAS[0]) for interval in of_auc),
        *(_holds(interval, AREAS[0] - AREAS[1]) for interval in of_difference),
        *(interval.high - interval.low for interval in of_auc),
    ]


def other_pair_row(number: int) -> Row:
    """An average precision, a difference of two, and a Spearman correlation with counts.

    Whether each is covered, then the errors of the first and the last.
    """
    random = stream(SEED, "coverage", "other metrics of pairs", number)
    made = pairs(AREAS, N_PAIRS, *HALF, random)
    better, worse = _true_precisions()
    found = precisions(made)
    differences = pair_differences_of(found, made)
    correlation, of_counts = graded(0.5, N_PAIRS, *HALF[:2], random)
    truth = float(of_counts.truth[0])
    return [
        _holds(_dyadic_interval(found[0], made), better),
        _holds(Interval(differences.low[0], differences.high[0]), better - worse),
        _holds(_dyadic_interval(correlation, of_counts, (-1.0, 1.0)), truth),
        found[0].value - better,
        correlation.value - truth,
    ]


def correlation_row(truth: float, number: int) -> Row:
    """The interval of a rank correlation over models.

    Whether it covers, its width, whether it lies below or above the truth, whether the
    preregistered condition on one correlation holds, and whether Fisher's interval covers.
    """
    random = stream(SEED, "correlation", str(truth), number)
    # Spearman's correlation of normal values with Pearson's r is 6 / pi * asin(r / 2).
    pearson = 2 * np.sin(np.pi * truth / 6)
    x = random.normal(size=N_MODELS)
    y = pearson * x + (1 - pearson**2) ** 0.5 * random.normal(size=N_MODELS)
    found = percentile_intervals(resampled_spearman(x, y, _model_copies())[:, None], LEVEL)
    value = spearman(x, y)
    if found is None or value is None:
        raise ValueError("all models have one score")
    interval = found[0]
    half = 1.959964 * ((1 + value**2 / 2) / (N_MODELS - 3)) ** 0.5
    fisher = Interval(*np.tanh(np.arctanh(value) + np.array([-half, half])).tolist())
    return [
        _holds(interval, truth),
        interval.high - interval.low,
        float(interval.high < truth),
        float(interval.low > truth),
        float(value >= 0.6 and interval.low > 0),
        _holds(fisher, truth),
    ]


def bootstrapped(statistics: Sequence[GroupSums]) -> tuple[Floats, Differences]:
    """Scores, and the differences of all pairs."""
    values = np.array([observed(one) for one in statistics])
    drawn = replicated(statistics, copies(statistics[0].n_units))
    differences = bootstrap_differences(values, drawn, level=LEVEL)
    if differences is None:
        raise ValueError("no resample defines all metrics")
    return values, differences


def pair_differences_of(found: Sequence[Estimate], made: SimulatedPairs) -> Differences:
    """Differences of all models, by the dyadic variance."""
    values = np.array([one.value for one in found])
    influences = np.array([one.influence for one in found])
    return pair_differences(values, influences, (made.first, made.second), level=LEVEL)


def _dyadic_interval(
    estimate: Estimate, made: SimulatedPairs, bounds: tuple[float, float] = (0.0, 1.0)
) -> Interval:
    variance = dyadic_variance(estimate.influence, made.first, made.second)
    return normal_interval(estimate.value, variance, LEVEL, bounds)


def _pair_weights(made: SimulatedPairs, n_documents: int) -> list[NDArray[np.float32]]:
    """How often a pair counts by the paper's text, by its code, and by resampling pairs.

    Of shape (n_pairs, n_replicates) each.
    """
    of_document = _transposed(n_documents, "coverage")
    first, second = of_document[made.first], of_document[made.second]
    return [first + second, first * second, _transposed(N_PAIRS, "pairs")]


def _weighted_auc(label: NDArray[np.bool_], score: Floats, weights: NDArray[np.float32]) -> Floats:
    """Area under the ROC curve under each column of weights, for scores without ties."""
    order = np.argsort(score)
    positives = np.flatnonzero(label[order])
    ordered = weights[order]
    positive = ordered[positives]
    ordered[positives] = 0
    negative_below = np.cumsum(ordered, axis=0)
    positive_by_negative = (positive * negative_below[positives]).sum(axis=0, dtype=np.float64)
    both = positive.sum(axis=0, dtype=np.float64) * negative_below[-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(positive_by_negative / both)


def _holds(interval: Interval, truth: float) -> float:
    return float(interval.low <= truth <= interval.high)


@cache
def copies(n_units: int, task: str = "coverage") -> NDArray[np.uint16]:
    """The same resamples in all repetitions, as a task's seed gives them in every comparison."""
    return copies_matrix(n_units, task=task, **KEY)


@cache
def _transposed(n_units: int, task: str) -> NDArray[np.float32]:
    return np.ascontiguousarray(copies(n_units, task).T, dtype=np.float32)


@cache
def _model_copies() -> Floats:
    return model_copies(N_MODELS, **KEY)


@cache
def _true_precisions() -> tuple[float, float]:
    return true_average_precision(AREAS[0]), true_average_precision(AREAS[1])
