"""Rank agreement between corpora."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evaluate_shelf.aggregate.schema.values import (
    MOST_MODELS,
    Amount,
    Correlation,
    Count,
    Number,
    Part,
    Position,
    Share,
)
from evaluate_shelf.bounded import ConfigName, Line, Reason


class RankedModelEntry(Part):
    """A model under two measures, as `shelf transfer` ranks it."""

    model: Position
    name: Line
    x: Number
    y: Number
    rank_x: Amount
    rank_y: Amount
    without: Correlation | None


class NamedReason(Part):
    """Something that was left out, and why."""

    name: Reason
    reason: Reason


class TransferCell(Part):
    """A formulation on two corpora.

    Attributes
    ----------
    formulation : str
    passes : bool or None
        Whether the rule is met; None where it cannot be said, and between natural corpora.
    reason : str or None
        Why it cannot be said, or is not met whatever the correlation.
    x, y : str
        Keys of `Measure`: CORPUS/TASK/METRIC.
    n : int
        Models.
    spearman, kendall : float or None
    low, high : float or None
        Interval of Spearman's correlation, from resampling the models.
    kendall_low, kendall_high : float or None
        That of Kendall's, from the same resamples; None too in an older aggregate, which has none.
    level : float
        Its coverage.
    undefined_because : str or None
    lacking : tuple of NamedReason
        Models with one of the scores only.
    models : tuple of RankedModelEntry
        By name.
    """

    formulation: Line
    passes: bool | None
    reason: Reason | None
    x: Reason
    y: Reason
    n: Count
    spearman: Correlation | None
    kendall: Correlation | None
    low: Correlation | None
    high: Correlation | None
    kendall_low: Correlation | None = None
    kendall_high: Correlation | None = None
    level: Share
    undefined_because: Reason | None
    lacking: Annotated[tuple[NamedReason, ...], Field(max_length=MOST_MODELS)]
    models: Annotated[tuple[RankedModelEntry, ...], Field(max_length=MOST_MODELS)]


class StabilityEntry(Part):
    """How far the order of models depends on a seed, on one corpus."""

    corpus: Line
    median: Correlation | None
    lowest: Correlation | None
    n_models: Count | None
    origin: Literal["computed", "reported"]


class TransferOutcome(Part):
    """What the preregistered rule gives.

    Attributes
    ----------
    origin : str
        `reported`, or `computed` under one protocol.
    protocol : str or None
        Its id; None for reported scores.
    why_not : str or None
        Why the rule was not applied.
    verdict : str or None
        `supported`, `not supported` or `not decidable`.
    passed, failed, undecided : tuple of str
        Formulations.
    cells : tuple of TransferCell
        What the rule asks for.
    beside : tuple of TransferCell
        The natural corpora against each other.
    stability : tuple of StabilityEntry
        Of the formulation that depends on a seed.
    left_out : tuple of NamedReason
        Models that the panel leaves out.
    """

    origin: Literal["computed", "reported"]
    protocol: Line | None
    why_not: Reason | None
    verdict: Literal["supported", "not supported", "not decidable"] | None = None
    passed: Annotated[tuple[Line, ...], Field(max_length=20)] = ()
    failed: Annotated[tuple[Line, ...], Field(max_length=20)] = ()
    undecided: Annotated[tuple[Line, ...], Field(max_length=20)] = ()
    cells: Annotated[tuple[TransferCell, ...], Field(max_length=200)] = ()
    beside: Annotated[tuple[TransferCell, ...], Field(max_length=200)] = ()
    stability: Annotated[tuple[StabilityEntry, ...], Field(max_length=20)] = ()
    left_out: Annotated[tuple[NamedReason, ...], Field(max_length=MOST_MODELS)] = ()


class Measure(Part):
    """Something that models can be ranked by, for a scatter plot of two.

    Attributes
    ----------
    key : str
        CORPUS/TASK/METRIC, as `shelf transfer --x` takes it.
    origin, protocol
        As those of `TransferOutcome`; measures of one origin and protocol may be set side by side.
    config, task, metric : str
    scores : tuple of tuple of int and float
        A position in `Aggregate.models`, and the score.
    """

    key: Reason
    origin: Literal["computed", "reported"]
    protocol: Line | None
    config: ConfigName
    task: ConfigName
    metric: Line
    scores: Annotated[tuple[tuple[Position, Number], ...], Field(max_length=MOST_MODELS)]


class Transfer(Part):
    """Rank agreement between corpora.

    Attributes
    ----------
    reference, natural : str and tuple of str
        The corpus whose order is asked about, and those that people wrote.
    spearman_at_least, lower_end_above, formulations_needed
        The rule.
    panel : str
        Which models are compared, by the id of the panel.
    outcomes : tuple of TransferOutcome
        Reported scores first, then computed ones by protocol.
    measures : tuple of Measure
        All that a plot may be of.
    """

    reference: Line
    natural: Annotated[tuple[Line, ...], Field(max_length=20)]
    spearman_at_least: Correlation
    lower_end_above: Correlation
    formulations_needed: Count
    panel: Line
    outcomes: Annotated[tuple[TransferOutcome, ...], Field(max_length=50)]
    measures: Annotated[tuple[Measure, ...], Field(max_length=5000)]
