"""A published synthetic slice, in the splits that it was published in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from builders.published.batches import check_columns
from builders.published.corpora import taken
from builders.published.files import SourceFile, check_splits
from builders.published.findings import Findings
from builders.published.index import read_index
from builders.published.straddling import without_straddlers
from builders.published.taking import Progress, take_over
from builders.staging.config import StagedConfig
from evaluate_shelf.errors import ShelfError


def import_slice(
    name: str,
    files: Sequence[SourceFile],
    source: str,
    *,
    staging: Path,
    progress: Progress | None = None,
) -> StagedConfig:
    """Take a published slice over.

    Parameters
    ----------
    name : str
        Of the slice.
    files : sequence of SourceFile
        Its files, each of the split that the card says.
    source : str
        Where the release comes from.
    staging : pathlib.Path
        Where the config is written.
    progress : callable, default=None
        Called with the number of rows done and in all.

    Returns
    -------
    StagedConfig
        Every document in the split that it was published in. Where a group was published on two
        sides, its test documents stay, else its validation documents.

    Raises
    ------
    ShelfError
        If a column is missing, a value has no meaning in its column, or no document is left.
    """
    own, findings = taken(name), Findings()
    check_splits(files)
    check_columns(own, files, findings)
    group = own.group_column
    index = read_index(own, files, [group] if group else [], findings)
    if group:
        index, _ = without_straddlers(index, _groups(index.column(group)), group, findings)
    splits = index.column("published_split").to_pylist()
    if not splits:
        raise ShelfError(f"{files[0].path}: no document of {name} can be taken over")
    notes = [
        "Ids and splits are the published ones. Split by "
        + (f"{group}." if group else "document, as specifications were not recorded."),
        "The columns qc_* are what the gates of this project find; no row was dropped for them.",
    ]
    return take_over(
        own,
        index,
        splits,
        {},
        source=source,
        seeds={},
        notes=notes,
        findings=findings,
        staging=staging,
        progress=progress,
    )


def _groups(values: pa.Array) -> pa.Array:
    """A blank name is none, as in the rows."""
    return pc.if_else(pc.equal(pc.utf8_trim_whitespace(values), ""), None, values)
