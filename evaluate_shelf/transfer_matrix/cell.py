"""A cell of the matrix: what a probe from one corpus scores on another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evaluate_shelf.bounded import Line
from evaluate_shelf.formulations.data import label_names, numbered
from evaluate_shelf.metrics.classification import accuracy, confusion_matrix, macro_f1
from evaluate_shelf.probes import Fit
from evaluate_shelf.registry.protocol_settings import BootstrapSettings, ControlSettings
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.strict_yaml import Row
from evaluate_shelf.statistics.bootstrap import Units, units
from evaluate_shelf.statistics.intervals import Interval, percentile_intervals, stated_interval
from evaluate_shelf.statistics.resamples import copies_matrix
from evaluate_shelf.statistics.streams import stream
from evaluate_shelf.statistics.sums import macro_f1_sums, replicated
from evaluate_shelf.transfer_matrix.samples import Sample

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Number = Annotated[int, Field(ge=0)]


class FitFacts(Row):
    """How the fit of a probe ended; see `evaluate_shelf.probes.Fit`."""

    iterations: Number
    gradient_norm: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    converged: bool


class Cell(Row):
    """What a probe from one corpus scores on another.

    Attributes
    ----------
    train, test : str
        Names of the corpora.
    macro_f1 : float
        Over the classes of the tested documents. A class that training lacks has F1 0.
    low, high : float or None
        Its interval; None where there are fewer than two units to resample.
    chance : float
        Mean macro-F1 of the same predictions, dealt out anew to the tested documents.
    accuracy : float
    macro_f1_of_known : float or None
        Over those classes of the tested documents that training has; None where it has none.
    unit : str
        What the interval resamples.
    n_units, n_test, n_train : int
        How many of them are tested on, and documents.
    unknown : tuple of str
        Classes of the tested documents that training lacks.
    repeated : int
        Tested documents whose text is also learned from, but for case and white space.
    fit : FitFacts
        Of the probe.
    """

    train: Line
    test: Line
    macro_f1: Share
    low: Share | None
    high: Share | None
    chance: Share
    accuracy: Share
    macro_f1_of_known: Share | None
    unit: Line
    n_units: Number
    n_test: Number
    n_train: Number
    unknown: tuple[Line, ...]
    repeated: Number
    fit: FitFacts

    @model_validator(mode="after")
    def _inside_its_interval(self) -> Cell:
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval has two ends")
        if self.low is None or self.high is None:
            return self
        if not self.low <= self.macro_f1 <= self.high:
            raise ValueError("macro_f1 must lie within its interval")
        return self


class ResampledCell(Row):
    """A cell with its macro-F1 in each resample.

    Cells with the same tested documents share their resamples, so that the interval of a
    difference between two of them is that of the replicates' differences.
    """

    cell: Cell
    replicates: tuple[Share, ...]


def scored_cell(
    train: Sample,
    test: Sample,
    predicted: Sequence[str],
    *,
    fit: Fit,
    repeated: int,
    protocol: Protocol,
) -> ResampledCell:
    """Score what was predicted for a sample's test part.

    Parameters
    ----------
    train, test : Sample
        What was learned from and tested on.
    predicted : sequence of str, length n_test
        Classes.
    fit : Fit
        How the probe's fit ended.
    repeated : int
        Tested documents that were learned from as well.
    protocol : Protocol
        Says how often is resampled and shuffled, from which seed.
    """
    gold = test.labels_of("test")
    names = sorted(set(gold))
    known = sorted(set(names) & set(label_names(train.labels_of("train"), train.name)))
    # The last number stands for all classes that gold does not have.
    numbers = numbered(gold, names), numbered(predicted, names)
    confusion = confusion_matrix(*numbers, len(names) + 1)
    resampled = units(test.groups[test.parts.test].tolist())
    task = f"transfer matrix {test.corpus.data.content_sha256}"
    score = macro_f1(confusion)
    replicates = _resampled(*numbers, len(names) + 1, resampled, task, protocol.bootstrap)
    percentiles = interval_of(replicates, protocol.bootstrap.level)
    stated = percentiles and stated_interval("macro_f1", score, percentiles)
    cell = Cell(
        train=train.name,
        test=test.name,
        macro_f1=score,
        low=stated and stated.low,
        high=stated and stated.high,
        chance=_chance(*numbers, len(names) + 1, task, protocol.control),
        accuracy=accuracy(confusion),
        macro_f1_of_known=_of_some(confusion, numbered(known, names)) if known else None,
        unit=test.corpus.group_column or "document",
        n_units=resampled.number,
        n_test=len(gold),
        n_train=len(train.parts.train),
        unknown=tuple(name for name in names if name not in known),
        repeated=repeated,
        fit=FitFacts(
            iterations=fit.iterations, gradient_norm=fit.gradient_norm, converged=fit.converged
        ),
    )
    return ResampledCell(cell=cell, replicates=tuple(replicates))


def _resampled(
    gold: NDArray[np.intp],
    predicted: NDArray[np.intp],
    n_labels: int,
    groups: Units,
    task: str,
    settings: BootstrapSettings,
) -> list[float]:
    """Macro-F1 of every resample; none for fewer than two groups."""
    if groups.number < 2:
        return []
    copies = copies_matrix(
        groups.number, task=task, seed=settings.seed, replicates=settings.replicates
    )
    [scores] = replicated([macro_f1_sums(gold, predicted, n_labels, groups)], copies).T.tolist()
    found: list[float] = scores
    return found


def interval_of(replicates: Sequence[float], level: float) -> Interval | None:
    """Percentile interval of a statistic's replicates; None where there are none.

    Examples
    --------
    >>> interval_of([], 0.95)
    """
    found = percentile_intervals(np.array(replicates)[:, None], level) if replicates else None
    return found[0] if found else None


def _chance(
    gold: NDArray[np.intp],
    predicted: NDArray[np.intp],
    n_labels: int,
    task: str,
    control: ControlSettings,
) -> float:
    """What the predictions score that have nothing to do with the documents they are for."""
    shuffled = (
        stream(control.seed, task, "control", number).permutation(predicted)
        for number in range(control.replicates)
    )
    return float(np.mean([macro_f1(confusion_matrix(gold, own, n_labels)) for own in shuffled]))


def _of_some(confusion: NDArray[np.float64], labels: NDArray[np.intp]) -> float:
    """Mean of F1 over some of the labels that occur in gold."""
    total = confusion.sum(axis=1) + confusion.sum(axis=0)
    return float((2 * np.diag(confusion)[labels] / total[labels]).mean())
