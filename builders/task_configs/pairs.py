"""Pair configs: documents with and without something in common."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from builders.staging.config import ConfigInfo, StagedConfig
from builders.staging.writing import stage
from builders.task_configs.drawing.record import Drawn
from builders.task_configs.drawing.sides import Sides, sides_of
from builders.task_configs.pair_tasks import PairTask
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing
from evaluate_shelf.registry.generation import Plan
from evaluate_shelf.release.manifest import Split

# Pairs whose texts are in memory at once.
_PAIRS_A_TABLE = 2000
_LABELS = ("lcc_code", "lcgft_form", "lcgft_category", "topics")
_REPORT_HEAD = "split\tlevel\twanted\tdrawn\tdocuments\tfewest_uses\tmost_uses\tcap\treason"


class Documents(NamedTuple):
    """The documents of one split, in the order of their ids: labels, and texts when asked for."""

    labels: pa.Table
    source: StagedConfig
    splits: tuple[Split, ...]

    def column(self, name: str) -> list[str | None]:
        """A column's values; none where the corpus has no such column."""
        if name not in self.labels.column_names:
            return [None] * self.labels.num_rows
        values: list[str | None] = self.labels[name].to_pylist()
        return values

    def texts(self, positions: NDArray[np.int64]) -> pa.Table:
        """Ids, titles and bodies of some documents, in the order of the positions."""
        ids = self.labels["id"].take(pa.array(positions)).combine_chunks()
        found = [
            table.filter(pc.is_in(table["id"], value_set=ids))
            for table in self.source.batches(["id", "title", "body"], self.splits)
        ]
        table = pa.concat_tables(found)
        return table.take(pc.index_in(ids, value_set=table["id"].combine_chunks()))

    def bodies(self, positions: NDArray[np.int64]) -> list[str]:
        """Bodies of some documents, in the order of the positions."""
        values: list[str] = self.texts(positions)["body"].to_pylist()
        return values


def build_pairs(
    name: str, task: PairTask, source: StagedConfig, plan: Plan, *, seed: int, staging: Path
) -> StagedConfig:
    """Draw the pairs of each split of a corpus.

    The two documents of a pair are of different groups, so that a pair is never two versions of
    one specification or two passages of one writer. No pair comes twice, ids are hashes, and how
    often a document is used says nothing of its pairs.

    Parameters
    ----------
    name : str
        Of the config.
    task : PairTask
        What the pairs have in common.
    source : StagedConfig
        A corpus of documents. The pairs of a natural corpus, which is small and whose pairs no
        model is trained on, are drawn from all its splits and stored as test pairs.
    plan : Plan
        Numbers of pairs and the cap on reuse.
    seed : int
        Of all draws.
    staging : pathlib.Path
        Where the config is written, and its report, `NAME.tsv`.

    Returns
    -------
    StagedConfig
        The pairs.

    Raises
    ------
    ShelfError
        If the corpus allows no positive or no negative test pair.
    """
    wanted = plan.pairs.model_dump()
    notes = [task.note] if task.note else []
    parts: dict[Split, tuple[Split, ...]] = {split: (split,) for split in source.splits}
    if source.name != "all":
        parts = {"test": source.splits}
        notes.append(
            "Drawn from all splits, as published: a model that was trained on the train split "
            "must not be scored on these pairs."
        )
    tables: dict[Split, Iterator[pa.Table]] = {}
    report = [_REPORT_HEAD]
    for split, splits in parts.items():
        documents = _documents(source, splits)
        drawn = task.draw(
            _sides(documents, task, source.info.group_column),
            documents.bodies,
            wanted=wanted[split],
            cap=plan.uses_per_document,
            seed=seed,
            key=f"{name} {split}",
        )
        notes.extend(_notes(split, drawn, task))
        report.extend(_report(split, drawn, task))
        if len(drawn.first):
            tables[split] = _tables(name, task, documents, drawn, seed)
        if split == "test" and not {0, 1} <= set(np.minimum(task.labels(drawn), 1).tolist()):
            raise ShelfError(
                f"{name}: {source.name} is too small for positive and negative test pairs"
            )
    with replacing(staging / "configs" / f"{name}.tsv") as temporary:
        temporary.write_text("\n".join(report) + "\n", encoding="utf-8")
    info = ConfigInfo(
        name=name,
        kind="pairs",
        schema=task.schema,
        source=f"pairs of {source.name}",
        seeds={"pairs": seed},
        counted=("label", *(("relation_stratum",) if task.is_stratified else ())),
        derived_from=source.name,
        notes=tuple(notes),
    )
    return stage(info, tables, staging / "configs")


def _documents(source: StagedConfig, splits: tuple[Split, ...]) -> Documents:
    optional = ("lcc_subclass", "register", "audience", source.info.group_column or "id")
    own = source.info.schema.names
    columns = [name for name in dict.fromkeys(("id", *_LABELS, *optional)) if name in own]
    return Documents(source.table(columns, splits).sort_by("id"), source, splits)


def _sides(documents: Documents, task: PairTask, group_column: str | None) -> Sides:
    has_subclasses = "lcc_subclass" in documents.labels.column_names
    return sides_of(
        group=documents.column(group_column or "id"),
        lcc=documents.column("lcc_code"),
        form=documents.column("lcgft_form"),
        category=documents.column("lcgft_category"),
        topics=documents.column("topics"),
        label=documents.column(task.field) if task.field != "topics" else None,
        subclass=documents.column("lcc_subclass") if has_subclasses else None,
    )


def _tables(
    name: str, task: PairTask, documents: Documents, drawn: Drawn, seed: int
) -> Iterator[pa.Table]:
    """The rows of the pairs, in the order of their ids, with the texts of both documents."""
    ids = documents.labels["id"].to_pylist()
    pair_ids = [
        hashlib.sha256(f"{seed}\x1f{name}\x1f{ids[a]}\x1f{ids[b]}".encode()).hexdigest()[:16]
        for a, b in zip(drawn.first.tolist(), drawn.second.tolist(), strict=True)
    ]
    order = sorted(range(len(pair_ids)), key=pair_ids.__getitem__)
    used = np.unique(np.concatenate([drawn.first, drawn.second]))
    texts = documents.texts(used)
    topics = documents.column("topics")
    for start in range(0, len(order), _PAIRS_A_TABLE):
        chosen = np.array(order[start : start + _PAIRS_A_TABLE])
        columns: dict[str, Any] = {"id": [pair_ids[number] for number in chosen.tolist()]}
        for side, positions in (("doc_a", drawn.first), ("doc_b", drawn.second)):
            own = texts.take(np.searchsorted(used, positions[chosen]))
            columns[f"{side}_id"] = own["id"]
            columns[f"{side}_title"] = pc.fill_null(own["title"], "")
            columns[f"{side}_body"] = own["body"]
        columns["label"] = pa.array(task.labels(drawn)[chosen].astype(np.int32))
        columns.update(task.further_columns(topics, drawn, chosen))
        yield pa.table({field: columns[field] for field in task.schema.names})


def _notes(split: str, drawn: Drawn, task: PairTask) -> list[str]:
    """What was drawn in a split, and what was left out or fell short, in words."""
    wanted = sum(level.wanted for level in drawn.levels)
    times = "once" if drawn.most_uses == 1 else f"{drawn.most_uses} times"
    uses = (
        f"each used {times}"
        if drawn.fewest_uses == drawn.most_uses
        else f"each used {drawn.fewest_uses} to {drawn.most_uses} times"
    )
    found = (
        f"{split}: {len(drawn.first)} pairs of {wanted} wanted, from {drawn.documents} "
        f"documents, {uses} (at most {drawn.cap} allowed)"
    )
    short = [
        f"{split}: {task.level_name(level.level)}: {level.drawn} of {level.wanted}: {level.reason}"
        for level in drawn.shortfalls
    ]
    return [found, *short, *(f"{split}: {note}" for note in drawn.notes)]


def _report(split: str, drawn: Drawn, task: PairTask) -> list[str]:
    """A line a level: how far it was filled."""
    return [
        "\t".join(
            map(
                str,
                (
                    split,
                    task.level_name(level.level),
                    level.wanted,
                    level.drawn,
                    drawn.documents,
                    drawn.fewest_uses,
                    drawn.most_uses,
                    drawn.cap,
                    level.reason,
                ),
            )
        )
        for level in drawn.levels
    ]
