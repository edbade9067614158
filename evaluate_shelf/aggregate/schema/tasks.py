"""The tasks of an aggregate, with their metrics and labels."""

from __future__ import annotations

from evaluate_shelf.aggregate.schema.values import Part, Score
from evaluate_shelf.bounded import ConfigName, Line, Reason


class TaskEntry(Part):
    """A task of the registry.

    Attributes
    ----------
    question : str
        What it asks, in a librarian's words.
    chance : float or None
        The level that the registry states.
    """

    id: ConfigName
    formulation: Line
    facet: Line
    label_field: Line
    metric: Line
    control: bool
    optional: bool
    question: Reason
    note: Reason | None
    chance: Score | None


class MetricEntry(Part):
    """A primary metric: its name, what it says in plain words, and between what it lies."""

    id: ConfigName
    label: Line
    help: Reason
    least: Score
    greatest: Score


class LabelEntry(Part):
    """What a label stands for, where its code alone does not say it."""

    field: Line
    code: Line
    name: Line
