"""Generators whose rate at a gate is far from the others'.

A generator is compared with all others together, on what they were asked in common: the documents
of one specification are a stratum, and those of a specification that no other generator wrote are
one of their slice. Were the generators alike, the refusals of a stratum could as well be another's
in it; the exact test of that (`builders.gates.stratified`) is taken of every generator at every
gate, corrected by Holm. Flagged is what stands out and matters: at a corrected p of 0.05 or less,
and 5 percentage points from the others, or 1 point and at least twice or at most half their rate.

One generator that stands out moves the rate of all others together, so at each gate the one with
the least p is set aside and the rest are compared again, until none is flagged. Where all are alike
a corpus has a flag in one of twenty cases at most.

With two generators nothing tells which of them is the unusual one, so there is one test a gate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from builders.gates.refused import coded, refused_by, specifications
from builders.gates.stratified import Counts, exact_p
from evaluate_shelf.statistics.holm import holm

ALPHA = 0.05
FAR, FAR_RATIO, LEAST_FAR = 0.05, 2.0, 0.01
"""Difference of rates that is far, the ratio that is, and the difference that it takes as well."""

_PLACES = 5


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Outlier(_Part):
    """A generator that a gate refuses far more or less often than the others.

    Attributes
    ----------
    generator, gate : str
    documents : int
        Its documents that are compared.
    rate, others : float
        Its share refused, and that of the others' documents, each stratum as often as it has it.
    p : float
        Corrected by Holm; one below 1e-9 may stand for less.
    """

    generator: str
    gate: str
    documents: int
    rate: float
    others: float
    p: float


class Outliers(_Part):
    """What stands out among the generators of a corpus.

    Attributes
    ----------
    generators : int
        How many there are; with fewer than two nothing is compared.
    tests : int
        How many there were, over generators and gates.
    found : tuple of Outlier
        The least p first.
    """

    generators: int
    tests: int
    found: tuple[Outlier, ...]


def outliers(table: pa.Table) -> Outliers:
    """Find the generators whose rates are far from the others'.

    Parameters
    ----------
    table : pyarrow.Table
        Of the schema `GATE_TABLE`, or with those of its columns that are counted.

    Returns
    -------
    Outliers
    """
    if not table.num_rows:
        return Outliers(generators=0, tests=0, found=())
    codes, names = coded(table, "model")
    ordered = sorted(range(len(names)), key=lambda code: names[code] or "")
    ranks = np.empty(len(names), dtype=np.int64)
    ranks[ordered] = np.arange(len(names))
    documents = _Documents(ranks[codes], specifications(table), coded(table, "slice")[0])
    gates = refused_by(table)
    left = dict.fromkeys(gates, np.ones(table.num_rows, dtype=bool))
    made = {gate: _comparisons(gate, documents, flags) for gate, flags in gates.items()}
    tests = sum(map(len, made.values()))
    found: list[Outlier] = []
    while flagged := _flagged(made):
        for gate, (own, p) in flagged.items():
            found.append(_outlier(own, str(names[ordered[own.generator]]), p))
            left[gate] = left[gate] & (documents.generators != own.generator)
            rest = documents.of(left[gate])
            made[gate] = _comparisons(gate, rest, gates[gate][left[gate]])
    order = sorted(found, key=lambda own: (own.p, own.gate, own.generator))
    return Outliers(generators=len(names), tests=tests, found=tuple(order))


def is_far(rate: float, others: float) -> bool:
    """Whether two rates are so far apart that it matters.

    Examples
    --------
    >>> is_far(0.30, 0.24), is_far(0.30, 0.26), is_far(0.03, 0.01), is_far(0.004, 0.001)
    (True, False, True, False)
    """
    low, high = sorted((rate, others))
    apart = round(high - low, 9)  # so that 0.03 is 0.01 away from 0.02
    return apart >= FAR or (apart >= LEAST_FAR and high >= FAR_RATIO * low)


class _Documents(NamedTuple):
    """Numbers of each document's generator, in the order of names, specification and slice."""

    generators: NDArray[np.int64]
    specs: NDArray[np.int64]
    slices: NDArray[np.int64]

    def of(self, kept: NDArray[np.bool_]) -> _Documents:
        return _Documents(self.generators[kept], self.specs[kept], self.slices[kept])


class _Comparison(NamedTuple):
    """A generator and the others, with the counts of the strata that they share."""

    generator: int
    gate: str
    counts: Counts
    p: float

    @property
    def rate(self) -> float:
        return float(self.counts.own_marked.sum() / self.counts.own.sum())

    @property
    def others(self) -> float:
        """The others' rate, had they the generator's number of documents in each stratum."""
        items, marked, own, own_marked = self.counts
        return float((own * (marked - own_marked) / (items - own)).sum() / own.sum())


def _flagged(made: dict[str, list[_Comparison]]) -> dict[str, tuple[_Comparison, float]]:
    """By gate, the generator with the least p of those that stand out, and its corrected p."""
    every = [own for comparisons in made.values() for own in comparisons]
    corrected = holm(np.array([own.p for own in every]))
    flagged: dict[str, tuple[_Comparison, float]] = {}
    # Of one p, the farther one comes first.
    order = sorted(
        range(len(every)), key=lambda row: (every[row].p, -abs(every[row].rate - every[row].others))
    )
    for row in order:
        own, p = every[row], float(corrected[row])
        if p <= ALPHA and own.gate not in flagged and is_far(own.rate, own.others):
            flagged[own.gate] = own, p
    return flagged


def _outlier(own: _Comparison, name: str, p: float) -> Outlier:
    return Outlier(
        generator=name,
        gate=own.gate,
        documents=int(own.counts.own.sum()),
        rate=round(own.rate, _PLACES),
        others=round(own.others, _PLACES),
        p=float(f"{p:.2e}"),
    )


def _comparisons(gate: str, documents: _Documents, flags: NDArray[np.bool_]) -> list[_Comparison]:
    """Each generator against the others; none that shares no stratum with another."""
    names = np.unique(documents.generators).tolist()
    if len(names) < 2:
        return []
    strata = _strata(documents)
    made = []
    for name in names[:1] if len(names) == 2 else names:
        counts = _counts(flags, documents.generators == name, strata)
        if len(counts.items):
            made.append(_Comparison(name, gate, counts, exact_p(counts)))
    return made


def _counts(
    flags: NDArray[np.bool_], is_own: NDArray[np.bool_], strata: NDArray[np.int64]
) -> Counts:
    """Of the strata that have documents of the generator and of others."""
    parts = (strata, strata[flags], strata[is_own], strata[is_own & flags])
    size = int(strata.max()) + 1
    every = Counts(*(np.bincount(part, minlength=size) for part in parts))
    is_shared = (every.own > 0) & (every.own < every.items)
    return Counts(*(part[is_shared] for part in every))


def _strata(documents: _Documents) -> NDArray[np.int64]:
    """The stratum of each document: its specification, or its slice where that is its own alone."""
    codes = np.unique(documents.generators, return_inverse=True)[1]
    specs = np.unique(documents.specs, return_inverse=True)[1]
    size = int(specs.max()) + 1
    least, most = np.full(size, len(codes)), np.full(size, -1)
    np.minimum.at(least, specs, codes)
    np.maximum.at(most, specs, codes)
    is_shared = (least < most)[specs]
    return np.where(is_shared, specs, size + documents.slices)
