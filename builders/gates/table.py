"""What every gate says of each document, a row a document: what rates are counted on."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from builders.gates.length import length_passes
from builders.gates.near_duplicate import NEAR_DUPLICATE

_STRING, _FLAG = pa.string(), pa.bool_()

VERDICTS = {
    "passes_parse": "G1",
    "passes_language": "G2",
    "passes_length": "G3",
    "passes_self_label": "G4",
    "passes_near_duplicate": "G6",
    "passes_refusal": "G7",
    "passes_served": "served model",
}
"""The verdicts that can refuse a document, by column; G5 refuses none."""

VALUES = (
    "qc_parse", "qc_language", "qc_english", "qc_length_delta", "qc_selflabel",
    "qc_topic_coverage", "qc_near_dup", "qc_refusal", "qc_served",
)  # fmt: skip

UNSEEN = "unseen characters removed:"
"""Begins what `qc_found` says of characters that nobody sees, see `builders.gates.readable`."""

GATE_TABLE = pa.schema(
    [
        ("id", _STRING),
        ("slice", _STRING),
        ("model", _STRING),
        ("lcgft_form", _STRING),
        ("lcgft_category", _STRING),
        ("lcc_code", _STRING),
        ("register", _STRING),
        ("audience", _STRING),
        ("target_length", _STRING),
        ("word_count", pa.int64()),
        ("spec_id", _STRING),
        ("block_id", _STRING),
        ("prompt_variant_id", _STRING),
        ("qc_parse", _FLAG),
        ("qc_language", _FLAG),
        ("qc_english", pa.float64()),
        ("qc_length_delta", pa.int64()),
        ("qc_selflabel", _FLAG),
        ("qc_topic_coverage", pa.float64()),
        ("qc_near_dup", pa.float64()),
        ("qc_refusal", _FLAG),
        ("qc_served", _FLAG),
        *((name, _FLAG) for name in VERDICTS),
        ("passed", _FLAG),
        ("earlier", _STRING),
        ("qc_found", pa.list_(_STRING)),
    ]
)
"""Columns: the document and its labels, each gate's value and verdict, the verdict of all, the
most similar earlier document, and the places that G4 and G7 stumbled over. Where characters were
taken out of an answer, `qc_found` says so: `UNSEEN` and how many."""


def gate_table(judged: pa.Table) -> pa.Table:
    """The verdicts of documents that every gate has judged.

    Parameters
    ----------
    judged : pyarrow.Table
        With the columns of `GATE_TABLE` that are no verdicts, `qc_passed` and `target_word_range`.

    Returns
    -------
    pyarrow.Table
        Of the schema `GATE_TABLE`, in the order of the documents.
    """
    verdicts = {
        "passes_parse": judged["qc_parse"],
        "passes_language": judged["qc_language"],
        "passes_length": _length(judged),
        "passes_self_label": judged["qc_selflabel"],
        "passes_near_duplicate": pc.less(judged["qc_near_dup"], NEAR_DUPLICATE),
        "passes_refusal": judged["qc_refusal"],
        "passes_served": judged["qc_served"],
        "passed": judged["qc_passed"],
    }
    columns = [
        verdicts[field.name] if field.name in verdicts else judged[field.name].cast(field.type)
        for field in GATE_TABLE
    ]
    return pa.table(columns, schema=GATE_TABLE)


def _length(judged: pa.Table) -> pa.Array:
    rows = zip(
        judged["qc_length_delta"].to_pylist(), judged["target_word_range"].to_pylist(), strict=True
    )
    return pa.array([length_passes(delta, *wanted) for delta, wanted in rows], _FLAG)
