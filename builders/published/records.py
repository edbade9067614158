"""The published catalogue records of LCSHBench, in the splits that they were published in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from builders.corpora.lcshbench.records import Record
from builders.corpora.lcshbench.works import work_groups
from builders.published.batches import check_columns
from builders.published.corpora import RECORDS, taken
from builders.published.files import SourceFile, check_splits
from builders.published.findings import Findings
from builders.published.index import Index, read_index
from builders.published.straddling import without_straddlers
from builders.published.taking import Progress, take_over
from builders.staging.config import StagedConfig
from evaluate_shelf.errors import ShelfError


def import_records(
    files: Sequence[SourceFile], source: str, *, staging: Path, progress: Progress | None = None
) -> StagedConfig:
    """Take the published records over.

    Parameters
    ----------
    files : sequence of SourceFile
        Each of the split that the card says.
    source : str
        Where the release comes from.
    staging : pathlib.Path
        Where the config is written.
    progress : callable, default=None
        Called with the number of rows done and in all.

    Returns
    -------
    StagedConfig
        Every record in the split that it was published in. Of a work that was published on two
        sides, the test records stay, else the validation records.

    Raises
    ------
    ShelfError
        If a column is missing, a value has no meaning in its column, or no record is left.
    """
    own, findings = taken(RECORDS), Findings()
    check_splits(files)
    check_columns(own, files, findings)
    index = read_index(own, files, ["title", "body", "text"], findings)
    works = pa.array(work_groups(_records(index)), pa.string())
    index, dropped = without_straddlers(index, works, "work", findings)
    splits = index.column("published_split").to_pylist()
    if not splits:
        raise ShelfError(f"{files[0].path}: no record of {RECORDS} can be taken over")
    notes = [
        "Ids and splits are the published ones.",
        "Records of one title are of one work, as their authors are not published.",
    ]
    return take_over(
        own,
        index,
        splits,
        {"group_id": works.filter(pa.array(np.logical_not(dropped)))},
        source=source,
        seeds={},
        notes=notes,
        findings=findings,
        staging=staging,
        progress=progress,
    )


def _records(index: Index) -> list[Record]:
    columns = [index.column(name).to_pylist() for name in ("id", "title", "body", "text")]
    return [
        Record(
            line=number,
            id=identity,
            title=(title or "").strip(),
            abstract=text if body is None else body,
            toc="",
            notes="",
            authors=(),
            language="",
            lc_class="",
            n_agencies=0,
            catalogs=(),
        )
        for number, (identity, title, body, text) in enumerate(zip(*columns, strict=True))
    ]
