"""A published synthetic slice, in the splits that it was published in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from builders.published.batches import check_columns
from builders.published.blank import is_blank
from builders.published.corpora import taken
from builders.published.files import SourceFile, check_splits
from builders.published.findings import Finding, Findings
from builders.published.index import Index, read_index
from builders.published.pairs import without_broken_pairs
from builders.published.straddling import without_straddlers
from builders.published.taking import Progress, take_over
from builders.staging.config import StagedConfig
from evaluate_shelf.errors import ShelfError

_DECIDING = ("spec_id", "pair_id", "pair_role")
_UNGROUPED = "a group of its own, as no group was published"


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
        sides, its test documents stay, else its validation documents; of a minimal pair both
        documents or none.

    Raises
    ------
    ShelfError
        If a column is missing, a value has no meaning in its column, or no document is left.
    """
    own, findings = taken(name), Findings()
    check_splits(files)
    check_columns(own, files, findings)
    group = own.group_column
    deciding = [column for column in _DECIDING if column in own.required]
    index = read_index(own, files, deciding, findings)
    if group:
        index, _ = without_straddlers(index, _groups(index, group), group, findings)
    if group == "pair_id":
        index = without_broken_pairs(index, _groups(index, group), findings)
    splits = index.column("published_split").to_pylist()
    if not splits:
        raise ShelfError(f"{files[0].path}: no document of {name} can be taken over")
    notes = [
        f"Ids and splits are the published ones. Split by {_split_by(index, group, findings)}.",
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


def _groups(index: Index, column: str) -> pa.Array:
    """A blank name is none, as in the rows."""
    names = index.column(column).to_pylist()
    return pa.array([None if is_blank(name or "") else name for name in names], pa.string())


def _split_by(index: Index, group: str | None, findings: Findings) -> str:
    """What the splits keep together, in words; documents without a group are counted."""
    if group is None:
        return "document, as specifications were not recorded"
    alone = index.column("id").filter(pc.is_null(_groups(index, group))).to_pylist()
    for identity in alone:
        findings.add(Finding(_UNGROUPED, group), identity)
    return (
        f"{group}; documents without one are groups of their own: {len(alone)}" if alone else group
    )
