"""Metrics of multi-label classification, for many sets of item weights at a time.

A weight says how often an item counts: a bootstrap's replicates are rows of weights. F1 is read
off counts that are linear in the weights, mean average precision off sorted orders that are found
once, and the other metrics are means over items.

Undefined cases have one rule each. F1 of a label or an item with neither gold nor prediction is 0;
the means over labels take the labels that gold has, under the weights. A mean over no label or no
item is NaN. A document without a gold label is ranked perfectly, as scikit-learn has it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.parallel import in_order

Members = NDArray[np.bool_]
Floats = NDArray[np.float64]

_REPLICATES = 32


class MultilabelCounts(NamedTuple):
    """How much weight each label has; the first axis, if any, is that of the sets of weights.

    Attributes
    ----------
    both, gold, predicted : ndarray of float64, shape (n_labels,) or (n_replicates, n_labels)
        Weight of the items that have the label in gold and in the predictions, in gold, and in
        the predictions.
    """

    both: Floats
    gold: Floats
    predicted: Floats


def multilabel_counts(
    gold: Members, predicted: Members, weights: Floats | None = None
) -> MultilabelCounts:
    """Count each label's items.

    Parameters
    ----------
    gold, predicted : ndarray of bool, shape (n, n_labels)
    weights : ndarray of float64, shape (n,) or (n_replicates, n), default=None
        How often each item counts; once where absent.

    Examples
    --------
    >>> counts = multilabel_counts(np.array([[True, False], [True, True]]), np.eye(2, dtype=bool))
    >>> counts.both.tolist(), counts.gold.tolist(), counts.predicted.tolist()
    ([1.0, 1.0], [2.0, 1.0], [1.0, 1.0])
    """
    given = np.ones(len(gold)) if weights is None else weights
    together = np.concatenate([gold & predicted, gold, predicted], axis=1, dtype=np.float64)
    both, of_gold, of_predicted = np.split(given @ together, 3, axis=-1)
    return MultilabelCounts(both, of_gold, of_predicted)


def macro_f1(counts: MultilabelCounts) -> Floats:
    """Unweighted mean of F1 over the labels that gold has.

    Returns
    -------
    ndarray of float64, shape () or (n_replicates,)

    Examples
    --------
    >>> gold = np.array([[True, False], [True, True]])
    >>> round(float(macro_f1(multilabel_counts(gold, np.eye(2, dtype=bool)))), 4)
    0.8333
    """
    return _mean(label_f1(counts), counts.gold > 0)


def weighted_f1(counts: MultilabelCounts) -> Floats:
    """Mean of F1 over labels, each weighted by its share of gold; shaped as `macro_f1`.

    Examples
    --------
    >>> gold = np.array([[True, False], [True, True]])
    >>> round(float(weighted_f1(multilabel_counts(gold, np.eye(2, dtype=bool)))), 4)
    0.7778
    """
    return _mean(label_f1(counts), counts.gold)


def micro_f1(counts: MultilabelCounts) -> Floats:
    """F1 of all pairs of an item and a label together; shaped as `macro_f1`.

    Examples
    --------
    >>> gold = np.array([[True, False], [True, True]])
    >>> float(micro_f1(multilabel_counts(gold, np.eye(2, dtype=bool))))
    0.8
    """
    return _f1(*(count.sum(axis=-1) for count in counts))


def label_f1(counts: MultilabelCounts) -> Floats:
    """F1 of each label, shaped as the counts; 0 where a label has neither gold nor prediction.

    Examples
    --------
    >>> label_f1(MultilabelCounts(np.array([1.0, 0.0]), np.array([1.0, 0.0]), np.ones(2))).tolist()
    [1.0, 0.0]
    """
    return _f1(*counts)


def samples_f1(gold: Members, predicted: Members) -> Floats:
    """F1 of each item's set of labels, shape (n,); 0 where both sets are empty.

    Examples
    --------
    >>> samples_f1(np.array([[True, True], [False, False]]), np.eye(2, dtype=bool)).round(4)
    array([0.6667, 0.    ])
    """
    parts = (gold & predicted, gold, predicted)
    return _f1(*(part.sum(axis=1).astype(np.float64) for part in parts))


def exact_matches(gold: Members, predicted: Members) -> Floats:
    """1 for an item whose predicted labels are the gold ones, else 0; their mean: subset accuracy.

    Examples
    --------
    >>> exact_matches(np.array([[True, True], [False, True]]), np.eye(2, dtype=bool)).tolist()
    [0.0, 1.0]
    """
    return np.asarray((gold == predicted).all(axis=1), dtype=np.float64)


def hamming_losses(gold: Members, predicted: Members) -> Floats:
    """Share of the labels that are wrong in each item; their mean: Hamming loss.

    Examples
    --------
    >>> hamming_losses(np.array([[True, True], [False, True]]), np.eye(2, dtype=bool)).tolist()
    [0.5, 0.0]
    """
    losses: Floats = (gold != predicted).mean(axis=1)
    return losses


def cardinalities(members: Members) -> Floats:
    """Number of each item's labels, gold or predicted; their mean: label cardinality.

    Examples
    --------
    >>> cardinalities(np.array([[True, True], [False, False]])).tolist()
    [2.0, 0.0]
    """
    numbers: Floats = members.sum(axis=1).astype(np.float64)
    return numbers


def empty_predictions(predicted: Members) -> Floats:
    """1 for an item without a predicted label, else 0; their mean: empty prediction rate.

    Examples
    --------
    >>> empty_predictions(np.array([[True, True], [False, False]])).tolist()
    [0.0, 1.0]
    """
    return np.asarray(~predicted.any(axis=1), dtype=np.float64)


def label_ranking_precisions(gold: Members, scores: NDArray[Any]) -> Floats:
    """How well each item's labels are ranked; their mean: label ranking average precision (LRAP).

    Of each gold label, the share of gold labels among the labels whose score is at least its own;
    of an item, the mean over its gold labels, and 1 without any.

    Parameters
    ----------
    gold : ndarray of bool, shape (n, n_labels)
    scores : ndarray of float, shape (n, n_labels)
        Higher for labels that fit better.

    Returns
    -------
    ndarray of float64, shape (n,)

    References
    ----------
    Tsoumakas, Katakis and Vlahavas, "Mining Multi-label Data" (2010), as average precision.

    Examples
    --------
    >>> gold = np.array([[True, False, False], [False, False, True]])
    >>> scores = np.array([[0.75, 0.5, 1.0], [1.0, 0.2, 0.1]])
    >>> label_ranking_precisions(gold, scores).round(4).tolist()
    [0.5, 0.3333]
    """
    item, label = np.nonzero(gold)
    at_least = scores[item] >= scores[item, label][:, None]
    share = (at_least & gold[item]).sum(axis=1) / at_least.sum(axis=1)
    sums = np.bincount(item, weights=share, minlength=len(gold))
    numbers = gold.sum(axis=1)
    means: Floats = np.divide(sums, numbers, out=np.ones(len(gold)), where=numbers > 0)
    return means


def coverage_errors(gold: Members, scores: NDArray[Any]) -> Floats:
    """How far down the ranking all gold labels of an item are found; their mean: coverage error.

    Returns
    -------
    ndarray of float64, shape (n,)
        Number of labels whose score is at least the least of the gold labels'; 0 without any.

    Examples
    --------
    >>> gold = np.array([[True, False, False], [False, False, True]])
    >>> coverage_errors(gold, np.array([[0.75, 0.5, 1.0], [1.0, 0.2, 0.1]])).tolist()
    [2.0, 3.0]
    """
    least = np.where(gold, scores, np.inf).min(axis=1, keepdims=True, initial=np.inf)
    errors: Floats = ((scores >= least) & gold.any(axis=1, keepdims=True)).sum(axis=1, dtype=float)
    return errors


def item_mean(values: Floats, weights: Floats | None = None) -> Floats:
    """Mean over items of what they have, under each set of weights.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
    weights : ndarray of float64, shape (n,) or (n_replicates, n), default=None
        How often each item counts; once where absent.

    Returns
    -------
    ndarray of float64, shape () or (n_replicates,)

    Examples
    --------
    >>> item_mean(np.array([1.0, 0.0]), np.array([[1.0, 1.0], [2.0, 0.0]])).tolist()
    [0.5, 1.0]
    """
    given = np.ones(len(values)) if weights is None else weights
    return _divided(given @ values, given.sum(axis=-1))


class AveragePrecision:
    """Average precision of each label, from orders that are sorted once.

    The sum over the distinct scores, from the highest down, of the precision there times the
    share of the label's items that are found there: scikit-learn's `average_precision_score`,
    which does not interpolate. Equal scores are found together.

    Parameters
    ----------
    gold : ndarray of bool, shape (n, n_labels)
    scores : ndarray of float, shape (n, n_labels)
        Not NaN.

    Examples
    --------
    >>> gold = np.array([[True, True], [False, True], [True, False]])
    >>> ranking = AveragePrecision(gold, np.array([[0.9, 0.1], [0.5, 0.8], [0.1, 0.2]]))
    >>> ranking.of_labels().round(4).tolist(), round(float(ranking.macro()), 4)
    ([0.8333, 0.8333], 0.8333)
    >>> round(float(ranking.micro()), 4)
    0.8333
    """

    def __init__(self, gold: Members, scores: NDArray[Any]) -> None:
        n, n_labels = gold.shape
        items = np.arange(n)
        self._gold = gold
        self._scores = scores
        self._by_label = [
            _Order.of(gold[:, label], scores[:, label], items, n) for label in range(n_labels)
        ]
        self._together: _Order | None = None

    def of_labels(self, weights: Floats | None = None) -> Floats:
        """Average precision of each label.

        Parameters
        ----------
        weights : ndarray of float64, shape (n,) or (n_replicates, n), default=None
            How often each item counts; once where absent.

        Returns
        -------
        ndarray of float64, shape (n_labels,) or (n_replicates, n_labels)
            NaN for a label without a gold item under the weights.
        """
        return _over_replicates(self._by_label, self._given(weights))

    def macro(self, weights: Floats | None = None) -> Floats:
        """Mean over the labels that gold has under the weights, shape () or (n_replicates,)."""
        values = self.of_labels(weights)
        defined = ~np.isnan(values)
        return _mean(np.where(defined, values, 0.0), defined)

    def micro(self, weights: Floats | None = None) -> Floats:
        """Average precision of all pairs of an item and a label in one ranking, shaped so too."""
        if self._together is None:
            n, n_labels = self._gold.shape
            items = np.repeat(np.arange(n), n_labels)
            self._together = _Order.of(self._gold.ravel(), self._scores.ravel(), items, n)
        return _over_replicates([self._together], self._given(weights))[..., 0]

    def _given(self, weights: Floats | None) -> Floats:
        return np.ones(len(self._gold)) if weights is None else weights


class _Order(NamedTuple):
    """A ranking, cut after each distinct score that a gold item has.

    Attributes
    ----------
    members : scipy.sparse.csr_array, shape (n_parts, n)
        Which items lie in each part, counted.
    gold : scipy.sparse.csr_array, shape (n_parts, n)
        The same of the gold items, which lie at the part's end.
    """

    members: Any
    gold: Any

    @classmethod
    def of(cls, gold: Members, scores: NDArray[Any], items: NDArray[np.intp], n: int) -> _Order:
        from scipy.sparse import csr_array

        cuts = np.unique(scores[gold])
        # Part 0 holds the highest scores; what is below every gold item belongs to none.
        part = len(cuts) - np.searchsorted(cuts, scores, side="right")
        inside = part < len(cuts)
        shape = (len(cuts), n)

        def counted(chosen: NDArray[np.bool_]) -> Any:
            cells = part[chosen], items[chosen]
            return csr_array((np.ones(len(cells[0])), cells), shape=shape)

        return cls(counted(inside), counted(gold))

    def average_precision(self, weights: Floats) -> Floats:
        """Average precision under weights of shape (n, n_replicates)."""
        found = self.gold @ weights
        gold_above = np.cumsum(found, axis=0)
        above = np.cumsum(self.members @ weights, axis=0)
        precision = np.divide(gold_above, above, out=np.zeros_like(above), where=above > 0)
        return _divided((found * precision).sum(axis=0), found.sum(axis=0))


def _over_replicates(orders: list[_Order], weights: Floats) -> Floats:
    """Average precision of each order, shape (n_orders,) or (n_replicates, n_orders)."""
    rows = np.atleast_2d(weights)
    values = np.empty((len(rows), len(orders)))

    def fill(start: int) -> None:
        some = np.ascontiguousarray(rows[start : start + _REPLICATES].T)
        for column, order in enumerate(orders):
            values[start : start + _REPLICATES, column] = order.average_precision(some)

    # Few at a time, so that their weights stay in the processor's cache.
    for _ in in_order(fill, range(0, len(rows), _REPLICATES)):
        pass
    return values.reshape(*weights.shape[:-1], len(orders))


def _f1(both: Any, gold: Any, predicted: Any) -> Floats:
    total = np.asarray(gold + predicted, dtype=np.float64)
    f1: Floats = np.divide(2 * both, total, out=np.zeros_like(total), where=total > 0)
    return f1


def _mean(values: Floats, weights: NDArray[Any]) -> Floats:
    return _divided((values * weights).sum(axis=-1), weights.sum(axis=-1))


def _divided(sums: Any, totals: Any) -> Floats:
    """Quotients, NaN where there is nothing to divide by."""
    whole = np.asarray(totals, dtype=np.float64)
    quotients: Floats = np.divide(sums, whole, out=np.full_like(whole, np.nan), where=whole > 0)
    return quotients
