"""The pool of the published slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from builders.corpora.pool import build_pool
from builders.published.findings import Finding, Findings
from builders.published.straddling import numbers_of, straddlers
from builders.staging.config import StagedConfig
from builders.staging.writing import stage

_GROUPS = ("pair_id", "spec_id")
_HALVED = Finding("left out, the other document of its minimal pair is", "pair_id")


def import_pool(sources: Sequence[StagedConfig], source: str, staging: Path) -> StagedConfig:
    """Pool the slices of a published release.

    A slice is split by itself, so a specification that two slices have can be in train of the one
    and in test of the other. The pool leaves such a train document out; its slice has it. The other
    document of its minimal pair is left out with it.

    Parameters
    ----------
    sources : sequence of StagedConfig
        The slices.
    source : str
        Where the release comes from.
    staging : pathlib.Path
        Where the pool is written.

    Returns
    -------
    StagedConfig
        As `build_pool` gives it; no specification and no minimal pair is in two splits.
    """
    index = _index(sources)
    late = np.zeros(index.num_rows, np.bool_)
    splits = numbers_of(index["split"].to_pylist())
    findings = Findings()
    for field in _GROUPS:
        groups = index[field].combine_chunks()
        own = straddlers(groups, splits)
        finding = Finding("left out, the group is in a later split of another slice", field)
        for row in np.flatnonzero(own & ~late).tolist():
            findings.add(finding, index["id"][row].as_py(), groups[row].as_py())
        late |= own
    halved = _halved(index["pair_id"].combine_chunks(), late)
    for row in np.flatnonzero(halved).tolist():
        findings.add(_HALVED, index["id"][row].as_py(), index["pair_id"][row].as_py())
    late |= halved
    pool = build_pool([*_without(sources, late, staging / "pooled")], staging)
    info = pool.info
    return replace(
        pool,
        info=replace(
            info, source=f"{info.source}; {source}", notes=(*info.notes, *findings.notes())
        ),
    )


def _halved(pairs: pa.Array, dropped: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which rows lose the other document of their minimal pair, of shape (n_rows,)."""
    lost = pairs.filter(pa.array(dropped)).drop_null()
    halved: NDArray[np.bool_] = np.asarray(pc.is_in(pairs, value_set=lost)) & ~dropped
    return halved


def _index(sources: Sequence[StagedConfig]) -> pa.Table:
    """Id, split and groups of all documents, in the order of the sources."""
    tables = []
    for source in sources:
        own = [name for name in _GROUPS if name in source.info.schema.names]
        for split in source.splits:
            table = source.table(["id", *own], [split])
            for name in _GROUPS:
                if name not in own:
                    table = table.append_column(name, pa.nulls(table.num_rows, pa.string()))
            table = table.append_column("split", pa.array([split] * table.num_rows, pa.string()))
            tables.append(table.select(["id", "split", *_GROUPS]))
    return pa.concat_tables(tables)


def _without(
    sources: Sequence[StagedConfig], dropped: NDArray[np.bool_], folder: Path
) -> Sequence[StagedConfig]:
    """The slices without some rows; one that loses none stays as it is."""
    left = []
    start = 0
    for source in sources:
        own = dropped[start : start + source.rows()]
        start += source.rows()
        left.append(_without_rows(source, own, folder) if own.any() else source)
    return left


def _without_rows(source: StagedConfig, dropped: NDArray[np.bool_], folder: Path) -> StagedConfig:
    ids = pa.concat_arrays(source.table(["id"])["id"].chunks).filter(pa.array(dropped))
    tables = {
        split: (
            table.filter(pc.invert(pc.is_in(table["id"], value_set=ids)))
            for table in source.batches(splits=[split])
        )
        for split in source.splits
    }
    return stage(source.info, tables, folder)
