"""The quality reports of a release's corpora, kept beside an interrupted build."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import get_args

import pyarrow as pa

from builders.quality.leaks import Relevance, relevance_of
from builders.quality.report import QualityReport, quality_of
from builders.staging.config import StagedConfig
from builders.staging.resume import content_id
from evaluate_shelf import __version__
from evaluate_shelf.files import replacing, sha256_of_json
from evaluate_shelf.registry.generation import SliceName
from evaluate_shelf.release.manifest import SPLITS

_ROWS_A_BATCH = 2000


def reported_corpora(configs: Sequence[StagedConfig]) -> list[StagedConfig]:
    """The corpora that are reported on: the pool stands for the slices that it is made of."""
    corpora = [config for config in configs if config.info.kind == "documents"]
    names = {config.name for config in corpora}
    pooled = get_args(SliceName)
    return [config for config in corpora if not ("all" in names and config.name in pooled)]


def quality_reports(
    configs: Sequence[StagedConfig],
    *,
    seed: int,
    staging: Path,
    progress: Callable[[str, int, int], None] | None = None,
) -> list[QualityReport]:
    """Report on each corpus, or read the report that an interrupted build had finished.

    Parameters
    ----------
    configs : sequence of StagedConfig
        Of the release.
    seed : int
        Of the hashes that find near duplicates.
    staging : pathlib.Path
        Where finished reports lie until the release is complete.
    progress : callable, optional
        Called with what is done, the number of documents read and in all.

    Returns
    -------
    list of QualityReport
        In the order of the configs.
    """
    reports = []
    for config in reported_corpora(configs):
        key = sha256_of_json([__version__, seed, config.name, content_id(config)])[:16]
        kept = staging / "quality" / f"{config.name}-{key}.json"
        if not kept.is_file():
            batches = _batches(config, progress)
            group_column = config.info.group_column
            report = quality_of(config.name, batches, group_column=group_column, seed=seed)
            with replacing(kept) as temporary:
                temporary.write_text(report.model_dump_json(), encoding="utf-8")
        reports.append(QualityReport.model_validate_json(kept.read_bytes()))
    return reports


def absent_in_slices(configs: Sequence[StagedConfig]) -> str:
    """Labels that a split of a pooled slice lacks, as a Markdown section; empty without slices."""
    reported = {config.name for config in reported_corpora(configs)}
    lines = []
    for config in configs:
        if config.info.kind != "documents" or config.name in reported:
            continue
        for facet in config.info.counted:
            known = {label for own in config.counts.values() for label in own.get(facet, {})}
            lacking = [
                len(known - config.counts.get(split, {}).get(facet, {}).keys()) for split in SPLITS
            ]
            cells = " | ".join(map(str, lacking))
            lines.append(f"| `{config.name}` | {facet} | {len(known)} | {cells} |")
    if not lines:
        return ""
    head = [
        "",
        "## Labels that a split of a slice lacks",
        "",
        "| slice | facet | labels | not in train | not in validation | not in test |",
        "| --- | --- | --: | --: | --: | --: |",
    ]
    return "\n".join([*head, *lines]) + "\n"


def relevance_reports(
    configs: Sequence[StagedConfig], aliases: Mapping[str, str]
) -> list[Relevance]:
    """For each config of relevance, the rows that point nowhere."""
    by_name = {config.name: config for config in configs}
    reports = []
    for config in configs:
        if config.info.kind == "qrels":
            subset = config.name.removesuffix("-qrels")
            queries, corpus = (
                by_name[aliases.get(name, name)].table(["id"])["id"].combine_chunks()
                for name in (f"{subset}-queries", f"{subset}-corpus")
            )
            reports.append(relevance_of(config.name, config.batches(), queries, corpus))
    return reports


def label_signal_of(reports: Sequence[QualityReport]) -> dict[str, dict[str, tuple[float, float]]]:
    """Shares of documents with their own label's name: in the text, and in its first 200 words."""
    return {
        report.name: {
            facet: (signal.share_in_text, signal.share_in_head)
            for facet, signal in report.signals.items()
        }
        for report in reports
    }


def _batches(
    config: StagedConfig, progress: Callable[[str, int, int], None] | None
) -> Callable[[Sequence[str]], Iterator[pa.Table]]:
    def batches(columns: Sequence[str], /) -> Iterator[pa.Table]:
        known = [name for name in columns if name in config.info.schema.names and name != "split"]
        done = 0
        for split in config.splits:
            for table in config.batches(known, [split], _ROWS_A_BATCH):
                yield table.append_column("split", pa.repeat(split, table.num_rows))
                done += table.num_rows
                if progress:
                    progress(f"quality of {config.name}", done, config.rows())

    return batches
