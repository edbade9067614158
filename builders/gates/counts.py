"""How many documents each gate refused, in all and by generator and slice."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel, ConfigDict

from builders.gates.table import UNSEEN, VERDICTS


class Tally(BaseModel):
    """What became of some written documents.

    Attributes
    ----------
    written, passed : int
        All, and those that pass every gate.
    refused : dict of str to int
        By gate, those that it refuses; a document counts for each of its gates.
    refused_alone : dict of str to int
        By gate, those that it alone refuses.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    written: int
    passed: int
    refused: dict[str, int]
    refused_alone: dict[str, int]


class NearDuplicateTally(BaseModel):
    """Documents that nearly have the text of an earlier one, and what the two share.

    Attributes
    ----------
    refused : int
        Documents that G6 refuses.
    of_equal_text : int
        Those whose text is the same but for case and white space.
    of_one_specification, of_one_generator : int
        Those whose most similar earlier document has their specification, or their generator.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    refused: int
    of_equal_text: int
    of_one_specification: int
    of_one_generator: int


class GateCounts(BaseModel):
    """What became of all written documents of a release.

    Attributes
    ----------
    in_all : Tally
    by_slice, by_generator : dict of str to Tally
    near_duplicates : NearDuplicateTally
    topic_coverage : float or None
        Mean of G5, which refuses nothing.
    all_topics_covered : float or None
        Share of the documents that speak of each of their topics.
    unseen_removed : int
        Documents of whose answers characters that nobody sees were taken out. They are refused
        for nothing of that.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    in_all: Tally
    by_slice: dict[str, Tally]
    by_generator: dict[str, Tally]
    near_duplicates: NearDuplicateTally
    topic_coverage: float | None
    all_topics_covered: float | None
    unseen_removed: int = 0


def gate_counts(table: pa.Table) -> GateCounts:
    """Count what the gates say.

    Parameters
    ----------
    table : pyarrow.Table
        Of the schema `GATE_TABLE`.

    Returns
    -------
    GateCounts
    """
    coverage = table["qc_topic_coverage"]
    return GateCounts(
        in_all=tally_of(table),
        by_slice=_by(table, "slice"),
        by_generator=_by(table, "model"),
        near_duplicates=_near_duplicates(table),
        topic_coverage=_rounded(pc.mean(coverage)),
        all_topics_covered=_rounded(pc.mean(pc.cast(pc.equal(coverage, 1.0), pa.float64()))),
        unseen_removed=sum(
            any(own.startswith(UNSEEN) for own in found or ())
            for found in table["qc_found"].to_pylist()
        ),
    )


def tally_of(table: pa.Table) -> Tally:
    """What became of some documents.

    Parameters
    ----------
    table : pyarrow.Table
        Of the schema `GATE_TABLE`.
    """
    refused = {gate: pc.invert(table[column]) for column, gate in VERDICTS.items()}
    failures = _sum([pc.cast(own, pa.int8()) for own in refused.values()])
    is_alone = pc.equal(failures, 1)
    return Tally(
        written=table.num_rows,
        passed=_count(table["passed"]),
        refused={gate: _count(own) for gate, own in refused.items()},
        refused_alone={gate: _count(pc.and_(own, is_alone)) for gate, own in refused.items()},
    )


def _by(table: pa.Table, column: str) -> dict[str, Tally]:
    names = sorted(pc.unique(table[column]).to_pylist())
    return {name: tally_of(table.filter(pc.equal(table[column], name))) for name in names}


def _near_duplicates(table: pa.Table) -> NearDuplicateTally:
    refused = table.filter(pc.invert(table["passes_near_duplicate"]))
    place = {name: row for row, name in enumerate(table["id"].to_pylist())}
    specs, models = table["spec_id"].to_pylist(), table["model"].to_pylist()
    # The earlier document may be of another slice that is no part of the release.
    pairs = [
        (place[own], place.get(earlier))
        for own, earlier in zip(
            refused["id"].to_pylist(), refused["earlier"].to_pylist(), strict=True
        )
    ]
    return NearDuplicateTally(
        refused=refused.num_rows,
        of_equal_text=_count(pc.equal(refused["qc_near_dup"], 1.0)),
        of_one_specification=sum(b is not None and specs[a] == specs[b] for a, b in pairs),
        of_one_generator=sum(b is not None and models[a] == models[b] for a, b in pairs),
    )


def _sum(columns: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    total = columns[0]
    for column in columns[1:]:
        total = pc.add(total, column)
    return total


def _count(flags: pa.ChunkedArray) -> int:
    return int(pc.sum(flags).as_py() or 0)


def _rounded(value: pa.Scalar) -> float | None:
    number = value.as_py()
    return None if number is None else round(number, 4)
