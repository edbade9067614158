"""What each label and the generators have to do with each other, before the gates and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from builders.gates.table import VERDICTS
from builders.independence.corpus import Corpus
from builders.independence.crossing import Crossing
from builders.independence.labels import LABELS, Label, crossing_of
from builders.independence.strength import Strength, strength_of

LEAST_CHANGE = 0.001
"""A gate that moves V by less is not named."""


@dataclass(frozen=True)
class Gate:
    """The gate without which V would differ most.

    Attributes
    ----------
    name : str
    with_it, without_it : float
        V of the documents that pass every gate, and of those that pass every other one.
    """

    name: str
    with_it: float
    without_it: float


@dataclass(frozen=True)
class Finding:
    """A label against generators.

    Attributes
    ----------
    label : Label
    values, occurrences : int
        How many values the label has among the kept documents, and how often they occur.
    kept : Strength or str
        Of the config's documents; why V is not defined, where it is not.
    written : Strength or str
        Of all that was written for it; why it is not known.
    gate : Gate or None
        None where no gate moves V by `LEAST_CHANGE`.
    """

    label: Label
    values: int
    occurrences: int
    kept: Strength | str
    written: Strength | str
    gate: Gate | None


def findings_of(corpus: Corpus) -> tuple[Finding, ...]:
    """Set every label against the generators.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    tuple of Finding
        One a label, in the order of `LABELS`.
    """
    return tuple(_finding(corpus, label) for label in LABELS)


def _finding(corpus: Corpus, label: Label) -> Finding:
    if label.column not in corpus.kept.column_names:
        absent = f"the config has no column {label.column}"
        return Finding(label, 0, 0, absent, _written(corpus, label), _gate(corpus, label))
    own = _crossing(corpus.kept, label)
    return Finding(
        label,
        own.shape[1],
        len(own.labels),
        strength_of(own),
        _written(corpus, label),
        _gate(corpus, label),
    )


def _crossing(table: pa.Table, label: Label) -> Crossing:
    return crossing_of(
        table[label.column].to_pylist(),
        table["model"].to_pylist(),
        table["group"].to_pylist(),
        several=label.several,
    )


def _written(corpus: Corpus, label: Label) -> Strength | str:
    if corpus.written is None:
        return "the release does not say what was written"
    if label.several:
        return "the gates' report does not have this label"
    return strength_of(_crossing(corpus.written, label))


def _gate(corpus: Corpus, label: Label) -> Gate | None:
    """The gate that moves V most; V by Bergsma where too few specifications leave no other."""
    if corpus.written is None or label.several:
        return None
    every = _v(corpus.written, label, np.asarray(corpus.written["passed"]))
    if every is None:
        return None
    found = [
        Gate(name, every, without)
        for name, passes in _without_one(corpus.written)
        if (without := _v(corpus.written, label, passes)) is not None
        and abs(without - every) >= LEAST_CHANGE
    ]
    return max(found, key=lambda own: abs(own.without_it - own.with_it), default=None)


def _without_one(written: pa.Table) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Each gate that refuses documents alone, and which documents pass all the others."""
    passes = {name: np.asarray(written[column]) for column, name in VERDICTS.items()}
    failures = sum((~own).astype(int) for own in passes.values())
    for name, own in passes.items():
        alone = ~own & (failures == 1)
        if alone.any():
            yield name, (failures == 0) | alone


def _v(written: pa.Table, label: Label, chosen: NDArray[np.bool_]) -> float | None:
    own = strength_of(_crossing(written.filter(pa.array(chosen)), label))
    if isinstance(own, str):
        return None
    return own.bergsma if own.value is None else own.value
