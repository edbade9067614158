"""`reports/gates.*` of a release: what became of every document that was written for it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from builders.gates.counts import GateCounts, Tally, gate_counts
from builders.gates.outliers import Outliers, outliers
from builders.gates.quality import GateQuality, Share, gate_quality
from builders.gates.rates import GateRates, gate_rates
from builders.gates.rates_markdown import rate_sections
from builders.gates.rates_words import MEANING
from builders.gates.table import VERDICTS
from builders.release.markdown import code, percent, plain, table
from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy

JSON, MARKDOWN, DOCUMENTS = "reports/gates.json", "reports/gates.md", "reports/gates.parquet"
"""Counts and rates, the same for people, and a row a document of `GATE_TABLE`, all of them."""

_DEPTH = 4

_NAMES = {
    "parse": "G1 parse",
    "language": "G2 language",
    "length": "G3 length",
    "self_label": "G4 self-label",
    "topic_coverage": "G5 topic coverage",
    "near_duplicate": "G6 near duplicate",
    "refusal": "G7 refusal, truncation",
}


def gate_reports(tables: Sequence[Path], taxonomy: Taxonomy | None = None) -> dict[str, bytes]:
    """The files of a release that say what the gates found.

    Parameters
    ----------
    tables : sequence of pathlib.Path
        Parquet files of the schema `GATE_TABLE`, one a slice.
    taxonomy : Taxonomy, default=None
        Gives the order of lengths; that of the installation without it.

    Returns
    -------
    dict of str to bytes
        By path: JSON, Markdown, and a row a document; nothing without a table.
    """
    if not tables:
        return {}
    documents = pa.concat_tables(pq.read_table(path) for path in tables)
    counts, quality = gate_counts(documents), gate_quality()
    rates, found = gate_rates(documents, taxonomy or load_taxonomy()), outliers(documents)
    sink = io.BytesIO()
    pq.write_table(documents, sink, compression="zstd")
    return {
        JSON: as_json(counts, quality, rates, found).encode(),
        MARKDOWN: markdown(counts, quality, rates, found).encode(),
        DOCUMENTS: sink.getvalue(),
    }


def as_json(
    counts: GateCounts, quality: Sequence[GateQuality], rates: GateRates, found: Outliers
) -> str:
    """Counts, rates, what stands out and the gates' quality as JSON with sorted keys."""
    value = {
        # Rules write nothing unseen: what they wrote has no such count.
        "counts": counts.model_dump(
            mode="json", exclude=None if counts.unseen_removed else {"unseen_removed"}
        ),
        "outliers": {"meaning": MEANING, **found.model_dump(mode="json")},
        "quality": [own.model_dump(mode="json") for own in quality],
        "rates": rates.model_dump(mode="json"),
    }
    return _lines(value) + "\n"


def markdown(
    counts: GateCounts, quality: Sequence[GateQuality], rates: GateRates, found: Outliers
) -> str:
    """The same for people."""
    return "\n\n".join((*_counted(counts), *rate_sections(rates, found), *_quality(quality))) + "\n"


def _lines(value: object, depth: int = 0) -> str:
    """JSON whose outer parts have a line each, and whose rows, which lie deep, stand on one."""
    pad = "  " * depth
    if depth < _DEPTH and isinstance(value, dict) and value:
        parts = [
            f"{json.dumps(key)}: {_lines(own, depth + 1)}" for key, own in sorted(value.items())
        ]
        return "{\n" + ",\n".join(f"{pad}  {part}" for part in parts) + f"\n{pad}}}"
    if depth < _DEPTH and isinstance(value, list) and value:
        parts = [_lines(own, depth + 1) for own in value]
        return "[\n" + ",\n".join(f"{pad}  {part}" for part in parts) + f"\n{pad}]"
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def _counted(counts: GateCounts) -> Iterator[str]:
    near = counts.near_duplicates
    yield "# Gates"
    yield (
        f"{counts.in_all.passed:,} of {counts.in_all.written:,} written documents pass every gate. "
        "A document counts for each gate that refuses it; what one gate alone refuses stands in "
        "brackets. Rejected documents are not in the release; `gates.parquet` has a row for each "
        "document, with what each gate found."
    )
    yield "## Slices"
    yield _tallies("slice", counts.by_slice)
    yield "## Generators"
    yield _tallies("generator", counts.by_generator)
    yield "## What the gates record besides"
    covered = [counts.topic_coverage or 0.0, counts.all_topics_covered or 0.0]
    yield table(
        ["what", "value"],
        [
            ("G5: topics spoken of, mean", percent(covered[0])),
            ("G5: documents that speak of all of theirs", percent(covered[1])),
            *_unseen(counts),
            ("G6: near duplicates of an earlier document", near.refused),
            ("of these, with the same text", near.of_equal_text),
            ("of these, to the same specification", near.of_one_specification),
            ("of these, by the same generator", near.of_one_generator),
        ],
    )


def _unseen(counts: GateCounts) -> Iterator[tuple[str, int]]:
    what = "G1: documents whose answers lost characters that nobody sees (controls, marks of "
    if counts.unseen_removed:
        yield f"{what}direction, no width), which refuses none", counts.unseen_removed


def _tallies(what: str, tallies: Mapping[str, Tally]) -> str:
    head = [what, "written", "passed", "share", *VERDICTS.values()]
    rows = [
        [
            code(name),
            own.written,
            own.passed,
            percent(own.passed / own.written),
            *(_refused(own, gate) for gate in VERDICTS.values()),
        ]
        for name, own in tallies.items()
    ]
    return table(head, rows)


def _refused(own: Tally, gate: str) -> str:
    return f"{own.refused[gate]:,} ({own.refused_alone[gate]:,})" if own.refused[gate] else "0"


def _quality(quality: Sequence[GateQuality]) -> Iterator[str]:
    yield "## How often the gates are right"
    yield (
        "On labelled cases that were written for each gate, with 95 % intervals by Wilson. A hard "
        "case passes and looks as if it should not. The cases tell which errors a gate makes, not "
        "how often it makes them in a corpus. G5 refuses nothing: counted is what it finds missing."
    )
    yield table(
        ["gate", "cases", "hard", "precision", "recall", "hard cases passed"],
        [
            [
                _NAMES[own.gate],
                own.cases,
                own.hard,
                _share(own.precision),
                _share(own.recall),
                _share(own.hard_passed),
            ]
            for own in quality
        ],
    )
    wrong = [
        f"- {_NAMES[own.gate]} {what}: {', '.join(map(plain, ids))}."
        for own in quality
        for what, ids in (("refuses wrongly", own.refused_wrongly), ("misses", own.passed_wrongly))
        if ids
    ]
    if wrong:
        yield "\n".join(wrong)


def _share(own: Share) -> str:
    if own.share is None:
        return "no case"
    return f"{own.share:.3f} [{own.low:.2f}, {own.high:.2f}]"
