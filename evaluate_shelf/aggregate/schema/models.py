"""The models of an aggregate."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from evaluate_shelf.aggregate.schema.values import Count, Key, Part
from evaluate_shelf.bounded import Line, Reason
from evaluate_shelf.registry.panel import Address


class ModelEntry(Part):
    """A model, whatever it was scored on.

    Attributes
    ----------
    key : str
        The same wherever the model is the same: its spec, revision and origin.
    name, spec, kind, revision : str
        As its runs have them.
    reported : bool
        Whether it is known from reported scores alone.
    parameters, dimension, max_tokens : int or None
        None where that is not known, or where there is none.
    licence : str or None
        Of the weights, as the panel states it.
    open_weights : bool or None
        Whether anyone may have the weights, or needs none; None where that is not known.
    released : datetime.date or None
        When the weights were first published.
    checkpoint : str or None
        Name of the weights, where it is known.
    cutoff, cutoff_of, cutoff_source : datetime.date, str and str, or None
        A day after which nothing was learned, what happened on it, and who states it.
    """

    key: Key
    name: Line
    spec: Line
    kind: Line
    revision: Line
    reported: bool
    parameters: Count | None
    dimension: Count | None
    max_tokens: Count | None
    licence: Line | None
    open_weights: bool | None
    released: dt.date | None
    checkpoint: Reason | None
    cutoff: dt.date | None
    cutoff_of: Literal["training", "release"] | None
    cutoff_source: Address | None
