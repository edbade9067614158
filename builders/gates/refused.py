"""Which documents each gate refuses, as arrays."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from builders.gates.table import VERDICTS

TOPICS = "G5"
"""Refuses nothing; counted are documents that leave one of their topics out."""

GATES = {
    "G1": "parse",
    "G2": "language",
    "G3": "length",
    "G4": "self-label",
    TOPICS: "a topic left out, which refuses nothing",
    "G6": "near duplicate",
    "G7": "refusal, truncation",
    "served model": "another model than was asked",
}
"""What each looks at, in the order in which they are shown."""

_VERDICT_OF = {gate: column for column, gate in VERDICTS.items()}

NEEDED = ("spec_id", "slice", "model", *VERDICTS, "passed", "qc_topic_coverage")
"""Columns of `GATE_TABLE` that the rates are counted on, beside the labels."""


def refused_by(table: pa.Table) -> dict[str, NDArray[np.bool_]]:
    """The documents that each gate refuses.

    Parameters
    ----------
    table : pyarrow.Table
        With the columns `NEEDED`.

    Returns
    -------
    dict of str to ndarray of bool, shape (documents,)
        By gate, in the order of `GATES`.
    """
    return {
        gate: np.asarray(pc.less(table["qc_topic_coverage"], 1.0))
        if gate == TOPICS
        else ~np.asarray(table[_VERDICT_OF[gate]])
        for gate in GATES
    }


def coded(table: pa.Table, column: str) -> tuple[NDArray[np.int64], list[str | None]]:
    """The number of each document's value in a column, and the values.

    Parameters
    ----------
    table : pyarrow.Table
        With that column, of strings.
    column : str

    Returns
    -------
    codes : ndarray of int64, shape (documents,)
    values : list of str or None
        In the order in which they first stand there.
    """
    array = table[column].combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # of a table without rows
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    encoded = array.dictionary_encode(null_encoding="encode")
    return np.asarray(encoded.indices, dtype=np.int64), encoded.dictionary.to_pylist()


def specifications(table: pa.Table) -> NDArray[np.int64]:
    """The number of each document's specification; one without an id has a number of its own."""
    codes, values = coded(table, "spec_id")
    if None in values:
        unknown = codes == values.index(None)
        codes = np.where(unknown, len(values) + np.arange(len(codes)), codes)
    return codes
