"""Metrics as functions of sums over resampling groups, for all resamples at a time.

What a resample does to macro-F1, to a mean or to the adjusted Rand index follows from sums over
groups, each times how often its group is drawn. The sums are made once; the resamples of a model
are a sparse product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.metrics.clustering import squares_in_groups
from evaluate_shelf.parallel import in_order
from evaluate_shelf.statistics.bootstrap import Units, sums_of_units

Floats = NDArray[np.float64]
Numbers = NDArray[np.integer[Any]]
Totals = NDArray[np.floating[Any]]

# So many resamples at a time that the totals of a model stay in the processor's cache.
_ROWS = 128
# float32 holds whole numbers up to this one.
_MOST_IN_FLOAT32 = 2**24


class GroupSums(NamedTuple):
    """A model's metric on a task, as a function of sums over groups.

    Attributes
    ----------
    sums : scipy.sparse.csr_array of float32 or float64, shape (n_sums, n_units)
        What each group adds to each sum. float32 holds counts, exactly.
    repeats : ndarray of float64, shape (n_repeats, n_units)
        What each pair of copies of a group adds; no rows for most metrics.
    value : callable
        From totals of the sums, shape (n_sums, n), and of the repeats, shape (n_repeats, n), to
        the metric, shape (n,); NaN where it is not defined.
    swappable : bool
        Whether the sums of two models have one meaning, so that groups of items may be swapped
        between the models. Not so for clusterings: cluster 3 of one model isn't that of another.
    """

    sums: Any
    repeats: Floats
    value: Callable[[Totals, Floats], Floats]
    swappable: bool

    @property
    def n_units(self) -> int:
        """Number of groups."""
        return int(self.sums.shape[1])


def mean_sums(values: Floats, resampled: Units) -> GroupSums:
    """The mean of what items have.

    Parameters
    ----------
    values : ndarray of float64, shape (n_items,)
        NaN where an item has no value; the mean is over those that have one, and is NaN in a
        resample without any.
    resampled : Units
        The items' groups.

    Examples
    --------
    >>> from evaluate_shelf.statistics.bootstrap import units
    >>> observed(mean_sums(np.array([0.0, 1.0, np.nan]), units(["a", "a", "b"])))
    0.5
    """
    from scipy.sparse import csr_array

    sums, counts = sums_of_units(values[:, None], resampled)
    both = csr_array(np.concatenate([sums, counts], axis=1).T)
    return GroupSums(both, _no_repeats(resampled), _mean, True)


def macro_f1_sums(gold: Numbers, predicted: Numbers, n_labels: int, resampled: Units) -> GroupSums:
    """Macro-F1 over the labels that occur in gold, as `metrics.classification.macro_f1`.

    A label that a resample loses counts in none of its sums: the mean is over the others.

    Parameters
    ----------
    gold, predicted : ndarray of int, shape (n_items,)
        Label numbers in [0, n_labels). Two models are compared under one numbering.
    n_labels : int
        Size of the label space.
    resampled : Units
        The items' groups.

    Examples
    --------
    >>> from evaluate_shelf.statistics.bootstrap import units
    >>> gold, predicted = np.array([0, 1, 1]), np.array([0, 1, 0])
    >>> round(observed(macro_f1_sums(gold, predicted, 2, units(["a", "b", "c"]))), 4)
    0.6667
    """
    right = np.flatnonzero(gold == predicted)
    rows = np.concatenate([gold[right], n_labels + gold, 2 * n_labels + predicted])
    items = np.concatenate([right, np.tile(np.arange(len(gold)), 2)])
    return _f1_sums(rows, items, n_labels, resampled)


def multilabel_macro_f1_sums(
    gold: NDArray[np.bool_], predicted: NDArray[np.bool_], resampled: Units
) -> GroupSums:
    """Macro-F1 over the labels that gold has, as `metrics.multilabel.macro_f1`.

    NaN in a resample whose items have no gold label at all.

    Parameters
    ----------
    gold, predicted : ndarray of bool, shape (n_items, n_labels)
    resampled : Units
        The items' groups.

    Examples
    --------
    >>> from evaluate_shelf.statistics.bootstrap import units
    >>> gold, predicted = np.array([[True, False], [True, True]]), np.eye(2, dtype=bool)
    >>> round(observed(multilabel_macro_f1_sums(gold, predicted, units(["a", "b"]))), 4)
    0.8333
    """
    items, rows = np.nonzero(np.concatenate([gold & predicted, gold, predicted], axis=1))
    return _f1_sums(rows, items, gold.shape[1], resampled)


def ari_sums(labels: Numbers, clusters: Numbers, resampled: Units) -> GroupSums:
    """Adjusted Rand index, without the pairs between copies of one group in a resample.

    As `metrics.clustering.adjusted_rand_index` of `without_repeated_groups`; 1 where a resample
    has one group, or one label in one cluster, as there.

    Parameters
    ----------
    labels, clusters : ndarray of int, shape (n_items,)
        Any numbers.
    resampled : Units
        The items' groups.

    Examples
    --------
    >>> from evaluate_shelf.statistics.bootstrap import units
    >>> labels, clusters = np.array([0, 0, 1, 1]), np.array([5, 5, 5, 7])
    >>> observed(ari_sums(labels, clusters, units(["a", "b", "c", "d"])))
    0.0
    """
    _, label = np.unique(labels, return_inverse=True)
    _, cluster = np.unique(clusters, return_inverse=True)
    n_labels, n_clusters = int(label.max()) + 1, int(cluster.max()) + 1
    # Of all cells of label and cluster, those that have an item.
    cells, cell = np.unique(label * n_clusters + cluster, return_inverse=True)
    ends = np.cumsum([len(cells), n_labels, n_clusters])
    rows = np.concatenate([cell, ends[0] + label, ends[1] + cluster])
    sums = _counted(rows, np.tile(np.arange(len(label)), 3), int(ends[2]), resampled)
    repeats = squares_in_groups(label, cluster, resampled.of_item).T

    def value(totals: Totals, repeated: Floats) -> Floats:
        return _adjusted_rand(np.split(totals, ends[:2]), repeated)

    return GroupSums(sums, np.ascontiguousarray(repeats), value, False)


def median_of(statistics: Sequence[GroupSums]) -> GroupSums:
    """The median of several metrics of the same groups, resample by resample.

    For k-means from several seeds: the median of `ari_sums`.

    Examples
    --------
    >>> from evaluate_shelf.statistics.bootstrap import units
    >>> groups = units(["a", "b"])
    >>> means = [mean_sums(np.array([low, 1.0]), groups) for low in (0.0, 0.5, 1.0)]
    >>> observed(median_of(means))
    0.75
    """
    from scipy.sparse import vstack

    ends = np.cumsum([one.sums.shape[0] for one in statistics])[:-1]
    repeat_ends = np.cumsum([len(one.repeats) for one in statistics])[:-1]

    def value(totals: Totals, repeated: Floats) -> Floats:
        parts = zip(
            statistics, np.split(totals, ends), np.split(repeated, repeat_ends), strict=True
        )
        values: Floats = np.median([one.value(own, twice) for one, own, twice in parts], axis=0)
        return values

    return GroupSums(
        vstack([one.sums for one in statistics], format="csr"),
        np.concatenate([one.repeats for one in statistics]),
        value,
        all(one.swappable for one in statistics),
    )


def observed(statistic: GroupSums) -> float:
    """The metric of all items, each group once."""
    once = np.ones((1, statistic.n_units), dtype=np.uint16)
    return float(replicated([statistic], once)[0, 0])


def replicated(statistics: Sequence[GroupSums], copies: NDArray[np.unsignedinteger[Any]]) -> Floats:
    """The metrics of all resamples.

    Parameters
    ----------
    statistics : sequence of GroupSums
        One for each model, all over the same groups.
    copies : ndarray of unsigned int, shape (replicates, n_units)
        From `resamples.copies_matrix`.

    Returns
    -------
    ndarray of float64, shape (replicates, n_statistics)
        The same whatever the number of threads.

    Examples
    --------
    >>> from evaluate_shelf.statistics.bootstrap import units
    >>> mean = mean_sums(np.array([0.0, 1.0]), units(["a", "b"]))
    >>> replicated([mean], np.array([[1, 1], [0, 2]], dtype=np.uint16)).tolist()
    [[0.5], [1.0]]
    """
    values = np.empty((len(copies), len(statistics)))
    repeats, rows_of = _distinct([one.repeats for one in statistics])

    def fill(start: int) -> None:
        rows = slice(start, start + _ROWS)
        counts = copies[rows].T
        repeated = _repeated(repeats, counts)
        parts = zip(statistics, totals_of(statistics, counts), rows_of, strict=True)
        for column, (one, totals, own) in enumerate(parts):
            values[rows, column] = one.value(totals, repeated[own])

    for _ in in_order(fill, range(0, len(copies), _ROWS)):
        pass
    return values


def totals_of(
    statistics: Sequence[GroupSums], counts: NDArray[np.unsignedinteger[Any]]
) -> Iterator[Totals]:
    """The sums of each model, each group counted as often as given.

    Parameters
    ----------
    statistics : sequence of GroupSums
    counts : ndarray of unsigned int, shape (n_units, n)

    Yields
    ------
    ndarray of float32 or float64, shape (n_sums, n)
    """
    kinds = {one.sums.dtype for one in statistics}
    of_kind = {kind: np.ascontiguousarray(counts, dtype=kind) for kind in kinds}
    for one in statistics:
        yield one.sums @ of_kind[one.sums.dtype]


def _distinct(repeats: Sequence[Floats]) -> tuple[Floats, list[list[int]]]:
    """Each different row once, and the numbers of each model's rows.

    Models share those of their labels and of the groups' sizes.
    """
    numbers: dict[bytes, int] = {}
    rows_of = [
        [numbers.setdefault(row.tobytes(), len(numbers)) for row in of_model]
        for of_model in repeats
    ]
    distinct = [np.frombuffer(row) for row in numbers]
    return np.array(distinct).reshape(-1, repeats[0].shape[1]), rows_of


def _repeated(repeats: Floats, counts: NDArray[np.unsignedinteger[Any]]) -> Floats:
    """What the pairs of copies of all groups add, shape (n_repeats, n)."""
    if not len(repeats):
        return np.empty((0, counts.shape[1]))
    copies = counts.astype(np.float64)
    copies *= copies - 1
    copies /= 2
    # Whole numbers, so that the product is the same with any number of threads.
    return np.asarray(repeats @ copies, dtype=np.float64)


def _f1_sums(
    rows: NDArray[np.intp], items: NDArray[np.intp], n_labels: int, resampled: Units
) -> GroupSums:
    """F1 from the right items of each label, then its gold ones, then its predicted ones."""
    return GroupSums(
        _counted(rows, items, 3 * n_labels, resampled), _no_repeats(resampled), _macro_f1, True
    )


def _counted(rows: NDArray[np.intp], items: NDArray[np.intp], n_rows: int, resampled: Units) -> Any:
    """How many items of each group count in each row."""
    from scipy.sparse import csr_array

    cells = (rows, resampled.of_item[items])
    counts = csr_array((np.ones(len(rows)), cells), shape=(n_rows, resampled.number))
    largest = counts.data.max(initial=0) * resampled.number
    return counts.astype(np.float32 if largest <= _MOST_IN_FLOAT32 else np.float64)


def _no_repeats(resampled: Units) -> Floats:
    return np.empty((0, resampled.number))


def _mean(totals: Totals, _: Floats) -> Floats:
    return _divided(totals[0], totals[1])


def _macro_f1(totals: Totals, _: Floats) -> Floats:
    right, gold, predicted = np.split(totals.astype(np.float64), 3)
    both = gold + predicted
    f1 = np.divide(2 * right, both, out=np.zeros_like(both), where=both > 0)
    present = gold > 0
    return _divided((f1 * present).sum(axis=0), present.sum(axis=0))


def _adjusted_rand(tables: Sequence[Totals], repeated: Floats) -> Floats:
    """From the numbers of items in cells, labels and clusters, and pairs of copies in each."""
    exact = [table.astype(np.float64) for table in tables]
    counts = [*exact, exact[1].sum(axis=0, keepdims=True)]
    together, same_label, same_cluster, pairs = (
        (n * (n - 1) / 2).sum(axis=0) - extra for n, extra in zip(counts, repeated, strict=True)
    )
    whole = pairs > 0
    expected = np.divide(same_label * same_cluster, pairs, out=np.zeros_like(pairs), where=whole)
    largest = (same_label + same_cluster) / 2
    defined = whole & (largest != expected)
    index: Floats = np.ones_like(pairs)
    np.divide(together - expected, largest - expected, out=index, where=defined)
    return index


def _divided(sums: Totals, numbers: NDArray[Any]) -> Floats:
    whole = numbers.astype(np.float64)
    quotients: Floats = np.full_like(whole, np.nan)
    np.divide(sums, whole, out=quotients, where=whole > 0)
    return quotients
