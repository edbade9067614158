"""The published passages of books, split by this project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from builders.published.batches import check_columns
from builders.published.corpora import BOOKS, taken
from builders.published.files import SourceFile
from builders.published.findings import Finding, Findings
from builders.published.index import Index, read_index
from builders.published.taking import Progress, take_over
from builders.published.works import Passage, Works, works_of
from builders.splits import Member, grouped_splits, thin_labels
from builders.staging.config import StagedConfig
from evaluate_shelf.errors import ShelfError

_THIN = Finding("dropped, the class has fewer than two writers", "lcc_code")


def import_books(
    files: Sequence[SourceFile],
    source: str,
    *,
    seed: int,
    staging: Path,
    progress: Progress | None = None,
) -> StagedConfig:
    """Take the published passages over, whose one split is parted anew.

    Parameters
    ----------
    files : sequence of SourceFile
        Of any split.
    source : str
        Where the release comes from.
    seed : int
        Of the split.
    staging : pathlib.Path
        Where the config is written.
    progress : callable, default=None
        Called with the number of rows done and in all.

    Returns
    -------
    StagedConfig
        Split 60/20/20 by writer and book, so that no writer is on two sides.

    Raises
    ------
    ShelfError
        If a column is missing, a value has no meaning in its column, or fewer than two classes
        have two writers.
    """
    own, findings = taken(BOOKS), Findings()
    check_columns(own, files, findings)
    index = read_index(own, files, ["title", "author", "provenance"], findings)
    works = _works(index)
    members = [
        Member(*row, "")
        for row in zip(works.group_ids, index.column("lcc_code").to_pylist(), strict=True)
    ]
    too_thin = set(thin_labels(members))
    thin = np.array([member.label in too_thin for member in members], np.bool_)
    labels = index.column("lcc_code")
    index = index.without(thin, labels, _THIN, findings)
    left = [member for member, dropped in zip(members, thin.tolist(), strict=True) if not dropped]
    if len({member.label for member in left}) < 2:
        raise ShelfError(
            f"{files[0].path}: fewer than two classes of {BOOKS} have passages of two writers each"
        )
    stays = pa.array(~thin)
    notes = [
        "Published in one split; split here by writer and book: no writer is in two splits.",
        f"Books were told by {works.told_by}.",
    ]
    return take_over(
        own,
        index,
        grouped_splits(left, seed=seed),
        {
            "work_id": pa.array(works.work_ids, pa.string()).filter(stays),
            "group_id": pa.array(works.group_ids, pa.string()).filter(stays),
        },
        source=source,
        seeds={"split": seed},
        notes=notes,
        findings=findings,
        staging=staging,
        progress=progress,
    )


def _works(index: Index) -> Works:
    numbers = pc.struct_field(index.column("provenance"), "gutenberg_id")
    columns = [index.column(name).to_pylist() for name in ("id", "author", "title")]
    return works_of(
        [
            Passage(identity, number, author or "", title or "")
            for identity, author, title, number in zip(*columns, numbers.to_pylist(), strict=True)
        ]
    )
