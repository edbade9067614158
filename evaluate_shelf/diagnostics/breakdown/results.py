"""What a breakdown comes to: plain values, ready for JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

LEAST_ITEMS = 30
"""A stratum of fewer items is counted, and no value of it is given."""

TOO_FEW = f"fewer than {LEAST_ITEMS} items"


@dataclass(frozen=True)
class Value:
    """A metric of a stratum.

    Attributes
    ----------
    metric : str
        Its name.
    value : float or None
        None where the metric is not defined on the stratum's items.
    low, high : float or None
        Its interval; None where there are fewer than two groups to resample, or none is given.
    """

    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Stratum:
    """Some of a task's items, scored by themselves.

    Attributes
    ----------
    name : str
        What they have in common.
    n : int
        How many there are.
    unit : str
        What an interval resamples.
    n_units : int
        How many of these the items are in.
    n_classes : int or None
        Distinct gold labels among the items, where the metric is a mean over labels.
    values : tuple of Value
        The task's own metric first; empty where nothing is shown.
    reason : str or None
        Why nothing is shown, or why a metric is not defined.
    """

    name: str
    n: int
    unit: str
    n_units: int
    n_classes: int | None = None
    values: tuple[Value, ...] = ()
    reason: str | None = None

    @property
    def value(self) -> float | None:
        """The first metric; None where it is not shown."""
        return self.values[0].value if self.values else None

    @property
    def low(self) -> float | None:
        """Lower end of its interval."""
        return self.values[0].low if self.values else None

    @property
    def high(self) -> float | None:
        """Upper end of its interval."""
        return self.values[0].high if self.values else None


@dataclass(frozen=True)
class Breakdown:
    """A task's score in parts.

    Attributes
    ----------
    model, run_id, release_id, config : str
        What was scored on what; `config` is the one that holds the task's items.
    task, formulation, metric : str
        The task and its primary metric.
    by : str
        What it is broken down by.
    definition : str
        What a stratum is, in a sentence.
    level : float
        Coverage of the intervals.
    whole : Stratum
        All items that are scored, with the task's own metric.
    strata : tuple of Stratum
        Its parts.
    in_none : int
        Scored items that are in no stratum.
    circular : bool
        Whether the strata are drawn by what the model itself reads, so that its scores in them
        follow from how they are drawn; a note says why.
    notes : tuple of str
        What to know of these strata.
    """

    model: str
    run_id: str
    release_id: str
    config: str
    task: str
    formulation: str
    metric: str
    by: str
    definition: str
    level: float
    whole: Stratum
    strata: tuple[Stratum, ...]
    in_none: int
    circular: bool
    notes: tuple[str, ...]


def as_values(breakdown: Breakdown) -> dict[str, Any]:
    """The breakdown as plain values, for JSON."""
    return asdict(breakdown)
