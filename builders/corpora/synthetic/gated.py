"""Pieces whose documents have been compared with each other: every gate has spoken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from builders.gates.near_duplicate import NEAR_DUPLICATE, Nearest, nearest_earlier
from builders.gates.table import gate_table
from evaluate_shelf.files import replacing

_ROWS_A_BATCH = 5000
_COUNTS = ("estimated", "left_out", "too_long")


@dataclass(frozen=True)
class GatedPieces:
    """Written documents, with the verdict of all gates.

    Attributes
    ----------
    paths : tuple of pathlib.Path
        The pieces, each with the columns of `piece_schema`.
    nearest : Nearest
        By the documents' place in them.
    """

    paths: tuple[Path, ...]
    nearest: Nearest

    def tables(self, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """The documents of a slice, piece by piece, those that gates refuse too.

        Parameters
        ----------
        name : str
            Of the slice.
        columns : sequence of str, default=None
            The columns of `piece_schema` that are wanted; all of them without it.

        Yields
        ------
        pyarrow.Table
            With `qc_near_dup` and the final `qc_passed` where they are wanted.
        """
        for table, similarity, _ in self._judged(columns):
            own = np.asarray(pc.equal(table["slice"], name))
            if own.any():
                chosen = _with_gate(table, similarity).filter(pa.array(own))
                yield chosen if columns is None else chosen.select(columns)

    @property
    def notes(self) -> list[str]:
        """What G6 did not compare in full."""
        own = self.nearest
        said = {
            "documents of more than a mebibyte were compared with equal ones alone": own.too_long,
            "pairs of documents were compared by their signatures, for want of room": own.estimated,
            "pairs in large groups of alike documents were not compared": own.left_out,
        }
        return [f"G6: {count} {what}" for what, count in said.items() if count]

    def gate_table(self, name: str) -> pa.Table:
        """What every gate says of each document of a slice, with the columns of `GATE_TABLE`."""
        ids = pa.chunked_array(
            [own for table, *_ in self._judged(["id"]) for own in table["id"].chunks]
        )
        parts = []
        for table, similarity, earlier in self._judged(_OF_GATE_TABLE):
            own = np.asarray(pc.equal(table["slice"], name))
            there = pa.array(earlier, mask=earlier < 0)
            named = _with_gate(table, similarity).append_column("earlier", ids.take(there))
            parts.append(gate_table(named.filter(pa.array(own))))
        return pa.concat_tables(parts)

    def _judged(
        self, columns: Sequence[str] | None
    ) -> Iterator[tuple[pa.Table, NDArray[np.float64], NDArray[np.int64]]]:
        wanted = None if columns is None else [*dict.fromkeys((*columns, "slice", "qc_passed"))]
        done = 0
        for path in self.paths:
            table = pq.read_table(path, columns=wanted)
            end = done + table.num_rows
            yield table, self.nearest.similarity[done:end], self.nearest.earlier[done:end]
            done = end


_OF_GATE_TABLE = (
    "id", "slice", "model", "lcgft_form", "lcgft_category", "lcc_code", "register", "audience",
    "target_length", "target_word_range", "word_count", "spec_id", "block_id", "prompt_variant_id",
    "qc_parse", "qc_language", "qc_english", "qc_length_delta", "qc_selflabel",
    "qc_topic_coverage", "qc_refusal", "qc_served", "qc_found",
)  # fmt: skip


def gated(name: str, paths: Sequence[Path]) -> GatedPieces:
    """Compare all documents of some pieces with each other.

    What was found is kept beside the pieces.

    Parameters
    ----------
    name : str
        Of the corpus, for messages.
    paths : sequence of pathlib.Path
        The pieces, in one folder; at least one.

    Returns
    -------
    GatedPieces
    """
    file = paths[0].with_name("nearest.parquet")
    if not file.is_file():
        _keep(file, nearest_earlier(name, partial(_texts, tuple(paths))))
    return GatedPieces(tuple(paths), _kept(file))


def _keep(file: Path, nearest: Nearest) -> None:
    counts = {name: str(getattr(nearest, name)) for name in _COUNTS}
    found = pa.table({"similarity": nearest.similarity, "earlier": nearest.earlier})
    with replacing(file) as temporary:
        pq.write_table(found.replace_schema_metadata(counts), temporary)


def _kept(file: Path) -> Nearest:
    found = pq.read_table(file)
    counts = {name: int(found.schema.metadata[name.encode()]) for name in _COUNTS}
    return Nearest(np.asarray(found["similarity"]), np.asarray(found["earlier"]), **counts)


def _texts(paths: Sequence[Path], columns: Sequence[str], /) -> Iterator[pa.Table]:
    waiting: list[pa.Table] = []
    for path in paths:
        table = pq.read_table(path, columns=["id", "text"])
        waiting.append(table.append_column("split", pa.repeat("train", table.num_rows)))
        if sum(own.num_rows for own in waiting) >= _ROWS_A_BATCH:
            yield pa.concat_tables(waiting).combine_chunks()
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting).combine_chunks()


def _with_gate(table: pa.Table, similarity: NDArray[np.float64]) -> pa.Table:
    """The table with G6 and the verdict of all gates."""
    passed = pc.and_(table["qc_passed"], pa.array(similarity < NEAR_DUPLICATE))
    columns = {"qc_near_dup": pa.array(similarity), "qc_passed": passed}
    for name, values in columns.items():
        place = table.schema.get_field_index(name)
        table = (
            table.append_column(name, values)
            if place < 0
            else table.set_column(place, name, values)
        )
    return table
