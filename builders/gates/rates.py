"""How much of what was written is kept, and what each gate refuses, by label and generator."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from builders.gates.clusters import Clusters
from builders.gates.refused import coded, refused_by, specifications
from evaluate_shelf.registry.taxonomy import Taxonomy

LEVEL = 0.95

DIMENSIONS = {
    "generator": "model",
    "length": "target_length",
    "category": "lcgft_category",
    "class": "lcc_code",
    "variant": "prompt_variant_id",
    "form": "lcgft_form",
}
"""What rates are given by, and the column of each."""

_PLACES = 5


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Rate(_Part):
    """A share of some documents with its 95 % interval."""

    count: int
    share: float
    low: float
    high: float


class Rates(_Part):
    """What became of the documents that have a value.

    Attributes
    ----------
    value : str or None
        Of the dimension; None where a document has none.
    documents, specifications : int
        How many there are.
    passed : Rate
        Those that pass every gate.
    refused : dict of str to Rate
        By gate, those that it refuses; for G5, which refuses none, those that leave a topic out.
    """

    value: str | None
    documents: int
    specifications: int
    passed: Rate
    refused: dict[str, Rate]


class GateRates(_Part):
    """The rates of a whole corpus.

    Attributes
    ----------
    level : float
        Coverage of all intervals.
    in_all : Rates or None
        None where nothing was written.
    by : dict of str to tuple of Rates
        By dimension; lengths in the order of the taxonomy, the rest by name.
    """

    level: float
    in_all: Rates | None
    by: dict[str, tuple[Rates, ...]]


def gate_rates(table: pa.Table, taxonomy: Taxonomy) -> GateRates:
    """The rates of a corpus by every dimension.

    Parameters
    ----------
    table : pyarrow.Table
        Of the schema `GATE_TABLE`, or with those of its columns that are counted.
    taxonomy : Taxonomy
        Gives the order of lengths.

    Returns
    -------
    GateRates
    """
    lengths = [row.id for row in taxonomy.lengths]
    return GateRates(
        level=LEVEL,
        in_all=_in_all(table),
        by={
            name: rates_by(table, column, lengths if name == "length" else ())
            for name, column in DIMENSIONS.items()
        },
    )


def rates_by(table: pa.Table, column: str, order: Sequence[str] = ()) -> tuple[Rates, ...]:
    """The rates of the documents of each value of a column.

    Intervals are by Wilson, with the documents of one specification as a cluster: see
    `builders.gates.clusters`.

    Parameters
    ----------
    table : pyarrow.Table
        As for `gate_rates`.
    column : str
        Of strings.
    order : sequence of str, default=()
        Values in the order in which they are given; others follow by name, and at the end what
        has no value.

    Returns
    -------
    tuple of Rates
        One for each value that a document has.
    """
    codes, values = coded(table, column)
    place = {value: number for number, value in enumerate(order)}

    def rank(code: int) -> tuple[bool, int, str]:
        value = values[code]
        return value is None, place.get(value or "", len(place)), value or ""

    ranked = sorted(range(len(values)), key=rank)
    cells = np.empty(len(values), dtype=np.int64)
    cells[ranked] = np.arange(len(values))
    return _rates(table, cells[codes], [values[code] for code in ranked])


def _in_all(table: pa.Table) -> Rates | None:
    found = _rates(table, np.zeros(table.num_rows, dtype=np.int64), [None])
    return found[0] if found else None


def _rates(
    table: pa.Table, cells: NDArray[np.int64], values: list[str | None]
) -> tuple[Rates, ...]:
    if not table.num_rows:
        return ()
    clusters = Clusters(cells, specifications(table))

    def rates(flags: NDArray[np.bool_]) -> list[Rate]:
        counted = zip(
            clusters.counts(flags).tolist(),
            clusters.documents.tolist(),
            clusters.intervals(flags, LEVEL),
            strict=True,
        )
        return [
            Rate(
                count=count,
                share=round(count / documents, _PLACES),
                low=round(low, _PLACES),
                high=round(high, _PLACES),
            )
            for count, documents, (low, high) in counted
        ]

    passed = rates(np.asarray(table["passed"]))
    refused = {gate: rates(flags) for gate, flags in refused_by(table).items()}
    return tuple(
        Rates(
            value=value,
            documents=int(clusters.documents[cell]),
            specifications=int(clusters.clusters[cell]),
            passed=passed[cell],
            refused={gate: own[cell] for gate, own in refused.items()},
        )
        for cell, value in enumerate(values)
    )
