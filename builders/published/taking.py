"""Take the rows of an index over into a config."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from builders.published.batches import typed
from builders.published.corpora import Taken
from builders.published.documents import documents
from builders.published.findings import Findings
from builders.published.index import Index
from builders.published.straddling import numbers_of
from builders.staging.config import ConfigInfo, StagedConfig
from builders.staging.ordering import by_split_and_id
from builders.staging.writing import stage
from evaluate_shelf.files import replacing
from evaluate_shelf.release.manifest import SPLITS, Split

Progress = Callable[[int, int], None]


def take_over(
    taken: Taken,
    index: Index,
    splits: Sequence[Split],
    own: Mapping[str, pa.Array],
    *,
    source: str,
    seeds: Mapping[str, int],
    notes: Sequence[str],
    findings: Findings,
    staging: Path,
    progress: Progress | None,
) -> StagedConfig:
    """Write a config of published rows.

    Parameters
    ----------
    taken : Taken
        What it is.
    index : Index
        Its rows.
    splits : sequence of {'train', 'validation', 'test'}
        The split of each row that is taken over.
    own : mapping of str to pyarrow.Array
        Columns that are not published, of the rows that are taken over.
    source : str
        Where the rows come from.
    seeds : mapping of str to int
        Every seed that was used.
    notes : sequence of str
        What is to be known besides the findings.
    findings : Findings
        What was found before, and where the rest is counted.
    staging : pathlib.Path
        Where the config is written, and its report.
    progress : callable or None
        Called with the number of rows done and in all.

    Returns
    -------
    StagedConfig
        The rows in the order of their ids.
    """
    tables = by_split_and_id(
        lambda: _rows(taken, index, own, findings, progress),
        index.column("id"),
        numbers_of(splits),
        staging / "buckets",
    )
    info = ConfigInfo(
        name=taken.name,
        kind="documents",
        schema=taken.schema,
        source=source,
        group_column=taken.group_column,
        seeds=dict(seeds),
        counted=taken.counted,
        notes=(_account(index, splits), *notes, *findings.notes()),
    )
    with replacing(report_path(taken.name, staging)) as temporary:
        temporary.write_text(findings.table(), encoding="utf-8")
    return stage(info, tables, staging / "configs")


def report_path(config: str, staging: Path) -> Path:
    """Where the report on a config lies until the release is complete."""
    return staging / "configs" / f"{config}_import.tsv"


def _rows(
    taken: Taken,
    index: Index,
    own: Mapping[str, pa.Array],
    findings: Findings,
    progress: Progress | None,
) -> Iterator[pa.Table]:
    done = read = 0
    for batch, kept in index.batches(taken.read.names):
        rows = documents(typed(batch, taken.read, kept, findings), taken.schema, findings)
        for name, values in own.items():
            rows = rows.append_column(name, values.slice(done, rows.num_rows))
        done += rows.num_rows
        read += batch.rows.num_rows
        if progress:
            progress(read, len(index.kept))
        yield rows.select(taken.schema.names)


def _account(index: Index, splits: Sequence[Split]) -> str:
    """How many rows there were and are."""
    published = Counter(index.table["published_split"].to_pylist())
    now = Counter(splits)
    before = ", ".join(f"{split} {count}" for split, count in published.items())
    after = ", ".join(f"{split} {now[split]}" for split in SPLITS if now[split])
    return (
        f"{len(index.kept)} rows published ({before}), {len(splits)} taken over ({after or 'none'})"
    )
