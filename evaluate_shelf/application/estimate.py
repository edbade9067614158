"""How often the classes are right, as far as records that carry one can tell."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.application.assignments import Assignment
from evaluate_shelf.metrics.classification import accuracy, confusion_matrix, macro_f1
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.statistics.bootstrap import Units, bootstrap_intervals
from evaluate_shelf.statistics.intervals import Interval, stated_interval

FEWEST = 30
"""Records below which nothing is estimated."""

_BANDS = 10
_STREAM = "apply"


class Share(NamedTuple):
    """How many of some records are right.

    Attributes
    ----------
    records, right : int
        Counts.
    value, low, high : float or None
        The share and its Wilson interval; None below 30 records.
    """

    records: int
    right: int
    value: float | None
    low: float | None
    high: float | None


class Band(NamedTuple):
    """Records whose class was given with a probability in [low, high).

    The last band holds 1 as well.
    """

    low: float
    high: float
    mean_probability: float
    share: Share


class Measure(NamedTuple):
    """A metric with its bootstrap interval.

    The bounds are None where all records have the same outcome: their resamples say nothing.
    """

    value: float
    low: float | None
    high: float | None


class Estimate(NamedTuple):
    """What records with a class of their own say of the classes that they were given.

    Attributes
    ----------
    records : int
        Records that carry a class of the label set and were given one.
    classes : int
        Distinct classes among those that they carry.
    level : float
        Coverage of all intervals.
    replicates : int
        Resamples of records behind the intervals of accuracy and macro-F1.
    accuracy, macro_f1 : Measure or None
        None below 30 records.
    bands : tuple of Band
        By probability, those that hold a record; empty below 30 records.
    by_class : dict of str to Share
        Of the records that carry a class, how many were given it; classes with 30 records.
    not_given : int
        Records that carry a class and were given none.
    unknown_classes : dict of str to int
        Records that carry a class that the model cannot give, by class; they count nowhere else.
    left_out : dict of str to int
        Records that carry a class and count nowhere else, since the classifier was trained on
        their text ("text") or on a record of their work ("work").
    """

    records: int
    classes: int
    level: float
    replicates: int
    accuracy: Measure | None
    macro_f1: Measure | None
    bands: tuple[Band, ...]
    by_class: dict[str, Share]
    not_given: int
    unknown_classes: dict[str, int]
    left_out: dict[str, int]


class Outcomes:
    """Collects the outcomes of records that carry a class; about 12 bytes each.

    Parameters
    ----------
    labels : sequence of str
        The classes that the model can give.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = list(labels)
        self.not_given = 0
        self.unknown_classes: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self._number = {label: number for number, label in enumerate(self.labels)}
        self._gold, self._predicted, self._probability = array("H"), array("H"), array("d")

    def add(self, assignment: Assignment) -> None:
        """Take a record into account, if it carries a class."""
        own = assignment.own_class
        if own is None:
            return
        if assignment.in_training:
            self.left_out[assignment.in_training] += 1
        elif own not in self._number:
            self.unknown_classes[own] += 1
        elif not assignment.guesses:
            self.not_given += 1
        else:
            best = assignment.guesses[0]
            self._gold.append(self._number[own])
            self._predicted.append(self._number[best.label])
            self._probability.append(best.probability)

    @property
    def seen(self) -> bool:
        """Whether any record carries a class."""
        return bool(self._gold or self.not_given or self.unknown_classes or self.left_out)

    @property
    def gold(self) -> NDArray[np.intp]:
        """Number of the class that each record carries."""
        return np.array(self._gold, dtype=np.intp)

    @property
    def predicted(self) -> NDArray[np.intp]:
        """Number of the class that each record was given."""
        return np.array(self._predicted, dtype=np.intp)

    @property
    def probability(self) -> NDArray[np.float64]:
        """Its probability."""
        return np.array(self._probability, dtype=np.float64)


def estimate(outcomes: Outcomes, protocol: Protocol) -> Estimate:
    """Estimate how often the classes are right.

    Parameters
    ----------
    outcomes : Outcomes
        Of the records that carry a class.
    protocol : Protocol
        Gives seed, replicates and level of the bootstrap, whose unit is the record.

    Returns
    -------
    Estimate
        Counts alone below 30 records.
    """
    gold, predicted, probability = outcomes.gold, outcomes.predicted, outcomes.probability
    settings = protocol.bootstrap
    enough = len(gold) >= FEWEST
    measured = _measures(gold, predicted, len(outcomes.labels), protocol) if enough else (None,) * 2
    return Estimate(
        records=len(gold),
        classes=len(np.unique(gold)),
        level=settings.level,
        replicates=settings.replicates,
        accuracy=measured[0],
        macro_f1=measured[1],
        bands=_bands(gold == predicted, probability, settings.level) if enough else (),
        by_class=_by_class(outcomes.labels, gold, predicted, settings.level),
        not_given=outcomes.not_given,
        unknown_classes=dict(sorted(outcomes.unknown_classes.items())),
        left_out=dict(sorted(outcomes.left_out.items())),
    )


def _measures(
    gold: NDArray[np.intp], predicted: NDArray[np.intp], n_labels: int, protocol: Protocol
) -> tuple[Measure, Measure]:
    def metrics(weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        confusion = confusion_matrix(gold, predicted, n_labels, weights)
        return np.array([accuracy(confusion), macro_f1(confusion)])

    settings = protocol.bootstrap
    intervals = bootstrap_intervals(
        metrics,
        Units(np.arange(len(gold)), len(gold)),
        task=_STREAM,
        seed=settings.seed,
        replicates=settings.replicates,
        level=settings.level,
    )
    first, second = intervals or [Interval(0.0, 0.0)] * 2
    right, f1 = metrics().tolist()
    return _measure(right, first), _measure(f1, stated_interval("macro_f1", f1, second))


def _measure(value: float, interval: Interval) -> Measure:
    low, high = interval
    return Measure(value, low, high) if low < high else Measure(value, None, None)


def _bands(
    right: NDArray[np.bool_], probability: NDArray[np.float64], level: float
) -> tuple[Band, ...]:
    band = np.minimum((probability * _BANDS).astype(np.intp), _BANDS - 1)
    return tuple(
        Band(
            number / _BANDS,
            (number + 1) / _BANDS,
            float(probability[band == number].mean()),
            _share(right[band == number], level),
        )
        for number in np.unique(band).tolist()
    )


def _by_class(
    labels: Sequence[str], gold: NDArray[np.intp], predicted: NDArray[np.intp], level: float
) -> dict[str, Share]:
    shares = {
        label: _share((predicted == number)[gold == number], level)
        for number, label in enumerate(labels)
    }
    return {label: share for label, share in shares.items() if share.records >= FEWEST}


def _share(right: NDArray[np.bool_], level: float) -> Share:
    records, count = len(right), int(right.sum())
    if records < FEWEST:
        return Share(records, count, None, None, None)
    return Share(records, count, count / records, *wilson_interval(count, records, level))


def wilson_interval(right: float, records: float, level: float) -> Interval:
    """Interval of a share of independent records; it has a width even where all are right.

    Parameters
    ----------
    right, records : float
        Counts; at least one record. Of records that depend on each other, as many as they are
        worth, which need not be a whole number.
    level : float
        Coverage, for example 0.95.

    References
    ----------
    Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
    American Statistical Association 22 (1927).

    Examples
    --------
    >>> low, high = wilson_interval(30, 30, 0.95)
    >>> round(low, 3), high
    (0.886, 1.0)
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, scale = right / records, 1 + z**2 / records
    middle = (share + z**2 / (2 * records)) / scale
    half = z * (share * (1 - share) / records + z**2 / (4 * records**2)) ** 0.5 / scale
    # At the ends rounding would leave them by a bit.
    return Interval(0.0 if not right else middle - half, 1.0 if right == records else middle + half)
