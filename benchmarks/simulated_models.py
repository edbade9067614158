"""Simulated models whose true scores are known, for what intervals and tests are measured on.

An item's outcome hangs on a part of its group, a part of its own and a part of the model alone, so
that items of a group are alike and models fail on the same items. True scores are those of a test
split without end, by formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.metrics.average_precision import average_precision
from evaluate_shelf.metrics.estimates import Estimate
from evaluate_shelf.metrics.pairs import auc_roc
from evaluate_shelf.metrics.rank_correlation import spearman
from evaluate_shelf.statistics.bootstrap import Units
from evaluate_shelf.statistics.sums import (
    GroupSums,
    ari_sums,
    macro_f1_sums,
    mean_sums,
    multilabel_macro_f1_sums,
)

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

MOST_USES = 8
_NORMAL = NormalDist()
# Parts of the group, of the item and of the model in the variance of an outcome.
_OF_GROUP, _OF_ITEM, _OF_MODEL = 0.3, 0.3, 0.4
_GRID = 20_001


class Simulated(NamedTuple):
    """Models' answers to one test split, and what they are worth.

    Attributes
    ----------
    statistics : list of GroupSums
        One for each model.
    truth : ndarray of float64, shape (n_models,)
        Their scores on a split without end.
    """

    statistics: list[GroupSums]
    truth: Floats


class SimulatedPairs(NamedTuple):
    """Models' scores of one set of pairs.

    Attributes
    ----------
    label : ndarray of bool, shape (n_pairs,)
    first, second : ndarray of int, shape (n_pairs,)
        The pairs' documents.
    scores : ndarray of float64, shape (n_models, n_pairs)
    truth : ndarray of float64, shape (n_models,)
        True areas under the ROC curve.
    """

    label: NDArray[np.bool_]
    first: Numbers
    second: Numbers
    scores: Floats
    truth: Floats


def groups_of(n_groups: int, largest: int, random: np.random.Generator) -> Units:
    """Groups of one to `largest` items."""
    sizes = random.integers(1, largest + 1, n_groups)
    return Units(np.repeat(np.arange(n_groups), sizes), n_groups)


def outcomes(groups: Units, n_models: int, random: np.random.Generator) -> Floats:
    """Standard normal outcomes, alike within groups and between models; (n_models, n_items)."""
    n_items = len(groups.of_item)
    of_group = random.normal(size=groups.number)[groups.of_item]
    of_model = random.normal(size=(n_models, n_items))
    shared = _OF_GROUP**0.5 * of_group + _OF_ITEM**0.5 * random.normal(size=n_items)
    return np.asarray(shared + _OF_MODEL**0.5 * of_model)


def means(
    levels: Sequence[float],
    n_groups: int,
    random: np.random.Generator,
    spreads: Sequence[float] | None = None,
    *,
    by_item: bool = False,
) -> Simulated:
    """Means of outcomes within [0, 1], such as nDCG.

    Parameters
    ----------
    levels : sequence of float
        True mean of each model.
    n_groups : int
        Number of groups, of one to five items each.
    random : numpy.random.Generator
    spreads : sequence of float, default=None
        How widely each model's outcomes scatter about its mean; 1 for all where absent.
    by_item : bool, default=False
        Whether each item is given as a group of its own, as if items were independent.
    """
    groups = groups_of(n_groups, 5, random)
    normal = outcomes(groups, len(levels), random)
    spread = np.array(spreads if spreads is not None else [1.0] * len(levels))
    # The mean of Phi(N(m, s^2)) is Phi(m / sqrt(1 + s^2)).
    centre = np.array([_NORMAL.inv_cdf(level) for level in levels]) * np.sqrt(1 + spread**2)
    values = _phi(centre[:, None] + spread[:, None] * normal)
    number = values.shape[1]
    resampled = Units(np.arange(number), number) if by_item else groups
    return Simulated([mean_sums(row, resampled) for row in values], np.array(levels))


def shares_of(n_labels: int) -> Floats:
    """Shares of labels of unequal size."""
    share = 1 / np.sqrt(np.arange(1, n_labels + 1))
    return np.asarray(share / share.sum())


def classifications(
    rights: Sequence[float],
    n_labels: int,
    n_groups: int,
    random: np.random.Generator,
    largest: int = 2,
) -> Simulated:
    """Macro-F1 of models that are right as often as given; a group's items have one label.

    A label's items are right more or less often, by up to 0.15 either way; the wrong ones are
    taken for any other label.
    """
    share = shares_of(n_labels)
    groups = groups_of(n_groups, largest, random)
    gold = random.choice(n_labels, size=n_groups, p=share)[groups.of_item]
    normal = outcomes(groups, len(rights), random)
    tilt = np.linspace(-0.15, 0.15, n_labels)
    other = random.integers(1, n_labels, normal.shape)
    statistics, truth = [], []
    for right, row, off in zip(rights, normal, other, strict=True):
        of_label = right + tilt
        is_right = _phi(row) < of_label[gold]
        predicted = np.where(is_right, gold, (gold + off) % n_labels)
        statistics.append(macro_f1_sums(gold, predicted, n_labels, groups))
        wrong = share * (1 - of_label) / (n_labels - 1)
        taken_for = share * of_label + wrong.sum() - wrong
        truth.append(float((2 * share * of_label / (share + taken_for)).mean()))
    return Simulated(statistics, np.array(truth))


def labellings(
    founds: Sequence[float], n_labels: int, n_groups: int, random: np.random.Generator
) -> Simulated:
    """Macro-F1 of models that find a document's labels as often as given, and one wrong in 200."""
    share = np.minimum(2.5 * shares_of(n_labels), 0.5)
    groups = groups_of(n_groups, 2, random)
    gold = (random.random((n_groups, n_labels)) < share)[groups.of_item]
    wrong = 0.005
    statistics, truth = [], []
    for found, row in zip(founds, outcomes(groups, len(founds), random), strict=True):
        hits = _phi(row)[:, None] < found
        predicted = np.where(gold, hits, random.random(gold.shape) < wrong)
        statistics.append(multilabel_macro_f1_sums(gold, predicted, groups))
        of_labels = 2 * share * found / (share + share * found + (1 - share) * wrong)
        truth.append(float(of_labels.mean()))
    return Simulated(statistics, np.array(truth))


def clusterings(
    rights: Sequence[float], n_labels: int, n_groups: int, random: np.random.Generator
) -> Simulated:
    """Adjusted Rand index of clusters that hold to labels as often as given.

    The rest falls into the clusters as it may. What is known is the index of the clusters as a
    rule for documents, not that of k-means anew on other documents.
    """
    share = shares_of(n_labels)
    groups = groups_of(n_groups, 2, random)
    gold = random.choice(n_labels, size=n_groups, p=share)[groups.of_item]
    statistics, truth = [], []
    for right, row in zip(rights, outcomes(groups, len(rights), random), strict=True):
        anywhere = random.integers(0, n_labels, len(gold))
        clusters = np.where(_phi(row) < right, gold, anywhere)
        statistics.append(ari_sums(gold, clusters, groups))
        joint = np.diag(share * right) + share[:, None] * (1 - right) / n_labels
        both = (joint**2).sum()
        of_labels, of_clusters = (share**2).sum(), (joint.sum(axis=0) ** 2).sum()
        expected = of_labels * of_clusters
        truth.append(float((both - expected) / ((of_labels + of_clusters) / 2 - expected)))
    return Simulated(statistics, np.array(truth))


def pairs(
    areas: Sequence[float],
    n_pairs: int,
    n_documents: int,
    of_documents: float,
    clear: bool,
    random: np.random.Generator,
) -> SimulatedPairs:
    """Scores of pairs to which both documents add what is theirs.

    Parameters
    ----------
    areas : sequence of float
        True area under the ROC curve of each model.
    n_pairs, n_documents : int
        Half of the pairs are positive; a document is in about eight pairs at most.
    of_documents : float
        Part of the two documents together in the variance of a score, within [0, 1].
    clear : bool
        Whether a document lifts its positive pairs and lowers its negative ones, or the other way
        round, as a text does that a model understands well, or badly; else it lifts or lowers all
        its pairs alike, which makes their order no worse.
    random : numpy.random.Generator
    """
    first, second = _documents(n_pairs, n_documents, random)
    label = np.arange(n_pairs) % 2 == 0
    scores = _noise(len(areas), first, second, n_documents, of_documents, random)
    if clear:
        scores = np.where(label, scores, -scores)
    # Scores have the variance 1, so those of a positive and a negative pair differ by N(gap, 2).
    gaps = np.array([2**0.5 * _NORMAL.inv_cdf(area) for area in areas])
    return SimulatedPairs(label, first, second, scores + gaps[:, None] * label, np.array(areas))


def graded(
    slope: float, n_pairs: int, n_documents: int, of_documents: float, random: np.random.Generator
) -> tuple[Estimate, SimulatedPairs]:
    """Spearman's correlation of scores with counts of 0 to 3, and the pairs behind it."""
    first, second = _documents(n_pairs, n_documents, random)
    count = np.arange(n_pairs) % 4
    scores = slope * count + _noise(1, first, second, n_documents, of_documents, random)
    made = SimulatedPairs(count > 0, first, second, scores, np.array([true_spearman(slope)]))
    return spearman(count, scores[0]), made


def estimates(made: SimulatedPairs) -> list[Estimate]:
    """Areas under the ROC curve with their influence values."""
    return [auc_roc(made.label, row) for row in made.scores]


def precisions(made: SimulatedPairs) -> list[Estimate]:
    """Average precisions with their influence values."""
    return [average_precision(made.label, row) for row in made.scores]


def true_average_precision(area: float) -> float:
    """Average precision that goes with an area, half of the pairs being positive."""
    gap = 2**0.5 * _NORMAL.inv_cdf(area)
    score = np.linspace(-9, 9 + gap, _GRID)
    above, above_negative = _phi(gap - score), _phi(-score)
    density = np.exp(-((score - gap) ** 2) / 2) / (2 * np.pi) ** 0.5
    # Far up there is neither kind of pair, and nothing weighs on what the precision is there.
    both = np.maximum(above + above_negative, 1e-300)
    return float(np.trapezoid(density * above / both, score))


def true_spearman(slope: float) -> float:
    """Spearman's correlation of a count of 0 to 3, each as often, with N(slope * count, 1)."""
    counts = np.arange(4)
    score = np.linspace(-9, 9 + 3 * slope, _GRID)
    density = np.exp(-((score - slope * counts[:, None]) ** 2) / 2) / (2 * np.pi) ** 0.5
    below = _phi(score - slope * counts[:, None]).mean(axis=0) - 0.5
    u = (counts + 0.5) / 4 - 0.5
    product = np.trapezoid((density * u[:, None]).mean(axis=0) * below, score)
    # The squares' mean is 1/12 for scores without ties.
    return float(product / np.sqrt((u**2).mean() / 12))


def _documents(
    n_pairs: int, n_documents: int, random: np.random.Generator
) -> tuple[Numbers, Numbers]:
    slots = random.permutation(np.repeat(np.arange(n_documents), MOST_USES))
    first, second = slots[:n_pairs], slots[n_pairs : 2 * n_pairs]
    return first, np.where(first == second, (second + 1) % n_documents, second)


def _noise(
    n_models: int,
    first: Numbers,
    second: Numbers,
    n_documents: int,
    of_documents: float,
    random: np.random.Generator,
) -> Floats:
    """Scores without what the label adds, of variance 1; models have half of everything alike."""
    effects = _half_alike(n_models, n_documents, random)
    own = _half_alike(n_models, len(first), random)
    of_both = (of_documents / 2) ** 0.5 * (effects[:, first] + effects[:, second])
    return np.asarray(of_both + (1 - of_documents) ** 0.5 * own)


def _half_alike(n_models: int, number: int, random: np.random.Generator) -> Floats:
    shared = random.normal(size=number)
    return np.asarray(0.5**0.5 * (shared + random.normal(size=(n_models, number))))


def _phi(values: Floats) -> Floats:
    from scipy.special import ndtr

    return np.asarray(ndtr(values))
