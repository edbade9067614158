"""The config `transfer_lcshbench`."""

from __future__ import annotations

from pathlib import Path

from builders.corpora.lcshbench.columns import LCSHBENCH
from builders.corpora.lcshbench.corpus import lcshbench_files, lcshbench_rows
from builders.staging.config import ConfigInfo, StagedConfig
from builders.staging.writing import stage_rows


def build_lcshbench(folder: Path, *, seed: int, staging: Path) -> tuple[StagedConfig, bytes]:
    """Build `transfer_lcshbench` from LCSHBench's files.

    Parameters
    ----------
    folder : pathlib.Path
        Holds `dev/dev.jsonl` and `test/test.jsonl`, or `dev.jsonl` and `test.jsonl`, plain or
        `.gz`.
    seed : int
        Of the split of the dev file into train and validation.
    staging : pathlib.Path
        Where the config is written.

    Returns
    -------
    tuple of StagedConfig and bytes
        The config, and a table of the records that were dropped.

    Raises
    ------
    ShelfError
        If a file is missing or damaged, or fewer than two classes stand in both.
    """
    rows, splits, report = lcshbench_rows(*lcshbench_files(folder), seed=seed)
    info = ConfigInfo(
        name="transfer_lcshbench",
        kind="documents",
        schema=LCSHBENCH,
        source="LCSHBench, catalogue records in English (CC0, as its publisher states)",
        group_column="group_id",
        seeds={"split": seed},
        counted=("lcc_code",),
        notes=tuple(report.notes()),
    )
    return stage_rows(info, rows, splits, staging / "configs"), report.table().encode("utf-8")
