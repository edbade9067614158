"""Ids of published documents: there, printable, seen, and each once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from builders.published.batches import batches_of, typed
from builders.published.blank import is_blank
from builders.published.files import SourceFile
from builders.published.findings import Findings
from evaluate_shelf.errors import ShelfError

_ID = pa.schema([("id", pa.string())])
# Whatever is no control character and turns no direction of writing around.
_PRINTABLE = r"^[^\x00-\x1f\x7f-\x{9f}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]{1,200}$"


def check_ids(files: Sequence[SourceFile]) -> None:
    """Refuse documents without an id, and ids that stand twice, within a config or across them.

    Parameters
    ----------
    files : sequence of SourceFile
        All files among which an id names one document.

    Raises
    ------
    ShelfError
        Names both rows of the first id that stands twice, and the number of such ids.
    """
    places: list[tuple[SourceFile, int]] = []
    parts: list[pa.Array] = []
    for batch in batches_of(files, ["id"]):
        own = typed(batch, _ID, np.ones(batch.rows.num_rows, np.bool_), Findings())["id"]
        ids = own.combine_chunks()
        printable = np.asarray(pc.fill_null(pc.match_substring_regex(ids, _PRINTABLE), False))
        usable = printable & [not is_blank(identity or "") for identity in ids.to_pylist()]
        for row in np.flatnonzero(~usable)[:1].tolist():
            raise ShelfError(
                f"{batch.file.path}, row {batch.first_row + row}, field 'id': "
                f"{ids[row].as_py()!r:.80} is no id"
            )
        places.append((batch.file, batch.first_row))
        parts.append(ids)
    if parts:
        _check_once(pa.chunked_array(parts), places, [len(part) for part in parts])


def _check_once(
    ids: pa.ChunkedArray, places: Sequence[tuple[SourceFile, int]], sizes: Iterable[int]
) -> None:
    order = pc.sort_indices(ids)
    ordered = ids.take(order)
    equal = np.asarray(pc.equal(ordered[:-1], ordered[1:]))
    repeats = np.flatnonzero(equal)
    if not len(repeats):
        return
    starts = np.concatenate(([0], np.cumsum(list(sizes))))

    def place(position: int) -> str:
        number = int(np.searchsorted(starts, position, side="right")) - 1
        file, first_row = places[number]
        return f"{file.path}, row {first_row + position - int(starts[number])}"

    rows = np.asarray(order)
    first, second = sorted((int(rows[repeats[0]]), int(rows[repeats[0] + 1])))
    raise ShelfError(
        f"{place(second)}, field 'id': {ids[first].as_py()!r} is in {place(first)} already; "
        f"{len(repeats)} ids stand more than once"
    )
